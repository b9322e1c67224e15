// Values of literals from their spelling. Plain functions of text: an empty
// result means that the value does not fit, and is told apart from "not of that
// form", which the lexer has excluded.
#ifndef AGT_FRONTEND_PARSE_LITERALS_H
#define AGT_FRONTEND_PARSE_LITERALS_H

#include "frontend/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"

namespace agt {

/// `1_000`, `4Ki`: up to 2^64 - 1.
std::optional<uint64_t> parseInt(llvm::StringRef spelling);

/// `3.5`, `1e-5`: finite.
std::optional<double> parseFloat(llvm::StringRef spelling);

/// `500ms`, `1.5h`: in nanoseconds, rounded to nearest.
std::optional<int64_t> parseDuration(llvm::StringRef spelling);

struct Quantity {
  double value;
  ast::QuantityLit::Unit unit;
};
/// `80GiB`, `450GB/s`, `990TFLOPS`, `1.2GHz`: finite.
std::optional<Quantity> parseQuantity(llvm::StringRef spelling);

/// The characters that an escape such as `\n` or `\u{1F600}` stands for;
/// nothing when it names no character.
std::optional<std::string> parseEscape(llvm::StringRef spelling);

/// Applies to the parts of a `"""` string what section 1 says of them: drops a
/// line break right after the opening and the blank text before the closing
/// quotes, and the indent that all lines share. `pieces` are the parts in
/// order, as written; the first of each pair is false for what is no source
/// text (an interpolation or an escape), which is left alone.
void stripBlockString(
    llvm::MutableArrayRef<std::pair<bool, std::string>> pieces);

} // namespace agt

#endif
