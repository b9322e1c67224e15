// See Dtype.h.
#include "runtime/Tensor/Dtype.h"

namespace agt::rt {

const char *dtypeName(agt_dtype dtype) {
  switch (dtype) {
  case AGT_F32:
    return "f32";
  case AGT_F16:
    return "f16";
  case AGT_BF16:
    return "bf16";
  case AGT_F8E4M3:
    return "f8e4m3";
  case AGT_I8:
    return "i8";
  case AGT_I32:
    return "i32";
  case AGT_I64:
    return "i64";
  case AGT_BOOL:
    return "bool";
  }
  return "an unknown dtype";
}

size_t dtypeBytes(agt_dtype dtype) {
  switch (dtype) {
  case AGT_F32:
  case AGT_I32:
    return 4;
  case AGT_F16:
  case AGT_BF16:
    return 2;
  case AGT_F8E4M3:
  case AGT_I8:
  case AGT_BOOL:
    return 1;
  case AGT_I64:
    return 8;
  }
  return 0;
}

} // namespace agt::rt
