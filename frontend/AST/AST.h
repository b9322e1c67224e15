// The whole AST: what the parser builds and every later stage of the frontend
// reads.
#ifndef AGT_FRONTEND_AST_AST_H
#define AGT_FRONTEND_AST_AST_H

#include "frontend/AST/Decl.h"
#include "frontend/AST/Expr.h"
#include "frontend/AST/Node.h"
#include "frontend/AST/Stmt.h"
#include "frontend/AST/Type.h"

#endif
