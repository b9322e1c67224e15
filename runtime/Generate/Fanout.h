// Which rows go into a launch together. All that are ready read the weights
// once, and what their texts share once; but a row is compared with every place
// that any row of its launch may see, so that texts which share nothing pay for
// each other's. The ways are: all together; a launch for the texts of each
// beginning; a launch for each text. The one that costs least is taken
// (LaunchCost.h), and it is noted what each would have cost.
//
// Places are counted in the blocks that kernels visit or leave out as a whole.
#ifndef AGT_RUNTIME_GENERATE_FANOUT_H
#define AGT_RUNTIME_GENERATE_FANOUT_H

#include "runtime/Cache/Pages.h"
#include "runtime/Generate/LaunchCost.h"

#include <array>
#include <string>
#include <vector>

namespace agt::rt {

/// A token that is read: at `position` of the text that is `sequence`, its keys
/// and values going to `place`.
struct Row {
  int32_t token, position, place;
  const Sequence *sequence;
};

/// Keys that kernels visit or leave out together.
constexpr int64_t placesOfBlock = 128;

/// The blocks of places that some row of some texts may see.
class VisitedPlaces {
public:
  /// Of a pool of so many places.
  explicit VisitedPlaces(int64_t capacity);
  void add(const Sequence &sequence);
  /// Those of the same pool.
  void add(const VisitedPlaces &others);
  int64_t count() const;

private:
  int64_t capacity;
  std::vector<uint64_t> blocks; // a bit each
};

enum class Way { Together, ByBeginning, Alone };
constexpr size_t ways = 3;
/// "together", "by beginning", "alone".
const char *wayName(Way way);

/// Rows of one launch, as numbers of those that are ready, and the places they
/// visit.
struct LaunchPart {
  std::vector<size_t> rows;
  int64_t texts = 0;
  int64_t places = 0;
};

struct LaunchPlan {
  Way way = Way::Together;
  bool trial = false;                    // whatever the estimates say
  std::array<double, ways> seconds = {}; // estimated, 0: not known
  std::vector<LaunchPart> parts;
  int64_t texts = 0, beginnings = 0;
  /// Places that all parts visit, and that a launch for each text would.
  int64_t places = 0, placesAlone = 0;
};

/// Rows that a device computes for so many: the next power of two, so that few
/// plans are made.
int64_t roundedRows(size_t rows);

/// The rows of a text are neighbours. Until the cost of launches is known all
/// go together. A `trial` goes by beginning, to see what that costs.
LaunchPlan planLaunches(const std::vector<Row> &rows, int64_t capacity,
                        const LaunchCost &cost, bool trial = false);

/// A launch as it was.
struct LaunchNote {
  double begin = 0, end = 0; // monotonicSeconds()
  int64_t rows = 0, texts = 0;
  int64_t places = 0; // that it visited
  double estimated = 0;
  Way way = Way::Together;
  bool trial = false;
  std::array<double, ways> seconds = {}; // of the plan it is part of
};

/// All launches so far.
struct FanoutTotals {
  int64_t launches = 0, rows = 0;
  int64_t places = 0, placesAlone = 0;
  std::array<int64_t, ways> plans = {};
  double seconds = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_FANOUT_H
