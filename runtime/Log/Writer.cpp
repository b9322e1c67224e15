// See Writer.h.
#include "runtime/Log/Writer.h"

#include <exception>

namespace agt::rt {

struct Writer::Job {
  Write write;
  std::function<void(const Failure &)> refused; // set: nobody waits
  std::condition_variable done;
  bool finished = false;
  std::exception_ptr error;
};

Writer::Writer(StepLog &log) : log(log), thread([this] { serve(); }) {}

Writer::~Writer() {
  {
    std::lock_guard<std::mutex> held(mutex);
    ending = true;
  }
  arrived.notify_one();
  thread.join();
}

void Writer::write(Write write) {
  Job job{std::move(write), nullptr, {}, false, nullptr};
  std::unique_lock<std::mutex> held(mutex);
  waiting.push_back(&job);
  arrived.notify_one();
  job.done.wait(held, [&] { return job.finished; });
  if (job.error)
    std::rethrow_exception(job.error);
}

void Writer::queue(Write write, std::function<void(const Failure &)> refused) {
  Job *job = new Job{std::move(write), std::move(refused), {}, false, nullptr};
  std::lock_guard<std::mutex> held(mutex);
  waiting.push_back(job);
  arrived.notify_one();
}

WriterTotals &writerTotals() {
  static WriterTotals totals;
  return totals;
}

static void count(Written outcome, const Write &write) {
  writerTotals().renewals += outcome == Written::Yes && write.renew;
  writerTotals().fenced += outcome == Written::Stale && write.epoch;
}

static std::exception_ptr refusal(Written outcome, const std::string &run) {
  if (outcome == Written::Yes)
    return nullptr;
  return std::make_exception_ptr(Failure(
      AGT_FAILED, outcome == Written::Stale
                      ? "the run '" + run +
                            "' was taken over by another process; this one "
                            "lets go of it"
                      : "the run '" + run + "' is not in the step log"));
}

void Writer::commitAll(const std::deque<Job *> &jobs) {
  std::vector<Job *> whole;
  std::vector<Write *> writes;
  for (Job *job : jobs) {
    auto before = broken.find({job->write.run, job->write.epoch});
    if (job->write.epoch && before != broken.end()) {
      job->error = before->second;
      continue;
    }
    whole.push_back(job);
    writes.push_back(&job->write);
  }
  if (whole.empty())
    return;
  try {
    std::vector<Written> outcomes = log.commit(writes);
    ++transactions;
    ++writerTotals().commits;
    for (size_t i = 0; i < whole.size(); ++i) {
      whole[i]->error = refusal(outcomes[i], whole[i]->write.run);
      count(outcomes[i], whole[i]->write);
      if (outcomes[i] == Written::Yes && whole[i]->write.onDurable)
        whole[i]->write.onDurable(std::move(whole[i]->write.events));
    }
  } catch (...) {
    for (Job *job : whole)
      job->error = std::current_exception();
  }
  for (Job *job : whole)
    if (job->error && job->write.epoch)
      broken[{job->write.run, job->write.epoch}] = job->error;
}

void Writer::serve() {
  std::unique_lock<std::mutex> held(mutex);
  while (true) {
    arrived.wait(held, [&] { return ending || !waiting.empty(); });
    if (waiting.empty())
      return;
    std::deque<Job *> jobs;
    jobs.swap(waiting);
    held.unlock();
    commitAll(jobs);
    for (Job *&job : jobs) {
      if (!job->refused)
        continue;
      try {
        if (job->error)
          std::rethrow_exception(job->error);
      } catch (const Failure &failure) {
        job->refused(failure);
      } catch (const std::exception &error) {
        job->refused(Failure(AGT_FAILED, error.what()));
      }
      delete job;
      job = nullptr;
    }
    held.lock();
    for (Job *job : jobs)
      if (job) {
        job->finished = true;
        job->done.notify_one();
      }
  }
}

} // namespace agt::rt
