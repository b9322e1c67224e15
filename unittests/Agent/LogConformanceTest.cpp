// What every step log must do, run on each of them.
#include "runtime/Log/PostgresLog.h"
#include "runtime/Log/SqliteLog.h"
#include "runtime/Log/Writer.h"
#include "runtime/Support/Failure.h"
#include "unittests/Agent/PostgresServer.h"
#include "unittests/Runtime/TempDir.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

using namespace agt::rt;
using agt::rt::test::PostgresServer;
using agt::rt::test::TempDir;

namespace {

Event event(EventKind kind, const std::string &path,
            const std::string &result = "") {
  Event made;
  made.kind = kind;
  made.path = path;
  made.result = result;
  return made;
}

Write write(const std::string &run, int64_t epoch, std::vector<Event> events) {
  Write made;
  made.run = run;
  made.epoch = epoch;
  made.events = std::move(events);
  return made;
}

class StepLogTest : public testing::TestWithParam<const char *> {
protected:
  StepLogTest() {
    if (kind() == "postgres")
      PostgresServer::get().fresh();
    log = open();
  }
  std::string kind() { return GetParam(); }
  std::unique_ptr<StepLog> open(int64_t leaseNs = defaultLeaseNs) {
    if (kind() == "postgres")
      return openPostgresLog({PostgresServer::get().url(), leaseNs});
    return openSqliteLog(
        {kind() == "memory" ? "" : dir.path("log.db"), "", true, leaseNs});
  }
  Written commit(Write made) { return log->commit({&made}).front(); }
  Claim start(const std::string &id) {
    RunRow run;
    run.id = id;
    run.agent = "a";
    run.program = "p";
    run.args = "{\"x\":1}";
    EXPECT_TRUE(log->create(run));
    return log->claim(id, thisProcess(), 0);
  }

  TempDir dir;
  std::unique_ptr<StepLog> log;
};

// A process of this machine that is not there any more.
std::string deadOwner(int number) {
  return thisMachine() + ":999999999:" + std::to_string(number);
}

TEST_P(StepLogTest, KeepsWhatWasWritten) {
  EXPECT_EQ(start("r").result, Claim::Claimed);
  Event all = event(EventKind::Result, "a/b[x]", "{\"n\":1}");
  all.attempt = 3;
  all.token = "t";
  all.hash = "h";
  all.args = "[1]";
  all.error = "e";
  all.info = "{}";
  all.tokensIn = 5;
  all.tokensOut = 0;
  EXPECT_EQ(commit(write("r", 1, {all})), Written::Yes);
  std::vector<Event> events = log->events("r", 0);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, EventKind::RunStarted);
  EXPECT_EQ(events[0].args, "{\"x\":1}");
  EXPECT_EQ(events[1].kind, EventKind::Claimed);
  const Event &back = events[2];
  EXPECT_EQ(back.path, "a/b[x]");
  EXPECT_EQ(back.attempt, 3);
  EXPECT_EQ(back.epoch, 1);
  EXPECT_EQ(back.token, "t");
  EXPECT_EQ(back.hash, "h");
  EXPECT_EQ(back.args, "[1]");
  EXPECT_EQ(back.result, "{\"n\":1}");
  EXPECT_EQ(back.error, "e");
  EXPECT_EQ(back.info, "{}");
  EXPECT_EQ(back.tokensIn, 5);
  EXPECT_EQ(back.tokensOut, 0);
  EXPECT_GT(back.timeMs, 0);
  EXPECT_EQ(log->events("r", events[1].seq).size(), 1u);
}

TEST_P(StepLogTest, RefusesAnOldEpochAndNothingElse) {
  start("r");
  start("s");
  ASSERT_EQ(log->claim("r", thisProcess(), 0).run.epoch, 2);
  Write stale = write("r", 1, {event(EventKind::Result, "x")});
  Write good = write("s", 1, {event(EventKind::Result, "x")});
  Write unknown = write("t", 1, {event(EventKind::Result, "x")});
  std::vector<Written> outcomes = log->commit({&stale, &good, &unknown});
  EXPECT_EQ(outcomes[0], Written::Stale);
  EXPECT_EQ(outcomes[1], Written::Yes);
  EXPECT_EQ(outcomes[2], Written::NoRun);
  EXPECT_EQ(log->events("r", 0).size(), 3u); // started, claimed twice
  EXPECT_EQ(log->events("s", 0).size(), 3u);
}

TEST_P(StepLogTest, GivesARunToOneOwner) {
  start("r");
  Claim again = log->claim("r", "other", 0);
  EXPECT_EQ(again.result, Claim::Busy);
  EXPECT_EQ(again.run.owner, thisProcess());
  Write release = write("r", 1, {event(EventKind::Released, "")});
  release.change = RunChange{RunStatus::Waiting, true, "", "", ""};
  EXPECT_EQ(commit(release), Written::Yes);
  EXPECT_EQ(log->claim("r", deadOwner(1), 0).result, Claim::Claimed);
  EXPECT_EQ(log->claim("r", thisProcess(), 0).result, Claim::Claimed);
  EXPECT_EQ(log->run("r")->epoch, 3);
  EXPECT_EQ(log->claim("none", thisProcess(), 0).result, Claim::NoRun);
}

TEST_P(StepLogTest, ParksARunThatKillsItsOwners) {
  RunRow run;
  run.id = "r";
  log->create(run);
  EXPECT_EQ(log->claim("r", deadOwner(0), 3).result, Claim::Claimed);
  EXPECT_EQ(log->claim("r", deadOwner(1), 3).result, Claim::Claimed);
  EXPECT_EQ(log->claim("r", deadOwner(2), 3).result, Claim::Claimed);
  EXPECT_EQ(log->claim("r", deadOwner(3), 3).result, Claim::Exhausted);
  EXPECT_EQ(log->run("r")->status, RunStatus::Parked);
}

TEST_P(StepLogTest, EndsARunOnce) {
  start("r");
  Write done = write("r", 1, {event(EventKind::RunDone, "", "42")});
  done.change = RunChange{RunStatus::Done, true, "", "", ""};
  EXPECT_EQ(commit(done), Written::Yes);
  EXPECT_EQ(log->run("r")->status, RunStatus::Done);
  EXPECT_EQ(log->run("r")->result, "42");
  EXPECT_EQ(log->claim("r", thisProcess(), 0).result, Claim::Terminal);
}

TEST_P(StepLogTest, AnApprovalIsGivenOnce) {
  start("r");
  commit(write("r", 1, {event(EventKind::ApprovalAsked, "ok")}));
  int64_t seen = log->events("r", 0).back().seq;
  Write answer = write("r", 0, {event(EventKind::Approval, "ok", "true")});
  answer.expected = Expectation{"ok", seen};
  EXPECT_EQ(commit(answer), Written::Yes);
  EXPECT_EQ(commit(answer), Written::Stale);
  EXPECT_EQ(log->events("r", 0).back().result, "true");
}

TEST_P(StepLogTest, KeepsLargeAndStrangeTextsExactly) {
  start("r");
  std::string strange("\"nul \\u0000, four bytes \xf0\x9f\x8e\x89, "
                      "9223372036854775807\"");
  std::string raw("a\0b", 3);
  std::string large = "\"" + std::string(64 << 20, 'x') + "\"";
  Event first = event(EventKind::Result, "strange", strange);
  first.error = raw;
  EXPECT_EQ(commit(write("r", 1, {first})), Written::Yes);
  EXPECT_EQ(commit(write("r", 1, {event(EventKind::Result, "large", large)})),
            Written::Yes);
  std::vector<Event> events = log->events("r", 0);
  EXPECT_EQ(events[2].result, strange);
  EXPECT_EQ(events[2].error, raw);
  EXPECT_TRUE(events[3].result == large);
}

TEST_P(StepLogTest, BlobsGoWithTheLastRunThatHasThem) {
  start("r");
  start("s");
  for (const char *run : {"r", "s"}) {
    Write made = write(run, 1, {});
    made.blobs.push_back({"id", "content"});
    EXPECT_EQ(commit(made), Written::Yes);
  }
  log->remove("r");
  EXPECT_FALSE(log->run("r"));
  EXPECT_TRUE(log->events("r", 0).empty());
  EXPECT_EQ(log->blob("id"), "content");
  log->remove("s");
  EXPECT_FALSE(log->blob("id"));
}

TEST_P(StepLogTest, TheVersionChangesWithEachWrite) {
  start("r");
  int64_t before = log->version();
  EXPECT_EQ(log->version(), before);
  commit(write("r", 1, {event(EventKind::Result, "x")}));
  EXPECT_NE(log->version(), before);
}

TEST_P(StepLogTest, WritesOfManyThreadsShareCommits) {
  constexpr int threads = 16, each = 25;
  for (int t = 0; t < threads; ++t)
    start("r" + std::to_string(t));
  int64_t commits;
  {
    Writer writer(*log);
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (int i = 0; i < each; ++i)
          writer.write(write("r" + std::to_string(t), 1,
                             {event(EventKind::Result, std::to_string(i))}));
      });
    for (std::thread &thread : all)
      thread.join();
    commits = writer.commits();
  }
  EXPECT_LT(commits, threads * each);
  for (int t = 0; t < threads; ++t) {
    std::vector<Event> events = log->events("r" + std::to_string(t), 0);
    ASSERT_EQ(events.size(), size_t(each + 2));
    for (int i = 0; i < each; ++i)
      EXPECT_EQ(events[size_t(i) + 2].path, std::to_string(i));
  }
}

TEST_P(StepLogTest, AfterALostWriteNothingOfTheRunFollows) {
  start("r");
  log->claim("r", thisProcess(), 0); // epoch 2
  Writer writer(*log);
  std::atomic<bool> refused{false};
  writer.queue(write("r", 1, {event(EventKind::Result, "x")}),
               [&](const Failure &) { refused = true; });
  try {
    writer.write(write("r", 1, {event(EventKind::Result, "y")}));
    FAIL() << "a write behind a lost one";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.message, "the run 'r' was taken over by another process; "
                               "this one lets go of it");
  }
  EXPECT_TRUE(refused);
  EXPECT_EQ(log->events("r", 0).size(), 3u);
}

// An owner on another machine is alive until its lease is over, and longer when
// it renews it. (SQLite files are not shared by machines: there it is another
// container's process.)
TEST_P(StepLogTest, AForeignOwnerHoldsARunForItsLease) {
  if (kind() == "memory")
    return; // of this process alone
  log = open(2'400'000'000);
  start("r");
  std::string boot = thisMachine().substr(0, thisMachine().find('.'));
  std::string foreign = boot + ".1:17:4";
  Write release = write("r", 1, {event(EventKind::Released, "")});
  release.change = RunChange{RunStatus::Waiting, true, "", "", ""};
  commit(release);
  ASSERT_EQ(log->claim("r", foreign, 0).result, Claim::Claimed);
  Claim busy = log->claim("r", thisProcess(), 0);
  EXPECT_EQ(busy.result, Claim::Busy);
  EXPECT_EQ(ownerText(busy.run.owner), "process 17 on another machine");
  std::this_thread::sleep_for(std::chrono::milliseconds(1600));
  Write renewal = write("r", 2, {});
  renewal.renew = true;
  EXPECT_EQ(commit(renewal), Written::Yes);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_TRUE(log->run("r")->owned);
  EXPECT_EQ(log->claim("r", thisProcess(), 0).result, Claim::Busy);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_FALSE(log->run("r")->owned);
  EXPECT_EQ(log->claim("r", thisProcess(), 0).result, Claim::Claimed);
  EXPECT_EQ(commit(renewal), Written::Stale);
}

LimitedCall limited(const std::string &name, int64_t calls, int64_t concurrent,
                    const std::string &owner = thisProcess()) {
  LimitedCall call;
  call.tool = "t";
  call.call = name;
  call.owner = owner;
  call.calls = calls;
  call.perNs = 1'500'000'000;
  call.concurrent = concurrent;
  call.timeoutNs = 1'000'000'000;
  return call;
}

TEST_P(StepLogTest, CountsStartsInAnyStretchOfTime) {
  EXPECT_EQ(log->acquire(limited("a", 2, 0)), 0);
  EXPECT_EQ(log->acquire(limited("b", 2, 0)), 0);
  int64_t wait = log->acquire(limited("c", 2, 0));
  EXPECT_GT(wait, 0);
  EXPECT_LE(wait, 1'500'000'000);
  std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
  EXPECT_EQ(log->acquire(limited("c", 2, 0)), 0);
  LimitedCall other = limited("d", 2, 0);
  other.tool = "another";
  EXPECT_EQ(log->acquire(other), 0);
}

// A slot is free again when its call ends, when its process does, and on
// another machine when the call's time is over.
TEST_P(StepLogTest, CountsCallsThatRun) {
  EXPECT_EQ(log->acquire(limited("a", 0, 1)), 0);
  EXPECT_GT(log->acquire(limited("b", 0, 1)), 0);
  log->release(limited("a", 0, 1));
  EXPECT_EQ(log->acquire(limited("b", 0, 1, deadOwner(1))), 0);
  std::string boot = thisMachine().substr(0, thisMachine().find('.'));
  EXPECT_EQ(log->acquire(limited("c", 0, 1, boot + ".1:17:4")), 0);
  EXPECT_GT(log->acquire(limited("d", 0, 1)), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  EXPECT_EQ(log->acquire(limited("d", 0, 1)), 0);
}

// ---- the queue -------------------------------------------------------------

ClaimRequest request(const std::string &owner) {
  return {owner, {{"a", 0}, {"strict", 2}}};
}
std::vector<std::string> idsOf(const std::vector<RunRow> &runs) {
  std::vector<std::string> ids;
  for (const RunRow &run : runs)
    ids.push_back(run.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}
using Ids = std::vector<std::string>;

TEST_P(StepLogTest, ClaimsWhatIsReadyOnce) {
  for (const char *id : {"q1", "q2", "q3"}) {
    RunRow run;
    run.id = id;
    run.agent = "a";
    log->create(run);
  }
  RunRow other;
  other.id = "other";
  other.agent = "A"; // not `a`, whatever LIKE says
  log->create(other);
  start("mine"); // somebody works on it
  std::vector<RunRow> first = log->claimReady(request(thisProcess()), 2);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].epoch, 1);
  EXPECT_EQ(first[0].status, RunStatus::Running);
  std::vector<RunRow> second = log->claimReady(request(thisProcess()), 9);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_TRUE(log->claimReady(request(thisProcess()), 9).empty());
  first.push_back(second[0]);
  EXPECT_EQ(idsOf(first), (Ids{"q1", "q2", "q3"}));
}

// One that `start` has made and is about to claim is nobody else's, unless
// `start` died of it.
TEST_P(StepLogTest, ARunThatIsBeingStartedIsNotInTheQueue) {
  RunRow run;
  run.id = "r";
  run.agent = "a";
  run.owner = thisProcess();
  log->create(run);
  run.id = "s";
  run.owner = deadOwner(1);
  log->create(run);
  EXPECT_EQ(idsOf(log->claimReady(request(thisProcess()), 9)), (Ids{"s"}));
  EXPECT_EQ(log->claim("r", thisProcess(), 0).result, Claim::Claimed);
}

TEST_P(StepLogTest, ClaimsWhatNobodyAliveOwns) {
  log = nullptr;
  log = open(200'000'000);
  start("alive");
  RunRow run;
  run.id = "dead";
  run.agent = "a";
  log->create(run);
  ASSERT_EQ(log->claim("dead", deadOwner(1), 0).result, Claim::Claimed);
  EXPECT_EQ(idsOf(log->claimReady(request(thisProcess()), 9)), (Ids{"dead"}));
  // A process that lives and does not renew has lost its runs.
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  std::vector<RunRow> late = log->claimReady(request(deadOwner(2)), 9);
  EXPECT_NE(std::find_if(late.begin(), late.end(),
                         [](const RunRow &run) { return run.id == "alive"; }),
            late.end());
  EXPECT_EQ(commit(write("alive", 1, {event(EventKind::Result, "x")})),
            Written::Stale);
}

TEST_P(StepLogTest, WhatWaitsIsReadyInTimeOrWhenSomethingComes) {
  auto rest = [&](const std::string &id, RunStatus status, int64_t inNs) {
    Claim claim = start(id);
    Write made = write(id, claim.run.epoch, {});
    made.change =
        RunChange{status, true,
                  inNs < 0 ? "" : Instant::now().after(inNs).text(), "", ""};
    EXPECT_EQ(commit(made), Written::Yes);
  };
  rest("soon", RunStatus::Waiting, 150'000'000);
  rest("late", RunStatus::Waiting, 3'600'000'000'000);
  rest("parked", RunStatus::Parked, -1);
  rest("stopped", RunStatus::Waiting, -1);
  EXPECT_TRUE(log->claimReady(request(thisProcess()), 9).empty());
  EXPECT_EQ(commit(write("late", 0, {event(EventKind::Signal, "")})),
            Written::Yes);
  EXPECT_EQ(idsOf(log->claimReady(request(thisProcess()), 9)), (Ids{"late"}));
  EXPECT_EQ(commit(write("parked", 0, {event(EventKind::Decision, "x")})),
            Written::Yes);
  std::this_thread::sleep_for(std::chrono::milliseconds(160));
  EXPECT_EQ(idsOf(log->claimReady(request(thisProcess()), 9)),
            (Ids{"parked", "soon"}));
}

TEST_P(StepLogTest, ParksWhatEndedItsWorkers) {
  RunRow run;
  run.id = "r";
  run.agent = "strict";
  log->create(run);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(log->claimReady(request(deadOwner(i)), 1).size(), 1u);
  EXPECT_TRUE(log->claimReady(request(deadOwner(3)), 1).empty());
  EXPECT_EQ(log->run("r")->status, RunStatus::Parked);
  EXPECT_TRUE(log->claimReady(request(deadOwner(4)), 1).empty());
}

// Several workers on one database at once: no run is claimed twice.
TEST_P(StepLogTest, ManyClaimAtOnce) {
  if (kind() == "memory")
    return;
  constexpr int n = 120;
  for (int i = 0; i < n; ++i) {
    RunRow run;
    run.id = "r" + std::to_string(i);
    run.agent = "a";
    log->create(run);
  }
  std::mutex mutex;
  std::multiset<std::string> claimed;
  auto serve = [&] {
    auto mine = open();
    for (int idle = 0; idle < 20;) {
      std::vector<RunRow> runs = mine->claimReady(request(thisProcess()), 7);
      idle = runs.empty() ? idle + 1 : 0;
      std::lock_guard<std::mutex> held(mutex);
      for (const RunRow &run : runs)
        claimed.insert(run.id);
    }
  };
  std::thread a(serve), b(serve), c(serve);
  a.join();
  b.join();
  c.join();
  EXPECT_EQ(claimed.size(), size_t(n));
  EXPECT_EQ(std::set<std::string>(claimed.begin(), claimed.end()).size(),
            size_t(n));
}

TEST_P(StepLogTest, NewsEndTheWait) {
  if (kind() == "memory")
    return;
  auto worker = open();
  while (worker->awaitNews(50'000'000))
    ;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    RunRow run;
    run.id = "r";
    run.agent = "a";
    log->create(run);
  });
  auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(worker->awaitNews(20'000'000'000));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  other.join();
}

// Two connections to one database, as two processes have: each write is seen by
// the other, none is lost, and nobody is told that the database is locked.
TEST_P(StepLogTest, TwoConnections) {
  if (kind() == "memory")
    return; // each is a database of its own
  auto one = open(), two = open();
  RunRow run;
  run.id = "r";
  ASSERT_TRUE(one->create(run));
  EXPECT_FALSE(two->create(run));
  ASSERT_EQ(two->claim("r", thisProcess(), 0).result, Claim::Claimed);
  auto work = [](StepLog &log, const std::string &name) {
    for (int i = 0; i < 300; ++i) {
      Write made =
          write("r", 1, {event(EventKind::Result, name + std::to_string(i))});
      ASSERT_EQ(log.commit({&made}).front(), Written::Yes);
    }
  };
  std::thread a([&] { work(*one, "a"); }), b([&] { work(*two, "b"); });
  a.join();
  b.join();
  EXPECT_EQ(one->events("r", 0).size(), 602u);
  EXPECT_EQ(two->events("r", 0).size(), 602u);
}

TEST_P(StepLogTest, ListsRunsPageByPage) {
  for (const char *id : {"a", "b", "c", "d", "e"})
    start(id);
  Write done = write("c", 1, {event(EventKind::RunDone, "", "1")});
  done.change = RunChange{RunStatus::Done, true, "", "", "1"};
  ASSERT_EQ(commit(done), Written::Yes);
  RunQuery query;
  query.most = 2;
  std::string ids;
  for (std::vector<RunSummary> page; !(page = log->page(query)).empty();) {
    ids += ids.empty() ? "" : " ";
    for (const RunSummary &row : page)
      ids += row.run.id;
    query.beforeMs = page.back().run.createdMs;
    query.beforeId = page.back().run.id;
  }
  EXPECT_EQ(ids, "ed cb a");
  RunQuery ended;
  ended.status = RunStatus::Done;
  ASSERT_EQ(log->page(ended).size(), 1u);
  EXPECT_EQ(log->page(ended)[0].run.id, "c");
  RunQuery other;
  other.agent = "b";
  EXPECT_TRUE(log->page(other).empty());
  EXPECT_TRUE(log->page({})[0].run.owned);
}

TEST_P(StepLogTest, SaysWhatARunWaitsFor) {
  start("r");
  Event asked = event(EventKind::ApprovalAsked, "go");
  asked.args = "{\"text\":\"?\"}";
  Event receive = event(EventKind::Intent, "word");
  receive.info = "{\"wait\":\"receive\"}";
  Event answer = event(EventKind::Result, "ask", "1");
  answer.tokensIn = 7;
  answer.tokensOut = 2;
  Event turn = event(EventKind::Result, "ask/turn#0", "1");
  turn.tokensIn = 5;
  turn.info = "{\"model\":\"m\",\"part\":true}";
  answer.token = turn.token = "t";
  // A child counts what its calls have had.
  Event child = event(EventKind::Result, "child", "1");
  child.tokensIn = 9;
  Write waits = write("r", 1, {turn, answer, child, asked, receive});
  waits.change = RunChange{RunStatus::Waiting, true, "", "", ""};
  ASSERT_EQ(commit(waits), Written::Yes);
  RunSummary row = log->page({}).at(0);
  EXPECT_EQ(row.steps, 5);
  EXPECT_EQ(row.tokensIn, 7); // the turn's are the ask's
  EXPECT_EQ(row.tokensOut, 2);
  ASSERT_EQ(row.open.size(), 2u);
  EXPECT_EQ(row.open[0].path, "go");
  EXPECT_EQ(row.open[0].args, asked.args);
  EXPECT_EQ(row.open[1].path, "word");
  EXPECT_EQ(row.open[1].info, receive.info);
}

TEST_P(StepLogTest, CountsRunsAndEvents) {
  start("mine");
  RunRow queued, dead;
  queued.id = "queued";
  queued.agent = "b";
  dead.id = "dead";
  dead.agent = "a";
  ASSERT_TRUE(log->create(queued));
  ASSERT_TRUE(log->create(dead));
  ASSERT_EQ(log->claim("dead", deadOwner(1), 0).result, Claim::Claimed);
  std::string counts;
  for (const RunCount &count : log->countRuns())
    counts += count.agent + " " + count.status + " " +
              std::to_string(count.runs) + ", ";
  EXPECT_EQ(counts, "a interrupted 1, a running 1, b queued 1, ");
  EXPECT_EQ(log->countQueue().runs, 1);
  EXPECT_GT(log->countQueue().oldestMs, 0);

  int64_t before = log->events("dead", 0).back().seq;
  EXPECT_EQ(log->seqBefore(INT64_MAX, 0), before);
  EXPECT_EQ(log->seqBefore(0, 2), 2);
  Event again = event(EventKind::Failure, "x"), last = again;
  again.token = last.token = "t";
  last.info = "{\"final\":true}";
  last.args = R"({"llm":"\u00e9","user":"x"})";
  last.tokensIn = 3;
  ASSERT_EQ(commit(write("mine", 1, {again, again, last})), Written::Yes);
  std::vector<EventBrief> all = log->briefs(before, INT64_MAX, 10);
  ASSERT_EQ(all.size(), 3u);
  for (const EventBrief &brief : all) {
    EXPECT_EQ(brief.run + " " + brief.agent + " " + brief.path, "mine a x");
    EXPECT_EQ(brief.kind, EventKind::Failure);
    EXPECT_TRUE(brief.call);
    EXPECT_FALSE(brief.hasResult);
  }
  EXPECT_EQ(all[0].tokensIn, -1);
  EXPECT_EQ(all[0].about, "");
  EXPECT_EQ(all[2].tokensIn, 3);
  EXPECT_EQ(all[2].info, last.info);
  EXPECT_EQ(all[2].about, "{\"llm\":\"");
  EXPECT_TRUE(log->briefs(before, before, 10).empty());
  // A page at a time.
  std::vector<EventBrief> page = log->briefs(before, INT64_MAX, 2);
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[1].seq, all[1].seq);
  EXPECT_EQ(log->briefs(page[1].seq, INT64_MAX, 2)[0].seq, all[2].seq);
}

INSTANTIATE_TEST_SUITE_P(All, StepLogTest,
                         testing::Values("file", "memory", "postgres"),
                         [](const auto &info) { return info.param; });

TEST(SqliteLog, SaysWhatItCannotOpen) {
  TempDir dir;
  dir.write("text.db", std::string(5000, 'x'));
  auto message = [](const std::string &url) {
    try {
      openStepLog(url);
    } catch (const Failure &failure) {
      return std::to_string(failure.code) + " " + failure.message;
    }
    return std::string();
  };
  std::string text = dir.path("text.db"), none = dir.path("no/log.db");
  EXPECT_EQ(message("sqlite:" + text),
            "5 cannot use the step log '" + text + "': file is not a database");
  EXPECT_EQ(message("sqlite:" + none), "5 cannot open the lock '" + none +
                                           ".lock' of the step log: No such "
                                           "file or directory");
  EXPECT_EQ(message("mysql://x"), "2 expected a database as sqlite:FILE or "
                                  "postgres://USER@HOST/NAME, got 'mysql://x'");
}

} // namespace
