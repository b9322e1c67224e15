// See Isa.h. Asks the processor itself (cpuid), and the system (xgetbv)
// whether it keeps the wide registers.
#include "runtime/Cpu/Isa.h"

#include "agt/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace agt::rt {

#if defined(__x86_64__)
namespace {

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned part = 0) {
  Registers r;
  if (!__get_cpuid_count(leaf, part, &r.eax, &r.ebx, &r.ecx, &r.edx))
    return {};
  return r;
}

bool has(unsigned word, std::initializer_list<int> bits) {
  for (int bit : bits)
    if (!(word >> bit & 1))
      return false;
  return true;
}

uint32_t detect() {
  Registers basic = cpuid(1), extended = cpuid(7), amd = cpuid(0x80000001);
  // SSE3, SSSE3, FMA, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C.
  if (!has(basic.ecx, {0, 9, 12, 19, 20, 22, 23, 27, 28, 29}))
    return AGT_ISA_NONE;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  // The system keeps xmm and ymm; BMI1, AVX2, BMI2; LZCNT.
  if (!has(low, {1, 2}) || !has(extended.ebx, {3, 5, 8}) || !has(amd.ecx, {5}))
    return AGT_ISA_NONE;
  // The system keeps masks and zmm; AVX-512 F, DQ, CD, BW, VL.
  if (!has(low, {5, 6, 7}) || !has(extended.ebx, {16, 17, 28, 30, 31}))
    return AGT_ISA_V3;
  // AVX-512 BF16.
  return has(cpuid(7, 1).eax, {5}) ? AGT_ISA_V4_BF16 : AGT_ISA_V4;
}

} // namespace
#else
static uint32_t detect() { return AGT_ISA_NONE; }
#endif

uint32_t processorIsa() {
  static const uint32_t detected = detect();
  const char *limit = std::getenv("AGT_CPU_ISA");
  if (limit && std::string(limit) == "v3")
    return std::min<uint32_t>(detected, AGT_ISA_V3);
  if (limit && std::string(limit) == "v4")
    return std::min<uint32_t>(detected, AGT_ISA_V4);
  return detected;
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    size_t colon = line.find(": ");
    if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "CPU";
}

} // namespace agt::rt
