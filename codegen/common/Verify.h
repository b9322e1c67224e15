// Whether MLIR's verifier runs between the passes that lower kernels. It takes
// a fifth of a compilation, so it does where it was asked for: `agtc
// --verify-each`, or AGT_VERIFY_EACH=1, which all tests set.
#ifndef AGT_CODEGEN_COMMON_VERIFY_H
#define AGT_CODEGEN_COMMON_VERIFY_H

namespace agt::codegen {

bool verifiesEachPass();
void verifyEachPass();

} // namespace agt::codegen

#endif // AGT_CODEGEN_COMMON_VERIFY_H
