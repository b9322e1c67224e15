// Text to AST.
#ifndef AGT_FRONTEND_PARSE_PARSER_H
#define AGT_FRONTEND_PARSE_PARSER_H

#include "frontend/AST/AST.h"
#include "frontend/Diagnostics.h"

namespace agt {

struct TokenList;

/// Parses a buffer. Reports every error in the order of the source, one for
/// each fault, and returns null if there was any. The file is owned by
/// `context` and points into the buffer.
ast::File *parseFile(llvm::SourceMgr &sources, unsigned bufferId,
                     ast::Context &context, Diagnostics &diagnostics);

/// The same from tokens that `lex` gave.
ast::File *parseTokens(const TokenList &list, ast::Context &context,
                       Diagnostics &diagnostics);

/// Reports what is wrong with single tokens; true when nothing is. For those
/// who stop at tokens: parsing reports it too.
bool checkTokens(const TokenList &list, Diagnostics &diagnostics);

} // namespace agt

#endif
