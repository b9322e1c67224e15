// Child processes: what they leave behind, how long they take, what they say,
// and what they cannot reach from inside a sandbox.
#include "runtime/Agent/Secrets.h"
#include "runtime/Tool/Process.h"
#include "unittests/Agent/EngineFixture.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sys/wait.h>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

using Clock = std::chrono::steady_clock;

ProcessResult runShell(const std::string &script, int64_t timeoutMs = 20000,
                       const std::string &input = "") {
  ProcessSpec spec;
  spec.argv = {"sh", "-c", script};
  spec.environment = {"PATH=" + std::string(getenv("PATH"))};
  spec.input = input;
  spec.timeoutNs = timeoutMs * 1000000;
  return runProcess(spec);
}

bool anybodyRuns(const std::string &mark) {
  return runShell("grep -qs -- " + mark + " /proc/[0-9]*/environ").code == 0;
}

TEST(Process, TellsHowItEnded) {
  EXPECT_EQ(runShell("exit 3").code, 3);
  ProcessResult killed = runShell("kill -9 $$");
  EXPECT_EQ(killed.kind, ProcessResult::Signalled);
  EXPECT_EQ(killed.code, 9);
  ProcessSpec spec;
  spec.argv = {"/nowhere/at/all"};
  spec.timeoutNs = 1000000000;
  ProcessResult none = runProcess(spec);
  EXPECT_EQ(none.kind, ProcessResult::NotStarted);
  EXPECT_EQ(none.code, ENOENT);
}

TEST(Process, FeedsAndDrains) {
  std::string input(3 << 20, 'x');
  ProcessResult result = runShell("cat", 20000, input);
  EXPECT_TRUE(result.out == input);
  EXPECT_EQ(runShell("exit 0", 20000, input).code, 0); // does not read
  result = runShell("head -c 10485760 /dev/zero & head -c 10485760 /dev/zero "
                    ">&2; wait");
  EXPECT_EQ(result.outBytes, 10485760u);
  EXPECT_EQ(result.errBytes, 10485760u);
  EXPECT_EQ(result.out.size(), 8u << 20);
}

TEST(Process, AGrandchildThatHoldsThePipeDoesNotHoldUs) {
  auto begin = Clock::now();
  ProcessResult result = runShell("sleep 30 & echo done");
  EXPECT_EQ(result.out, "done\n");
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(3));
}

TEST(Process, NothingSurvivesItsLimit) {
  std::string mark = "MARK=limit" + std::to_string(getpid());
  auto begin = Clock::now();
  // A daemon in a session of its own, one that ignores TERM, and itself.
  ProcessResult result = runShell("export " + mark +
                                      "; setsid sh -c 'sleep 60 & sleep 60' &"
                                      " (trap '' TERM; sleep 60; sleep 60) & "
                                      "trap '' TERM; sleep 60; sleep 60",
                                  1000);
  EXPECT_EQ(result.kind, ProcessResult::TimedOut);
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(2000));
  EXPECT_FALSE(anybodyRuns(mark));
}

// kill -9 of the program: its tools are gone, daemons too.
TEST(Process, NothingSurvivesItsRuntime) {
  std::string mark = "MARK=runtime" + std::to_string(getpid());
  TempDir dir;
  std::string started = dir.path("started");
  pid_t child = fork();
  if (child == 0) {
    runShell("export " + mark + "; setsid sleep 60 & : > " + started +
             "; sleep 60");
    _exit(0);
  }
  while (access(started.c_str(), F_OK) != 0)
    usleep(10000);
  EXPECT_TRUE(anybodyRuns(mark));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (int i = 0; i < 200 && anybodyRuns(mark); ++i)
    usleep(10000);
  EXPECT_FALSE(anybodyRuns(mark));
}

// ---- as steps --------------------------------------------------------------

using ToolTest = EngineTest;

TEST_F(ToolTest, SeesItsStep) {
  std::string said =
      start("runs", R"({"code": "echo $AGT_RUN $AGT_STEP $AGT_ATTEMPT"})")
          .result;
  EXPECT_EQ(said, "\"0 r o 1\\n\"");
}

TEST_F(ToolTest, SecretsStayInTheRuntime) {
  program.secrets = {"HIDDEN_KEY"};
  setenv("HIDDEN_KEY", "sk-hidden", 1);
  EXPECT_EQ(start("runs", R"({"code": "echo [$HIDDEN_KEY]"})").result,
            "\"0 []\\n\"");
}

// What answers with a secret has acted and failed: it is not recorded, and not
// called again.
TEST_F(ToolTest, SecretsAreNotRecorded) {
  setenv("HIDDEN_KEY", "sk-hidden-too", 1);
  readSecret("HIDDEN_KEY");
  std::string code = "echo x y >> $LEDGER; printf sk-hidden-; echo too";
  EXPECT_EQ(start("runs", Json{{"code", code}}.dump()).message,
            "o: the tool 'shell' answered with a secret, which is not "
            "recorded");
  for (const Event &event : log->events("r", 0))
    EXPECT_EQ(event.result.find("sk-hidden-too"), std::string::npos);
  EXPECT_EQ(kinds()[2], "failure o");
  EXPECT_EQ(replay().message,
            "o: the tool 'shell' answered with a secret, which is not "
            "recorded");
  EXPECT_EQ(ledger().size(), 1u);
}

TEST_F(ToolTest, LargeResultsAreBlobs) {
  RunOutcome outcome =
      start("runs", R"({"code": "head -c 3000000 /dev/zero | tr '\\0' a"})");
  EXPECT_EQ(outcome.result.size(), 3000000u + 4);
  EXPECT_TRUE(replay().result == outcome.result);
  outcome = start("runs", R"({"code": "head -c 9000000 /dev/zero"})", "s");
  EXPECT_EQ(outcome.message,
            "o: 'shell' printed 9000000 bytes (8.6 MiB), more than the 8 MiB "
            "that are kept");
  outcome = start("runs", R"({"code": "printf '\\377'"})", "t");
  EXPECT_EQ(outcome.message,
            "o: 'shell' gave no valid answer: the output is not UTF-8");
}

TEST_F(ToolTest, CommandsThatAreNotThere) {
  setenv("PATH_SAVED", getenv("PATH"), 1);
  setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(start("chain", R"({"n": 1})").message,
            "i#0/r: 'note' could not be started: No such file or directory");
  setenv("PATH", getenv("PATH_SAVED"), 1);
}

class SandboxTest : public ToolTest {
protected:
  SandboxTest() { program.tools[4].sandbox.emplace(); }
  SandboxDecl &box() { return *program.tools[4].sandbox; }
  std::string inside(const std::string &code) {
    std::string id = "s" + std::to_string(++runs);
    RunOutcome outcome = start("runs", Json{{"code", code}}.dump(), id);
    return outcome.code == AGT_OK ? parseJson(outcome.result).get<std::string>()
                                  : outcome.message;
  }
  int runs = 0;
};

TEST_F(SandboxTest, SeesNoOtherFilesOrProcesses) {
  dir.write("secret", "hidden");
  std::string path = dir.path("secret");
  EXPECT_EQ(inside("cat " + path + " 2>/dev/null; ln -s " + path +
                   " /tmp/link; cat /tmp/link 2>/dev/null; echo end"),
            "0 end\n");
  EXPECT_EQ(inside("cat /etc/passwd /root/* 2>/dev/null; echo end"), "0 end\n");
  std::string mine = std::to_string(getpid());
  EXPECT_EQ(inside("test -e /proc/" + mine +
                   "/cmdline && grep -c AgentTests "
                   "/proc/" +
                   mine + "/cmdline; echo end"),
            "0 end\n");
  EXPECT_EQ(inside("touch /usr/x 2>/dev/null || echo read-only"),
            "0 read-only\n");
}

TEST_F(SandboxTest, SeesNoEnvironmentButWhatIsGiven) {
  setenv("SOMETHING", "else", 1);
  box().env.emplace_back("GIVEN", TextSource(Json("yes")));
  EXPECT_EQ(inside("echo [$SOMETHING] [$GIVEN] [$AGT_STEP]"),
            "0 [] [yes] [o]\n");
}

TEST_F(SandboxTest, ReachesNoNetwork) {
  std::string reach =
      "python3 -c 'import socket\n"
      "for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
      "  try:\n"
      "    s = socket.socket(socket.AF_INET, kind); s.settimeout(2)\n"
      "    s.connect((\"192.0.2.1\", 9)); print(\"connected\")\n"
      "  except OSError as e: print(e.strerror)'";
  EXPECT_EQ(inside(reach),
            "0 Network is unreachable\nNetwork is unreachable\n");
}

TEST_F(SandboxTest, ReadsAndWritesWhereItMay) {
  dir.write("in", "text");
  mkdir(dir.path("out").c_str(), 0755);
  box().read = {dir.folder};
  box().write = {dir.path("out")};
  EXPECT_EQ(inside("cat " + dir.path("in") + "; echo x > " + dir.path("in2") +
                   "; echo y > " + dir.path("out/y") + "; echo end"),
            "0 textend\nsh: 1: cannot create " + dir.path("in2") +
                ": Read-only file system\n");
  EXPECT_EQ(dir.read("out/y"), "y\n");
  box().read = {"/not/there"};
  EXPECT_EQ(inside("true"), "the sandbox of the tool 'shell' names "
                            "'/not/there', which is not there");
}

// The deeper entry counts, in whatever order and list they are.
TEST_F(SandboxTest, ListsMayBeNested) {
  for (const char *name : {"w", "w/r", "w/r/w"})
    mkdir(dir.path(name).c_str(), 0755);
  box().write = {dir.path("w/r/w"), dir.path("w")};
  box().read = {dir.path("w/r")};
  std::string write = "for d in w w/r w/r/w; do echo x 2>/dev/null > " +
                      dir.folder + "/$d/x && echo $d; done 2>/dev/null; true";
  EXPECT_EQ(inside(write), "0 w\nw/r/w\n");
}

TEST_F(SandboxTest, AWholeFileSystemIsStillPrivate) {
  dir.write("in", "text");
  box().read = {"/"};
  std::string mine = std::to_string(getpid());
  EXPECT_EQ(inside("test -e /etc/passwd && echo all; ls -A /tmp; test -e "
                   "/proc/" +
                   mine +
                   "/exe || echo alone; echo x 2>/dev/null > /etc/x ||"
                   " echo read-only; echo y > /tmp/y && ls /tmp"),
            "0 all\nalone\nread-only\ny\n");
  EXPECT_EQ(dir.read("in"), "text");
}

// As the superuser, whom the kernel exempts, it is killed; others cannot make
// the process that is too much.
TEST_F(SandboxTest, HasFewProcesses) {
  box().processes = 12;
  EXPECT_EQ(inside("for i in 1 2 3 4; do sleep 0.1 & done; wait; echo end"),
            "0 end\n");
  std::string said = inside("for i in $(seq 40); do sleep 5 & done; wait");
  if (geteuid() == 0)
    EXPECT_EQ(said, "o: 'shell' was killed: it had more than the 12 processes "
                    "of its sandbox");
  else
    EXPECT_NE(said.find("Cannot fork"), std::string::npos) << said;
}

TEST_F(SandboxTest, HasLimits) {
  box().memory = 64 << 20;
  box().files = 1 << 20;
  EXPECT_EQ(inside("python3 -c 'x = bytearray(200 << 20)' 2>&1 | tail -1"),
            "0 MemoryError\n");
  EXPECT_EQ(inside("head -c 2000000 /dev/zero > /tmp/x 2>/dev/null; "
                   "stat -c %s /tmp/x"),
            "0 1048576\n");
}

TEST_F(SandboxTest, CannotOpenTheKernelFurther) {
  EXPECT_EQ(inside("unshare -Ur true 2>&1 | grep -o 'Operation not permitted'"),
            "0 Operation not permitted\n");
  EXPECT_EQ(inside("grep NoNewPrivs /proc/self/status | tr '\\t' ' '; "
                   "grep Seccomp: /proc/self/status | tr '\\t' ' '"),
            "0 NoNewPrivs: 1\nSeccomp: 2\n");
}

TEST_F(SandboxTest, UntrustedIsTheStrictest) {
  box().untrusted = true;
  box().network = true;
  box().read = {dir.folder};
  dir.write("in", "text");
  EXPECT_EQ(inside("cat " + dir.path("in") +
                   " 2>/dev/null; pwd; ls -A /tmp; echo z > /tmp/z && cat "
                   "/tmp/z; ls /sys/class/net 2>/dev/null; echo $HOME"),
            "0 /tmp\nz\n\n");
}

} // namespace
