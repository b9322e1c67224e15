// Errors of single tokens (section 1), whole texts.
#include "Helpers.h"

#include "gtest/gtest.h"

using agt::test::errorsOf;

TEST(TokenErrors, Utf8) {
  EXPECT_EQ(errorsOf("const x = \"\xE9\";\n"),
            "t.agt:1:12: error: the file is not UTF-8: invalid byte 0xe9\n"
            "const x = \"\xEF\xBF\xBD\";\n"
            "           ^\n");
  // Cut off, overlong, a surrogate.
  for (llvm::StringRef bytes : {"\xE4\xB8", "\xC0\x80", "\xED\xA0\x80"})
    EXPECT_NE(errorsOf(bytes).find("the file is not UTF-8"), std::string::npos);
}

TEST(TokenErrors, ByteOrderMarkIsNoError) {
  EXPECT_EQ(errorsOf("\xEF\xBB\xBF"
                     "const x = 1;\n"),
            "");
}

TEST(TokenErrors, Characters) {
  EXPECT_EQ(errorsOf("const x = $$ 1;\n"),
            "t.agt:1:11: error: stray characters '$$'\n"
            "const x = $$ 1;\n"
            "          ^~\n");
  EXPECT_EQ(errorsOf("const x = a | b;\n"),
            "t.agt:1:13: error: stray character '|', expected '||'\n"
            "const x = a | b;\n"
            "            ^\n");
  EXPECT_EQ(errorsOf("# x\n"),
            "t.agt:1:1: error: stray character '#', comments begin with '//'\n"
            "# x\n"
            "^\n");
  EXPECT_EQ(errorsOf("const x = 'a';\n"),
            "t.agt:1:11: error: stray character ''', strings are written in "
            "double quotes\n"
            "const x = 'a';\n"
            "          ^\n");
  EXPECT_EQ(errorsOf(llvm::StringRef("const x = 1;\0\n", 14)),
            "t.agt:1:13: error: stray character 0x0\n"
            "const x = 1;\\u{0}\n"
            "            ^~~~~\n");
  EXPECT_EQ(errorsOf("const \xC3\xA9 = 1;\n"),
            "t.agt:1:7: error: stray character '\xC3\xA9'\n"
            "const \xC3\xA9 = 1;\n"
            "      ^\n");
}

TEST(TokenErrors, Numbers) {
  EXPECT_EQ(errorsOf("const x = 12abc;\n"),
            "t.agt:1:11: error: '12abc' is not a number, 'abc' is not a unit\n"
            "const x = 12abc;\n"
            "          ^~~~~\n");
  for (llvm::StringRef text : {"1__0", "1_", "1_000_"})
    EXPECT_EQ(errorsOf(("const x = " + text + ";\n").str()),
              ("t.agt:1:11: error: '" + text +
               "' is not a number, underscores stand single between digits\n"
               "const x = " +
               text + ";\n          ^" + std::string(text.size() - 1, '~') +
               "\n")
                  .str());
  for (llvm::StringRef text :
       {"0x10", "1.5Ki", "1e", "5sec", "10GB/sx", "3KBs", "1.5_", "2kB"})
    EXPECT_NE(errorsOf(("const x = " + text + ";\n").str())
                  .find(("error: '" + text + "' is not a number").str()),
              std::string::npos)
        << text.str();
  EXPECT_EQ(errorsOf("const x = 9223372036854775808;\n"),
            "t.agt:1:11: error: integer 9223372036854775808 does not fit in 64 "
            "bits\n"
            "const x = 9223372036854775808;\n"
            "          ^~~~~~~~~~~~~~~~~~~\n");
  EXPECT_EQ(errorsOf("const x = -9223372036854775808;\n"), "");
  EXPECT_EQ(errorsOf("const x = 1 - 9223372036854775808;\n"),
            "t.agt:1:15: error: integer 9223372036854775808 does not fit in 64 "
            "bits\n"
            "const x = 1 - 9223372036854775808;\n"
            "              ^~~~~~~~~~~~~~~~~~~\n");
  EXPECT_EQ(errorsOf("const x = 1e999;\n"),
            "t.agt:1:11: error: number 1e999 is too large for a float\n"
            "const x = 1e999;\n"
            "          ^~~~~\n");
  EXPECT_EQ(errorsOf("const x = 300000d;\n"),
            "t.agt:1:11: error: duration 300000d is too long, the limit is 292 "
            "years\n"
            "const x = 300000d;\n"
            "          ^~~~~~~\n");
}

TEST(TokenErrors, EveryUnitIsRead) {
  for (llvm::StringRef text :
       {"1ns",     "1us",     "1ms",     "1s",      "1m",     "1h",
        "1d",      "1.5h",    "1e3ms",   "1B",      "1KB",    "1MB",
        "1GB",     "1TB",     "1PB",     "1KiB",    "1MiB",   "1GiB",
        "1TiB",    "1PiB",    "1B/s",    "1GiB/s",  "1FLOPS", "1KFLOPS",
        "1MFLOPS", "1GFLOPS", "1TFLOPS", "1PFLOPS", "1Hz",    "1kHz",
        "1MHz",    "1GHz",    "1Ki",     "1Mi",     "1Gi",    "2.5GB",
        "1_000ms"})
    EXPECT_EQ(errorsOf(("mesh m { a: " + text + "; }\n").str()), "")
        << text.str();
}

TEST(TokenErrors, Strings) {
  EXPECT_EQ(errorsOf("const x = \"abc;\nconst y = 1;\n"),
            "t.agt:1:11: error: unterminated string, expected '\"' on this "
            "line\n"
            "const x = \"abc;\n"
            "          ^\n");
  EXPECT_EQ(errorsOf("const x = \"a {b\nconst y = 1;\n"),
            "t.agt:1:11: error: unterminated string, expected '\"' on this "
            "line\n"
            "const x = \"a {b\n"
            "          ^\n");
  EXPECT_EQ(errorsOf("const x = \"a {b\n}\";\n"),
            "t.agt:1:11: error: unterminated string, expected '\"' on this "
            "line\n"
            "const x = \"a {b\n"
            "          ^\n"
            "t.agt:2:2: error: unterminated string, expected '\"' on this "
            "line\n"
            "}\";\n"
            " ^\n");
  EXPECT_EQ(errorsOf("const x = \"a { b\";\nconst y = 1\n"),
            "t.agt:1:14: error: unclosed '{' in a string, a brace is written "
            "'{{'\n"
            "const x = \"a { b\";\n"
            "             ^\n"
            "t.agt:2:12: error: expected ';' after the expression\n"
            "const y = 1\n"
            "           ^\n");
  EXPECT_EQ(errorsOf("const x = \"a{}b\";\n"),
            "t.agt:1:13: error: '{}' in a string, braces are written '{{' and "
            "'}}'\n"
            "const x = \"a{}b\";\n"
            "            ^\n");
  EXPECT_EQ(errorsOf("const x = \"\"\"a\nb\n"),
            "t.agt:1:11: error: unterminated string, expected '\"\"\"'\n"
            "const x = \"\"\"a\n"
            "          ^~~\n");
  EXPECT_EQ(errorsOf("const x = \"{f(\"a\", \"{b}\")} } }} {{ \\u{41}\";\n"),
            "");
}

TEST(TokenErrors, Escapes) {
  EXPECT_EQ(errorsOf("const x = \"a\\qb\";\n"),
            "t.agt:1:13: error: unknown escape '\\q' in a string\n"
            "const x = \"a\\qb\";\n"
            "            ^~\n");
  EXPECT_EQ(errorsOf("const x = \"\\u12\";\n"),
            "t.agt:1:12: error: '\\u' takes 1 to 6 hex digits in braces, as in "
            "'\\u{1F600}'\n"
            "const x = \"\\u12\";\n"
            "           ^~\n");
  EXPECT_EQ(errorsOf("const x = \"\\u{D800}\";\n"),
            "t.agt:1:12: error: escape '\\u{D800}' names no character\n"
            "const x = \"\\u{D800}\";\n"
            "           ^~~~~~~~\n");
}

TEST(TokenErrors, Comments) {
  EXPECT_EQ(errorsOf("const x = 1; /* a /* b */\n"), "");
  EXPECT_EQ(errorsOf("const x = 1; /* a\nconst y = 2\n"),
            "t.agt:1:14: error: unterminated comment, expected '*/'\n"
            "const x = 1; /* a\n"
            "             ^~\n");
}

TEST(TokenErrors, ConstantStrings) {
  EXPECT_EQ(errorsOf("import \"{a}.agt\";\n"),
            "t.agt:1:9: error: the path of an import is constant and takes no "
            "interpolation\n"
            "import \"{a}.agt\";\n"
            "        ^~~\n");
  for (llvm::StringRef text :
       {"weights w = \"{a}\" format npy;\n", "test \"{a}\" { }\n",
        "test \"t\" { mock m \"{a}\"; }\n",
        "tool t() -> T { header \"{a}\": 1; }\n"})
    EXPECT_NE(errorsOf(text).find("is constant and takes no interpolation"),
              std::string::npos)
        << text.str();
}
