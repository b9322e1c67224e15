// Whether a tool as this program declares it and the JSON Schemas that its
// server lists can mean the same.
//
// Refused is what cannot fit: another type, an argument that the server has not
// or that it needs and is not given, a field that it will not answer with. What
// a schema says beyond that (patterns, ranges, formats) the server judges, and
// an answer is read against our type whatever was promised.
#ifndef AGT_RUNTIME_MCP_SCHEMA_H
#define AGT_RUNTIME_MCP_SCHEMA_H

#include "runtime/Agent/Declarations.h"

namespace agt::rt {

/// "" when the tool fits; else what does not, with both sides.
std::string misfit(const Types &types, const ToolDecl &tool,
                   const Json &listed);

/// Arguments as the server takes them: a member that is none is left out where
/// the schema does not require it.
Json fitArguments(Json arguments, const Json &schema);

} // namespace agt::rt

#endif // AGT_RUNTIME_MCP_SCHEMA_H
