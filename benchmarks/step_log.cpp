// What a step costs on the step log, as ratios taken in one run: the disk's own
// sync, one durable transaction, a step in a chain (its result travels with the
// next intent), group commit of 1,000 runs of 10 steps, and reading back a run
// of 1,000 and 2,000 steps. Medians; the folder is the first argument, or where
// it is started. A second one is the URL of a database to use in place of an
// SQLite file there: an empty one.
#include "runtime/Agent/History.h"
#include "runtime/Log/Token.h"
#include "runtime/Log/Writer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <thread>
#include <unistd.h>

using namespace agt::rt;

namespace {

double seconds(const std::function<void()> &body) {
  auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

double median(int times, const std::function<void()> &body) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i)
    all.push_back(seconds(body));
  std::nth_element(all.begin(), all.begin() + times / 2, all.end());
  return all[size_t(times / 2)];
}

Event event(EventKind kind, const std::string &path) {
  Event made;
  made.kind = kind;
  made.path = path;
  made.attempt = 1;
  made.token = sha256Hex(path);
  (kind == EventKind::Intent ? made.args : made.result) =
      "{\"text\":\"" + std::string(200, 'x') + "\"}";
  return made;
}

Write write(const std::string &run, std::vector<Event> events) {
  Write made;
  made.run = run;
  made.epoch = 1;
  made.events = std::move(events);
  return made;
}

void claimRun(StepLog &log, const std::string &id) {
  RunRow run;
  run.id = id;
  log.create(run);
  log.claim(id, thisProcess(), 0);
}

std::string name(int i) { return "s" + std::to_string(i); }

} // namespace

int main(int argc, char **argv) {
  std::string folder =
      (std::filesystem::path(argc > 1 ? argv[1] : ".") / "step_log.XXXXXX")
          .string();
  if (!mkdtemp(folder.data())) {
    std::perror("cannot make a folder");
    return 1;
  }
  auto log = openStepLog(argc > 2 ? argv[2] : "sqlite:" + folder + "/log.db");
  claimRun(*log, "one");

  int file = open((folder + "/raw").c_str(), O_CREAT | O_WRONLY, 0666);
  std::string page(4096, 'x');
  double sync = median(200, [&] {
    if (::write(file, page.data(), page.size()) < 0 || fdatasync(file) != 0)
      std::exit(1);
  });
  std::printf("disk: 4 KiB and fdatasync     %8.3f ms\n", sync * 1e3);

  int n = 0;
  double single = median(200, [&] {
    Write made = write("one", {event(EventKind::Intent, name(n)),
                               event(EventKind::Result, name(n))});
    ++n;
    log->commit({&made});
  });
  std::printf("one durable transaction       %8.3f ms  %.2f of a sync\n",
              single * 1e3, single / sync);

  double chain;
  {
    Writer writer(*log);
    chain = median(200, [&] {
      writer.write(write("one", {event(EventKind::Result, name(n)),
                                 event(EventKind::Intent, name(n + 1))}));
      ++n;
    });
  }
  std::printf("a step in a chain             %8.3f ms  %.2f of a transaction\n",
              chain * 1e3, chain / single);

  constexpr int runs = 1000, steps = 10, threads = 100;
  for (int i = 0; i < runs; ++i)
    claimRun(*log, name(i));
  double grouped;
  int64_t commits;
  {
    Writer writer(*log);
    grouped = seconds([&] {
      std::vector<std::thread> all;
      for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
          for (int run = t; run < runs; run += threads)
            for (int step = 0; step < steps; ++step)
              writer.write(
                  write(name(run), {event(EventKind::Intent, name(step)),
                                    event(EventKind::Result, name(step))}));
        });
      for (std::thread &thread : all)
        thread.join();
    });
    commits = writer.commits();
  }
  std::printf("1,000 runs of 10 steps        %8.0f steps/s in %lld commits, "
              "%.1f times one commit a step\n",
              runs * steps / grouped, (long long)commits,
              single * runs * steps / grouped);

  for (int length : {1000, 2000}) {
    std::string id = "long" + std::to_string(length);
    claimRun(*log, id);
    Write all = write(id, {});
    for (int i = 0; i < length; ++i) {
      all.events.push_back(event(EventKind::Intent, name(i)));
      all.events.push_back(event(EventKind::Result, name(i)));
    }
    log->commit({&all});
    double read = median(20, [&] {
      History history;
      history.load(*log, id);
    });
    std::printf("reading back %d steps       %8.3f ms\n", length, read * 1e3);
  }
  close(file);
  log.reset();
  std::filesystem::remove_all(folder);
  return 0;
}
