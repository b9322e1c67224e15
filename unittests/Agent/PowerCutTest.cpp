// What the log has acknowledged survives a power cut at any time.
#include "runtime/Log/SqliteLog.h"
#include "runtime/Support/Failure.h"
#include "unittests/Agent/PowerCutVfs.h"
#include "unittests/Runtime/TempDir.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

// Writes until the power is cut, several times over; returns how many
// acknowledged writes were missing (or could not be read) afterwards.
int lostWrites(uint32_t seed, bool synchronous, int commits) {
  TempDir dir;
  registerPowerCutVfs();
  resetPowerCut();
  SqliteOptions options{dir.path("log.db"), powerCutVfs, synchronous};
  std::mt19937 random(seed);
  std::set<std::string> acknowledged;
  bool created = false;
  int lost = 0, next = 0;
  for (int cut = 0; cut < 3; ++cut) {
    try {
      auto log = openSqliteLog(options);
      if (created && !log->run("r"))
        return int(acknowledged.size()) + 1;
      std::set<std::string> found;
      for (const Event &event : log->events("r", 0))
        found.insert(event.path);
      for (const std::string &path : acknowledged)
        lost += !found.count(path);
      RunRow run;
      run.id = "r";
      log->create(run);
      created = true;
      int64_t epoch = log->claim("r", "dead:1:1", 0).run.epoch;
      int n = 1 + int(random() % uint32_t(commits));
      for (int i = 0; i < n; ++i) {
        Write write;
        write.run = "r";
        write.epoch = epoch;
        Event event;
        event.path = std::to_string(next++);
        event.result = std::string(random() % 9000, 'x');
        write.events.push_back(event);
        if (log->commit({&write}).front() == Written::Yes)
          acknowledged.insert(event.path);
      }
      powerCut(uint32_t(random()));
    } catch (const Failure &failure) {
      return lost + 1; // the file itself is gone or torn
    }
  }
  auto log = openSqliteLog(options);
  std::set<std::string> found;
  for (const Event &event : log->events("r", 0))
    found.insert(event.path);
  for (const std::string &path : acknowledged)
    lost += !found.count(path);
  return lost;
}

TEST(PowerCut, LosesNothingAcknowledged) {
  for (uint32_t seed = 0; seed < 40; ++seed)
    EXPECT_EQ(lostWrites(seed, true, 30), 0) << "seed " << seed;
}

TEST(PowerCut, LosesNothingAroundCheckpoints) {
  for (uint32_t seed = 100; seed < 106; ++seed)
    EXPECT_EQ(lostWrites(seed, true, 900), 0) << "seed " << seed;
}

// The control: the same test must notice a log that does not sync.
TEST(PowerCut, NoticesALogThatDoesNotSync) {
  int noticed = 0;
  for (uint32_t seed = 0; seed < 20; ++seed)
    noticed += lostWrites(seed, false, 30) > 0;
  EXPECT_GT(noticed, 15);
}

} // namespace
