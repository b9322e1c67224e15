#include "Helpers.h"

#include "frontend/VerifyDiagnostics.h"

#include "gtest/gtest.h"

using namespace agt;
using agt::test::TestSource;

namespace {

/// What the verifier says of a text's syntax errors; "" when all is met.
std::string verify(llvm::StringRef text) {
  TestSource source(text);
  DiagnosticVerifier verifier(source.diagnostics);
  source.parse();
  std::string out;
  llvm::raw_string_ostream stream(out);
  bool clean = verifier.verify(stream);
  EXPECT_EQ(clean, out.empty());
  return out;
}

} // namespace

TEST(VerifyDiagnostics, Met) {
  EXPECT_EQ(verify("const x = 1 // expected-error {{expected ';'}}\n"), "");
  EXPECT_EQ(verify("// expected-error@+1 {{expected ';'}}\nconst x = 1\n"), "");
  EXPECT_EQ(verify("const x = 1\n// expected-error@-1 {{after the}}\n"), "");
  EXPECT_EQ(verify("// expected-error@below {{expected}}\nconst x = 1\n"), "");
  EXPECT_EQ(verify("const x = 1\n// expected-error@above {{expected}}\n"), "");
  EXPECT_EQ(verify("// expected-error-re@+1 {{expected '{{.}}' after}}\n"
                   "const x = 1\n"),
            "");
}

TEST(VerifyDiagnostics, Notes) {
  EXPECT_EQ(verify("// expected-note@+1 {{unclosed '['}}\n"
                   "const x = [1; // expected-error {{expected ']'}}\n"),
            "");
}

TEST(VerifyDiagnostics, NotProduced) {
  EXPECT_EQ(verify("const x = 1; // expected-error {{expected}}\n"),
            "t.agt:1:17: error: expected error \"expected\" was not produced\n"
            "const x = 1; // expected-error {{expected}}\n"
            "                ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

TEST(VerifyDiagnostics, Unexpected) {
  EXPECT_EQ(verify("const x = 1\n"),
            "t.agt:1:12: error: unexpected error: expected ';' after the "
            "expression\n"
            "const x = 1\n"
            "           ^\n");
}

TEST(VerifyDiagnostics, WrongLineTextOrSeverity) {
  EXPECT_NE(verify("// expected-error {{expected ';'}}\nconst x = 1\n"), "");
  EXPECT_NE(verify("const x = 1 // expected-error {{expected ':'}}\n"), "");
  EXPECT_NE(verify("const x = 1 // expected-warning {{expected ';'}}\n"), "");
}
