// Many requests to one model: whoever is ready goes into the next launch.
//
// A launch reads rows: the next pieces of prompts, and the newest token of each
// text that is being written, whatever requests they belong to. A request joins
// at any launch and leaves at any token. Rows share what their texts have in
// common: a context is read once and kept, and a text that begins as one that
// is kept goes on from there. Which rows go together is decided by what
// launches cost (Fanout.h); whoever was served longest ago comes first where
// not all fit. Who asks an idle model for a text behind a context waits a
// little where that is declared: others may be about to.
//
// Room. A request is begun when the pages that it may come to need are free.
// For that the contexts that nobody uses are forgotten, the longest unused
// first; else it waits for those before it.
#ifndef AGT_RUNTIME_GENERATE_SCHEDULER_H
#define AGT_RUNTIME_GENERATE_SCHEDULER_H

#include "runtime/Generate/Fanout.h"
#include "runtime/Generate/Sampler.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <thread>

namespace agt::rt {

/// The device's side: one launch. `wanted` are numbers of rows, in order; the
/// result has the logits behind each of them. Failures are thrown.
using Launch = std::function<std::vector<std::vector<float>>(
    const std::vector<Row> &rows, const std::vector<size_t> &wanted)>;

/// Why a generation ended.
enum class Stop { EndOfText, Tokens, Context, Asked };

struct GenerationRequest {
  /// Tokens that come first, and are kept for other requests.
  std::vector<int32_t> context;
  /// Those behind; one of the two is not empty.
  std::vector<int32_t> prompt;
  /// At most so many new tokens; below 0: as the model's context has room for.
  int64_t limit = -1;
  Sampling sampling;
  /// Whether a token ends the text.
  std::function<bool(int32_t)> isEnd;
  /// May change the logits before a token is chosen.
  std::function<void(std::vector<float> &)> restrain;
  /// Shown what the model made of each new token, before anything restrains
  /// it: the logits of all, and the token behind the one before it. Called
  /// before emit; may be empty.
  std::function<void(const std::vector<float> &, int32_t previous,
                     int32_t token)>
      weigh;
  /// Told of each new token behind the one before it; says whether to go on.
  /// Everybody waits for it.
  std::function<bool(int32_t previous, int32_t token)> emit;
  /// Whether nobody wants the text any more; asked before each launch.
  std::function<bool()> cancelled;
};

struct GenerationResult {
  Stop stop = Stop::Tokens;
  int64_t readTokens = 0; // of context and prompt; the others were there
  int64_t newTokens = 0;
  /// From when it was begun until the first token was known.
  double readSeconds = 0;
};

class Scheduler {
public:
  /// A text is at most `context` tokens, which the pool must have room for.
  /// `wait`: how long who asks an idle model waits for others.
  Scheduler(PagePool &pool, int64_t context, Launch launch,
            std::chrono::nanoseconds wait = {});
  ~Scheduler();

  /// From any thread; returns when the text is there. Fails with AGT_BAD_INPUT
  /// where context and prompt are longer than a text may be, and as the launch
  /// does.
  GenerationResult generate(const GenerationRequest &request);
  /// So far.
  FanoutTotals totals();
  /// The newest launches, in order.
  std::vector<LaunchNote> notes();

private:
  struct Kept;
  struct Job;
  /// Rows of a job in a launch.
  struct Share {
    std::shared_ptr<Job> job;
    int64_t rows;
  };
  /// What is to be launched; `owners` has the job of each row behind which
  /// logits are wanted.
  struct Composed {
    std::vector<Row> rows;
    std::vector<std::shared_ptr<Job>> owners;
  };

  void work();
  void admit();
  bool begin(Job &job);
  void forgetContexts();
  bool makeRoom(int64_t pages);
  Kept *keptOf(const std::vector<int32_t> &tokens);
  Sequence nearest(const std::vector<int32_t> &tokens);
  std::vector<Share> share();
  Composed compose();
  bool run(const Composed &all, const LaunchPlan &plan, const LaunchPart &part,
           std::unique_lock<std::mutex> &held);
  void note(const LaunchPlan &plan, const LaunchPart &part, double begin);
  void advance(Job &job, std::vector<float> &logits);
  void finish(Job &job, Stop stop);
  void failAll(std::exception_ptr why);

  PagePool &pool;
  int64_t context;
  Launch launch;
  std::chrono::nanoseconds wait;

  std::mutex mutex; // of all below
  std::condition_variable changed;
  std::list<std::shared_ptr<Job>> waiting, active;
  std::list<Kept> kept; // the last used last
  int64_t reserved = 0; // pages that the active may still take
  int64_t rounds = 0;   // in each of which everybody ready is served once
  LaunchCost cost;
  // Rounds that might have gone apart and did not; the one that does anyway.
  int64_t mayHaveParted = 0, nextTrial = 16;
  std::set<int64_t> sizes; // of launches so far, in rows
  FanoutTotals counted;
  std::deque<LaunchNote> noted;
  bool working = false;
  std::thread worker;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_SCHEDULER_H
