// See RingTraffic.h.
#include "passes/Analysis/RingTraffic.h"

namespace agt::analysis {

// Bytes for a query, over all places but the one that has it: what moves the
// other way in pass-KV, and in pass-Q.
static double besideKeys(const TokenBytes &bytes, Queries queries) {
  return queries == Queries::Whole ? bytes.result : 0;
}
static double ofQuery(int64_t places, const TokenBytes &bytes,
                      Queries queries) {
  return queries == Queries::Whole ? double(places) * bytes.partial
                                   : bytes.query + bytes.partial;
}

double passKvBytes(const Ring &ring, const TokenBytes &bytes, Queries queries) {
  double tokens = 0;
  for (int64_t place = 0; place < ring.places; ++place)
    tokens += double(ring.tokensReceived(place));
  return tokens * bytes.keys + double(ring.places - 1) * double(ring.queries) *
                                   besideKeys(bytes, queries);
}

double passQBytesOf(const Ring &ring, const TokenBytes &bytes, Queries queries,
                    int64_t place) {
  if (queries == Queries::Whole)
    return double(ring.places - 1) * double(ring.queries) * bytes.partial;
  int64_t own = tokensOf(ring.balance, ring.places, place, ring.queries);
  double received = double(ring.queries - own) * bytes.query;
  for (int64_t owner = 0; owner < ring.places; ++owner)
    if (owner != place && ring.sees(place, owner))
      received += double(own) * bytes.partial;
  return received;
}

double passQBytes(const Ring &ring, const TokenBytes &bytes, Queries queries) {
  double all = 0;
  for (int64_t place = 0; place < ring.places; ++place)
    all += passQBytesOf(ring, bytes, queries, place);
  return all;
}

double crossover(int64_t places, const TokenBytes &bytes, Queries queries) {
  double more = ofQuery(places, bytes, queries) - besideKeys(bytes, queries);
  return more > 0 ? (bytes.keys + bytes.aux) / more : -1;
}

} // namespace agt::analysis
