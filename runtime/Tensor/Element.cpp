// See Element.h.
#include "runtime/Tensor/Element.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace agt::rt {

template <typename T> static T load(const void *data, uint64_t index) {
  T value;
  std::memcpy(&value,
              static_cast<const unsigned char *>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

bool isInteger(agt_dtype dtype) {
  return dtype == AGT_I8 || dtype == AGT_I32 || dtype == AGT_I64 ||
         dtype == AGT_BOOL;
}

int64_t integerElement(agt_dtype dtype, const void *data, uint64_t index) {
  switch (dtype) {
  case AGT_I8:
    return load<int8_t>(data, index);
  case AGT_I32:
    return load<int32_t>(data, index);
  case AGT_I64:
    return load<int64_t>(data, index);
  default:
    return load<uint8_t>(data, index);
  }
}

namespace {
/// A float of few bits: sign, exponent, fraction. The largest exponent stands
/// for infinities and NaN or, without infinities, for numbers and, with all
/// bits of the fraction, NaN.
struct SmallFloat {
  int exponentBits, fractionBits;
  bool infinities;

  double decode(uint32_t bits) const {
    int total = exponentBits + fractionBits;
    uint32_t fraction = bits & ((1u << fractionBits) - 1);
    int exponent = int(bits >> fractionBits) & ((1 << exponentBits) - 1);
    int bias = (1 << (exponentBits - 1)) - 1;
    double sign = bits >> total & 1 ? -1 : 1;
    bool last = exponent == (1 << exponentBits) - 1;
    if (last && infinities)
      return fraction ? std::numeric_limits<double>::quiet_NaN()
                      : sign * std::numeric_limits<double>::infinity();
    if (last && fraction == (1u << fractionBits) - 1)
      return std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0)
      return sign * std::ldexp(fraction, 1 - bias - fractionBits);
    return sign * std::ldexp((1u << fractionBits) + fraction,
                             exponent - bias - fractionBits);
  }
};
} // namespace

double realElement(agt_dtype dtype, const void *data, uint64_t index) {
  switch (dtype) {
  case AGT_F32:
    return load<float>(data, index);
  case AGT_F16:
    return SmallFloat{5, 10, true}.decode(load<uint16_t>(data, index));
  case AGT_BF16:
    return SmallFloat{8, 7, true}.decode(load<uint16_t>(data, index));
  case AGT_F8E4M3:
    return SmallFloat{4, 3, false}.decode(load<uint8_t>(data, index));
  default:
    return double(integerElement(dtype, data, index));
  }
}

} // namespace agt::rt
