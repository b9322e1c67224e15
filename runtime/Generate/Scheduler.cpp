// See Scheduler.h. A thread of its own makes the launches while there are
// requests; those who ask wait for their job.
#include "runtime/Generate/Scheduler.h"

#include "runtime/Plan/Plan.h"
#include "runtime/Support/Failure.h"

#include <algorithm>
#include <optional>

namespace agt::rt {

// Rows of a launch: beyond this, one launch more costs nothing beside the work.
static constexpr int64_t mostRows = 256;
// Launches that are remembered one by one.
static constexpr size_t mostNotes = 1 << 16;

/// A context, read or being read.
struct Scheduler::Kept {
  std::vector<int32_t> tokens;
  std::optional<Sequence> sequence; // once it is read
  int64_t users = 0;                // jobs that wait for it or go on from it
};

/// One text. A context is read by a job of its own, which writes nothing.
struct Scheduler::Job {
  explicit Job(GenerationRequest given)
      : request(std::move(given)), sampler(request.sampling) {}

  const GenerationRequest request;
  std::vector<int32_t> tokens; // to be read, then those that are written
  std::optional<Sequence> sequence;
  Kept *context = nullptr; // begins it
  Kept *reads = nullptr;   // what it is to fill, of a context's job
  Sampler sampler;
  int64_t reserved = 0; // pages that it may still take
  int64_t end = 0;      // tokens, at most
  int64_t served = 0;   // the round it was last in
  double begun = 0;     // monotonicSeconds()
  GenerationResult result;
  std::exception_ptr failure;
  bool done = false;

  int64_t left() const { return int64_t(tokens.size()) - sequence->length(); }
};

Scheduler::Scheduler(PagePool &pool, int64_t context, Launch launch,
                     std::chrono::nanoseconds wait)
    : pool(pool), context(context), launch(std::move(launch)), wait(wait) {}

Scheduler::~Scheduler() {
  if (worker.joinable())
    worker.join();
}

GenerationResult Scheduler::generate(const GenerationRequest &request) {
  size_t given = request.context.size() + request.prompt.size();
  if (int64_t(given) > context)
    fail(AGT_BAD_INPUT, "the prompt has " + std::to_string(given) +
                            " tokens, there is room for " +
                            std::to_string(context));
  auto job = std::make_shared<Job>(request);
  std::unique_lock<std::mutex> held(mutex);
  waiting.push_back(job);
  changed.notify_all();
  if (!working) {
    if (worker.joinable())
      worker.join(); // it has left work()
    working = true;
    worker = std::thread([this] { work(); });
  }
  changed.wait(held, [&] { return job->done; });
  if (job->failure)
    std::rethrow_exception(job->failure);
  return job->result;
}

FanoutTotals Scheduler::totals() {
  std::lock_guard<std::mutex> held(mutex);
  return counted;
}

std::vector<LaunchNote> Scheduler::notes() {
  std::lock_guard<std::mutex> held(mutex);
  return {noted.begin(), noted.end()};
}

void Scheduler::work() {
  std::unique_lock<std::mutex> held(mutex);
  const GenerationRequest &first = waiting.front()->request;
  if (!first.context.empty() && first.limit != 0)
    changed.wait_for(held, wait,
                     [&] { return int64_t(waiting.size()) >= mostRows; });
  while (!waiting.empty() || !active.empty()) {
    Composed all;
    LaunchPlan plan;
    try {
      admit();
      all = compose();
      if (all.rows.empty())
        continue;
      plan = planLaunches(all.rows, pool.capacity(), cost);
      // Launches that are all alike do not tell what others would cost.
      bool mayPart = plan.beginnings > 1 && plan.way == Way::Together;
      if (mayPart && ++mayHaveParted == nextTrial) {
        plan = planLaunches(all.rows, pool.capacity(), cost, /*trial=*/true);
        nextTrial *= 2;
      }
    } catch (...) {
      failAll(std::current_exception());
      continue;
    }
    ++counted.plans[size_t(plan.way)];
    counted.placesAlone += plan.placesAlone;
    for (const LaunchPart &part : plan.parts)
      if (!run(all, plan, part, held))
        break;
  }
  working = false;
}

/// Launches a part and hands out what is behind it; whether that went well.
bool Scheduler::run(const Composed &all, const LaunchPlan &plan,
                    const LaunchPart &part,
                    std::unique_lock<std::mutex> &held) {
  std::vector<Row> rows;
  std::vector<size_t> wanted;
  std::vector<std::shared_ptr<Job>> owners;
  for (size_t number : part.rows) {
    rows.push_back(all.rows[number]);
    if (!all.owners[number])
      continue;
    wanted.push_back(rows.size() - 1);
    owners.push_back(all.owners[number]);
  }
  // Others may hand in requests meanwhile; what the launch reads is this
  // thread's alone.
  held.unlock();
  double begin = monotonicSeconds();
  std::vector<std::vector<float>> logits;
  std::exception_ptr failure;
  try {
    logits = launch(rows, wanted);
  } catch (...) {
    failure = std::current_exception();
  }
  held.lock();
  if (failure) {
    failAll(failure);
    return false;
  }
  note(plan, part, begin);
  for (size_t i = 0; i < owners.size(); ++i)
    try {
      advance(*owners[i], logits[i]);
    } catch (...) {
      owners[i]->failure = std::current_exception();
      finish(*owners[i], Stop::Asked);
    }
  return true;
}

void Scheduler::note(const LaunchPlan &plan, const LaunchPart &part,
                     double begin) {
  LaunchNote now;
  now.begin = begin;
  now.end = monotonicSeconds();
  now.rows = int64_t(part.rows.size());
  now.texts = part.texts;
  now.places = part.places;
  now.way = plan.way;
  now.trial = plan.trial;
  now.seconds = plan.seconds;
  int64_t size = roundedRows(part.rows.size());
  if (cost.isKnown())
    now.estimated = cost.estimate(size, part.places);
  // The first of a size makes its plan.
  if (!sizes.insert(size).second)
    cost.learn(size, part.places, now.end - begin);
  ++counted.launches;
  counted.rows += now.rows;
  counted.places += part.places;
  counted.seconds += now.end - begin;
  if (noted.size() == mostNotes)
    noted.pop_front();
  noted.push_back(now);
}

/// What has been read may be half of what was asked for: all of it goes.
void Scheduler::failAll(std::exception_ptr why) {
  for (auto *list : {&active, &waiting})
    while (!list->empty()) {
      std::shared_ptr<Job> job = list->front();
      job->failure = why;
      finish(*job, Stop::Asked);
    }
  kept.clear();
}

//===----------------------------------------------------------------------===//
// Beginning
//===----------------------------------------------------------------------===//

void Scheduler::admit() {
  auto isCancelled = [](const Job &job) {
    return job.request.cancelled && !job.reads && job.request.cancelled();
  };
  for (auto *list : {&active, &waiting}) {
    std::list<std::shared_ptr<Job>> all = *list;
    for (const std::shared_ptr<Job> &job : all)
      if (isCancelled(*job))
        finish(*job, Stop::Asked);
  }
  for (auto at = waiting.begin(); at != waiting.end();) {
    std::shared_ptr<Job> job = *at;
    const std::vector<int32_t> &wanted = job->request.context;
    if (!wanted.empty() && !job->reads && !job->context) {
      job->context = keptOf(wanted);
      if (!job->context) {
        kept.push_back({wanted, std::nullopt, 0});
        job->context = &kept.back();
        // Whoever asked may leave before it is read.
        GenerationRequest read;
        read.context = wanted;
        auto reader = std::make_shared<Job>(std::move(read));
        reader->reads = job->context;
        ++reader->reads->users;
        waiting.insert(at, reader);
        at = std::prev(at);
        ++job->context->users;
        continue;
      }
      ++job->context->users;
    }
    if (job->context && !job->context->sequence) {
      ++at; // those behind it may be ready
      continue;
    }
    if (job->context && job->request.limit == 0 &&
        job->request.prompt.empty()) {
      at = std::next(at);
      finish(*job, Stop::Tokens);
      continue;
    }
    if (!begin(*job)) {
      if (!active.empty())
        return; // in order: none is overtaken for lack of room
      // Contexts that wait for their turn have it all: this text does without.
      forgetContexts();
      begin(*job);
    }
    at = waiting.erase(at);
    active.push_back(job);
  }
}

/// Also those that are waited for, which are read again then.
void Scheduler::forgetContexts() {
  for (const std::shared_ptr<Job> &job : waiting)
    if (job->context && job->context->sequence)
      job->context = nullptr;
  kept.remove_if([](const Kept &each) { return each.sequence.has_value(); });
}

/// Whether there is room for it.
bool Scheduler::begin(Job &job) {
  std::vector<int32_t> tokens = job.request.context;
  if (!job.reads)
    tokens.insert(tokens.end(), job.request.prompt.begin(),
                  job.request.prompt.end());
  int64_t given = int64_t(tokens.size());
  int64_t limit = job.reads ? 0 : job.request.limit;
  // The last token that is written is not read.
  int64_t end =
      limit < 0 ? context
                : std::min(context, given + std::max<int64_t>(limit - 1, 0));
  Sequence sequence =
      job.context ? job.context->sequence->fork(
                        std::min(job.context->sequence->length(), given - 1))
                  : nearest(tokens);
  int64_t pages = sequence.pagesFor(end - sequence.length());
  if (!makeRoom(pages))
    return false;
  job.result.readTokens = given - sequence.length();
  job.tokens = std::move(tokens);
  job.sequence = std::move(sequence);
  job.reserved = pages;
  job.end = end;
  job.begun = monotonicSeconds();
  reserved += pages;
  return true;
}

/// Forgets contexts until so many pages are neither taken nor reserved.
bool Scheduler::makeRoom(int64_t pages) {
  for (auto at = kept.begin();
       pool.freePages() - reserved < pages && at != kept.end();)
    at = at->users == 0 ? kept.erase(at) : std::next(at);
  return pool.freePages() - reserved >= pages;
}

Scheduler::Kept *Scheduler::keptOf(const std::vector<int32_t> &tokens) {
  for (auto at = kept.begin(); at != kept.end(); ++at)
    if (at->tokens == tokens) {
      kept.splice(kept.end(), kept, at);
      return &kept.back();
    }
  return nullptr;
}

/// What is kept of a text's beginning, without its last token: the logits
/// behind that are wanted.
Sequence Scheduler::nearest(const std::vector<int32_t> &tokens) {
  const Kept *best = nullptr;
  size_t most = 0;
  for (const Kept &each : kept) {
    if (!each.sequence)
      continue;
    size_t same = size_t(std::mismatch(tokens.begin(), tokens.end() - 1,
                                       each.tokens.begin(), each.tokens.end())
                             .first -
                         tokens.begin());
    if (same > most) {
      most = same;
      best = &each;
    }
  }
  return best ? best->sequence->fork(int64_t(most)) : Sequence(pool);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// A row for each text, then pieces of what is to be read; the texts that were
/// served longest ago first.
std::vector<Scheduler::Share> Scheduler::share() {
  active.sort([](const std::shared_ptr<Job> &a, const std::shared_ptr<Job> &b) {
    return a->served < b->served;
  });
  std::vector<Share> shares;
  int64_t room = mostRows;
  for (const std::shared_ptr<Job> &job : active)
    if (job->left() > 0 && room > 0) {
      shares.push_back({job, 1});
      --room;
    }
  for (Share &each : shares) {
    int64_t more = std::min(each.job->left() - each.rows, room);
    each.rows += more;
    room -= more;
  }
  return shares;
}

Scheduler::Composed Scheduler::compose() {
  Composed all;
  ++rounds;
  for (const auto &[job, count] : share()) {
    job->served = rounds;
    int64_t at = job->sequence->length();
    int64_t taken = job->sequence->pagesFor(count);
    std::vector<int32_t> places = job->sequence->append(count);
    job->reserved -= taken;
    reserved -= taken;
    for (int64_t i = 0; i < count; ++i)
      all.rows.push_back({job->tokens[size_t(at + i)], int32_t(at + i),
                          places[size_t(i)], &*job->sequence});
    all.owners.resize(all.rows.size());
    if (job->left() == 0)
      all.owners.back() = job;
  }
  return all;
}

/// Takes the logits behind all that a job has read.
void Scheduler::advance(Job &job, std::vector<float> &logits) {
  if (job.reads)
    return finish(job, Stop::Tokens);
  const GenerationRequest &request = job.request;
  if (job.result.newTokens == 0)
    job.result.readSeconds = monotonicSeconds() - job.begun;
  if (request.limit == 0)
    return finish(job, Stop::Tokens);
  std::vector<float> given;
  if (request.weigh)
    given = logits;
  if (request.restrain)
    request.restrain(logits);
  int32_t previous = job.tokens.back(),
          next = job.sampler.choose(std::move(logits), job.tokens);
  if (request.isEnd && request.isEnd(next))
    return finish(job, Stop::EndOfText);
  ++job.result.newTokens;
  if (request.weigh)
    request.weigh(given, previous, next);
  if (request.emit && !request.emit(previous, next))
    return finish(job, Stop::Asked);
  if (request.limit >= 0 && job.result.newTokens == request.limit)
    return finish(job, Stop::Tokens);
  if (int64_t(job.tokens.size()) == context)
    return finish(job, Stop::Context);
  job.tokens.push_back(next);
}

void Scheduler::finish(Job &job, Stop stop) {
  job.result.stop = stop;
  reserved -= job.reserved;
  if (job.reads) {
    --job.reads->users;
    if (!job.failure)
      job.reads->sequence = std::move(job.sequence);
  }
  if (job.context)
    --job.context->users;
  job.sequence.reset();
  job.done = true;
  for (auto *list : {&active, &waiting})
    list->remove_if(
        [&](const std::shared_ptr<Job> &each) { return each.get() == &job; });
  changed.notify_all();
}

} // namespace agt::rt
