// What only a step log on a server can meet: the server is not there, will not
// have us, goes away and comes back.
#include "runtime/Log/Postgres.h"
#include "runtime/Log/PostgresLog.h"
#include "runtime/Log/Writer.h"
#include "runtime/Support/Failure.h"
#include "unittests/Agent/PostgresServer.h"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <thread>

using namespace agt::rt;
using agt::rt::test::PostgresServer;

namespace {

class PostgresTest : public testing::Test {
protected:
  PostgresTest() { server.fresh(); }

  // The exit code and the message; the server's socket is named SOCKET.
  std::string refusal(const std::string &url, int64_t waitNs = 0) {
    try {
      openPostgresLog({url, defaultLeaseNs, waitNs});
    } catch (const Failure &failure) {
      return std::to_string(failure.code) + " " +
             std::regex_replace(failure.message, std::regex("/tmp[^\"]*"),
                                "SOCKET");
    }
    return "";
  }

  static Write result(const std::string &run, const std::string &path) {
    Write made;
    made.run = run;
    made.epoch = 1;
    made.events.emplace_back();
    made.events[0].path = path;
    return made;
  }

  static void claimed(StepLog &log, const std::string &id) {
    RunRow run;
    run.id = id;
    ASSERT_TRUE(log.create(run));
    ASSERT_EQ(log.claim(id, thisProcess(), 0).result, Claim::Claimed);
  }

  PostgresServer &server = PostgresServer::get();
};

TEST_F(PostgresTest, SaysWhyItCannotBeOpened) {
  std::string socket =
      "5 cannot open the step log on PostgreSQL: connection to server on "
      "socket \"SOCKET\" failed: ";
  EXPECT_EQ(refusal("postgres://me:word@127.0.0.1:1/x"),
            "5 cannot open the step log on PostgreSQL: connection to server "
            "at \"127.0.0.1\", port 1 failed: Connection refused Is the server "
            "running on that host and accepting TCP/IP connections?");
  EXPECT_EQ(refusal(server.url("agt", "nowhere")),
            socket + "FATAL: database \"nowhere\" does not exist");
  EXPECT_EQ(refusal(server.url("locked:word")),
            socket + "FATAL: password authentication failed for user "
                     "\"locked\"");
  EXPECT_EQ(refusal(server.url("locked")),
            socket + "fe_sendauth: no password supplied");
  EXPECT_EQ(refusal(server.url("locked:sesame")), "");
  EXPECT_EQ(refusal("postgres://me:w%zzrd@host/x"),
            "2 cannot read the URL of the database: invalid percent-encoded "
            "token: \"***\"");
  EXPECT_EQ(refusal("postgres://host/x?colour=red"),
            "2 cannot read the URL of the database: invalid URI query "
            "parameter: \"colour\"");
}

TEST_F(PostgresTest, WaitsForSeconds) {
  setenv("AGT_DB_WAIT", "5 s", 1);
  try {
    openStepLog(server.url());
    FAIL() << "'5 s' are seconds";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.message,
              "expected AGT_DB_WAIT as seconds, 0 to 99999, got '5 s'");
  }
  setenv("AGT_DB_WAIT", "5", 1);
  EXPECT_TRUE(openStepLog(server.url()));
  unsetenv("AGT_DB_WAIT");
}

TEST_F(PostgresTest, KnowsWhatItCannotUse) {
  Postgres connection(server.url());
  connection.connect();
  connection.execute("CREATE DATABASE narrow ENCODING 'LATIN1' TEMPLATE "
                     "template0");
  EXPECT_EQ(refusal(server.url("agt", "narrow")),
            "5 the step log needs a database in UTF8, this one is in LATIN1");
  connection.execute("CREATE ROLE guest LOGIN");
  EXPECT_EQ(refusal(server.url("guest")),
            "5 cannot use the step log on PostgreSQL: permission denied for "
            "database postgres");
  EXPECT_EQ(refusal(server.url()), "");
  EXPECT_EQ(refusal(server.url("guest")),
            "5 cannot use the step log on PostgreSQL: permission denied for "
            "schema agt");
  connection.execute("UPDATE agt.schema_version SET version = 99");
  EXPECT_EQ(refusal(server.url()), "5 the step log is of version 99, this "
                                   "program knows versions up to 3");
  connection.execute("DROP DATABASE narrow");
  connection.execute("DROP ROLE guest");
}

TEST_F(PostgresTest, BringsAnOlderLogUpToItsVersion) {
  auto log = openPostgresLog({server.url()});
  claimed(*log, "r");
  Postgres connection(server.url());
  connection.connect();
  connection.execute("DROP INDEX runs_of_status;"
                     "DROP TABLE limit_calls;"
                     "ALTER TABLE runs DROP COLUMN lease;"
                     "UPDATE schema_version SET version = 1");
  // Many programs at once, as after an update.
  std::vector<std::thread> all;
  std::atomic<int> seen{0};
  for (int i = 0; i < 6; ++i)
    all.emplace_back(
        [&] { seen += openPostgresLog({server.url()})->run("r").has_value(); });
  for (std::thread &thread : all)
    thread.join();
  EXPECT_EQ(seen, 6);
}

TEST_F(PostgresTest, IsMadeByManyAtOnce) {
  std::vector<std::thread> all;
  std::atomic<int> opened{0};
  for (int i = 0; i < 8; ++i)
    all.emplace_back([&] { opened += refusal(server.url()).empty(); });
  for (std::thread &thread : all)
    thread.join();
  EXPECT_EQ(opened, 8);
}

// Commits are durable whatever the server's default is.
TEST_F(PostgresTest, CommitsAreSynchronous) {
  Postgres connection(server.url());
  connection.connect();
  connection.execute("ALTER ROLE locked SET synchronous_commit = off");
  Postgres other(server.url("locked:sesame"));
  other.connect();
  static const char *const asked =
      "SELECT current_setting('synchronous_commit')";
  auto row = other.prepare(asked);
  ASSERT_TRUE(row->step());
  EXPECT_EQ(row->text(0), "on");
  connection.execute("ALTER ROLE locked RESET synchronous_commit");
}

// Writers of four runs, whom `disturb` disturbs: they notice nothing, and every
// event is there once, in order.
class DisturbedTest : public PostgresTest {
protected:
  void writeThrough(const std::function<void()> &disturb) {
    auto log = openPostgresLog({server.url()});
    constexpr int writers = 4;
    for (int w = 0; w < writers; ++w)
      claimed(*log, "r" + std::to_string(w));
    std::atomic<bool> ending{false};
    std::vector<int> written(writers);
    {
      Writer writer(*log);
      std::vector<std::thread> all;
      for (int w = 0; w < writers; ++w)
        all.emplace_back([&, w] {
          while (!ending)
            writer.write(
                result("r" + std::to_string(w), std::to_string(written[w]++)));
        });
      disturb();
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      ending = true;
      for (std::thread &thread : all)
        thread.join();
    }
    for (int w = 0; w < writers; ++w) {
      std::vector<Event> events = log->events("r" + std::to_string(w), 0);
      ASSERT_EQ(events.size(), size_t(written[w]) + 2);
      for (int i = 0; i < written[w]; ++i)
        EXPECT_EQ(events[size_t(i) + 2].path, std::to_string(i));
    }
  }
};

TEST_F(DisturbedTest, OutlivesTheServer) {
  writeThrough([&] {
    for (int crash = 0; crash < 4; ++crash) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      crash % 2 ? server.stop() : server.kill();
      server.start();
    }
  });
}

// Sessions are ended at any point of a transaction, its COMMIT included.
TEST_F(DisturbedTest, OutlivesItsSessions) {
  Postgres other(server.url());
  other.connect();
  int ended = 0;
  writeThrough([&] {
    for (int i = 0; i < 60; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(3000 + 171 * i));
      auto row = other.prepare(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
          " WHERE application_name = 'agt' AND pid <> pg_backend_pid()");
      row->step();
      ended += int(row->number(0));
    }
  });
  EXPECT_GT(ended, 2);
}

TEST_F(PostgresTest, SaysThatTheServerIsGone) {
  auto log = openPostgresLog({server.url(), defaultLeaseNs, 1'000'000'000});
  claimed(*log, "r");
  server.stop();
  Writer writer(*log);
  try {
    writer.write(result("r", "x"));
    FAIL() << "written to a server that is not there";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_MISSING);
    EXPECT_EQ(
        std::regex_replace(failure.message, std::regex("/tmp[^\"]*"), "SOCKET"),
        "the connection to the step log on PostgreSQL is lost, and could not "
        "be made again for 1 s: connection to server on socket \"SOCKET\" "
        "failed: No such file or directory Is the server running locally and "
        "accepting connections on that socket?");
  }
  // What is queued behind it, and nobody waits for, fails in the same way.
  std::atomic<int> code{0};
  {
    Writer ending(*log);
    ending.queue(result("r", "y"),
                 [&](const Failure &failure) { code = failure.code; });
  }
  EXPECT_EQ(code, AGT_MISSING);
  server.start();
  EXPECT_EQ(log->events("r", 0).size(), 2u);
}

// Two groups that write the same runs in different orders, and the same blobs.
TEST_F(PostgresTest, GroupsThatCrossDoNotBlockEachOther) {
  auto one = openPostgresLog({server.url()});
  auto two = openPostgresLog({server.url()});
  for (int r = 0; r < 8; ++r)
    claimed(*one, "r" + std::to_string(r));
  auto work = [](StepLog &log, bool backwards) {
    for (int i = 0; i < 40; ++i) {
      std::vector<Write> writes;
      std::vector<Write *> group;
      for (int r = 0; r < 8; ++r) {
        int n = backwards ? 7 - r : r;
        Write made = result("r" + std::to_string(n), "x");
        std::string name = std::to_string(i) + "." + std::to_string(n);
        made.blobs.push_back({name, "content"});
        writes.push_back(made);
      }
      for (Write &write : writes)
        group.push_back(&write);
      for (Written outcome : log.commit(group))
        ASSERT_EQ(outcome, Written::Yes);
    }
  };
  std::thread a([&] { work(*one, false); }), b([&] { work(*two, true); });
  a.join();
  b.join();
  EXPECT_EQ(one->events("r3", 0).size(), 82u);
}

TEST(Postgres, KeepsPasswordsToItself) {
  EXPECT_EQ(withoutPassword("no a:b@c in 'x'", "postgres://a:b@c/x"),
            "no a:***@c in 'x'");
  EXPECT_EQ(withoutPassword("key=w", "postgres://c/x?password=w&a=b"),
            "key=***");
  EXPECT_EQ(withoutPassword("c:5432", "postgres://c:5432/x"), "c:5432");
}

} // namespace
