// The frequencies of a rotary embedding (agt.rope_table).
//
// Pair i turns by pos * scale * base^(-2i/dims) radians. A kernel needs that
// angle modulo a turn, for positions in the millions, to the last bit of an
// f32: so a frequency is kept as a binary fraction of a turn with 64 bits, and
// pos times it, modulo 2^64, is the angle, exactly reduced by integer overflow.
#include "runtime/Support/Failure.h"

#include <cmath>
#include <vector>

static uint64_t turnsPerPosition(int64_t pair, int64_t dims, double base,
                                 double scale) {
  // The extended type holds all 64 bits of the fraction where it has 64.
  using Real = long double;
  Real power = std::pow(Real(base), Real(-2) * Real(pair) / Real(dims));
  Real turns = Real(scale) * power / (2 * std::acos(Real(-1)));
  Real fraction = turns - std::floor(turns);
  Real scaled = std::nearbyint(std::ldexp(fraction, 64));
  return scaled >= std::ldexp(Real(1), 64) ? 0 : uint64_t(scaled);
}

agt_status agt_graph_rope_table(agt_run *run, int64_t dims, double base,
                                double scale, agt_buffer **buffer) {
  std::vector<uint64_t> table;
  agt_status status = agt::rt::guard([&] {
    for (int64_t pair = 0; pair < dims / 2; ++pair)
      table.push_back(turnsPerPosition(pair, dims, base, scale));
  });
  return status ? status
                : agt_graph_constant(run, table.data(),
                                     int64_t(8 * table.size()), buffer);
}
