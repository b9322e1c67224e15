// `test` blocks: each is a run of its own on a log in memory.
#include "runtime/Agent/Tests.h"

#include "runtime/Agent/Execution.h"
#include "runtime/Agent/TestGraphs.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace agt::rt {

// When the first of the waits that a time ends is over.
static std::optional<int64_t>
untilFirst(const std::vector<PendingWait> &waits) {
  std::optional<int64_t> first;
  for (const PendingWait &wait : waits) {
    if (wait.until.empty())
      continue;
    int64_t left = Instant::parse(wait.until).remaining();
    first = std::min(first.value_or(left), left);
  }
  return first;
}

struct Verdict {
  std::string place; // "": of the test
  std::string why;   // "": it is fine
};

// Nobody answers in a test, and nobody waits: time passes at once.
static Verdict runTest(const AgentProgram &program, TestGraphs &graphs,
                       const agt_test &test) {
  std::unique_ptr<StepLog> log = openStepLog(":memory:");
  Writer writer(*log);
  RunRow row;
  row.id = "test";
  row.args = "{}";
  log->create(row);
  ExecutionOptions options;
  options.graphs = &graphs;
  std::unique_ptr<Execution> before; // until its counts are taken over
  while (true) {
    row = log->claim(row.id, thisProcess(), 0).run;
    auto next =
        std::make_unique<Execution>(program, *log, writer, row, options);
    Execution &run = *next;
    if (before) { // replay makes no calls
      run.counts.calls = before->counts.calls;
      run.counts.used = before->counts.used;
      run.counts.mocksBefore = before->counts.mockStatements;
    }
    Strand &strand = run.newStrand(nullptr);
    Budget budget(nullptr, {}, "the test", 0);
    strand.budget = &budget;
    Value result = nullptr;
    int32_t outcome = test.run(makeScope(strand, ""), nullptr, &result);
    std::vector<PendingWait> waits = run.waits();
    std::optional<int64_t> wake = untilFirst(waits);
    strand.note(makeEvent(EventKind::Released, ""));
    try {
      strand.commit();
    } catch (const Unwind &) {
      return {run.stopReason().place, run.stopReason().message};
    }
    if (outcome == AGT_STEP_SUSPENDED && wake && Instant::skip(*wake)) {
      before = std::move(next);
      continue;
    }
    if (outcome == AGT_STEP_OK)
      return {};
    if (outcome == AGT_STEP_FAILED)
      return {strand.failedPlace, strand.failureText()};
    if (outcome == AGT_STEP_SUSPENDED)
      return {"", waits.empty() ? "waits"
                                : "waits for " + waits[0].what + " at '" +
                                      waits[0].path + "'"};
    return {run.stopReason().place, run.stopReason().message};
  }
}

int runTests(const AgentProgram &program, const std::string &filter) {
  int failed = 0;
  TestGraphs graphs(program.program);
  for (uint64_t i = 0; i < program.code.n_tests; ++i) {
    const agt_test &test = program.code.tests[i];
    if (!filter.empty() &&
        std::string(test.name).find(filter) == std::string::npos)
      continue;
    auto start = std::chrono::steady_clock::now();
    Verdict verdict;
    try {
      verdict = runTest(program, graphs, test);
    } catch (const Failure &failure) {
      verdict.why = failure.message;
    }
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    bool ok = verdict.why.empty();
    std::printf("%s %s (%s)\n", ok ? "ok" : "FAILED", test.name,
                secondsText(seconds).c_str());
    if (!ok)
      std::printf("  %s: %s\n",
                  verdict.place.empty() ? test.place : verdict.place.c_str(),
                  verdict.why.c_str());
    failed += !ok;
  }
  return failed ? AGT_FAILED : AGT_OK;
}

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_test_mock(agt_scope *scope, const char *place, uint32_t llm,
                      const char *file) {
  return guardStep(scope, std::string(scope->prefix), place, [&] {
    CallCounts &counts = scope->strand->run.counts;
    std::lock_guard<std::mutex> held(counts.mutex);
    counts.mocks[llm] = file;
    if (++counts.mockStatements > counts.mocksBefore)
      counts.used[llm].clear();
  });
}

int64_t agt_test_calls(agt_scope *scope, int32_t with, uint32_t index) {
  CallCounts &counts = scope->strand->run.counts;
  std::lock_guard<std::mutex> held(counts.mutex);
  auto found = counts.calls.find({with, index});
  return found == counts.calls.end() ? 0 : found->second;
}

int32_t agt_test_expect(agt_scope *scope, const char *place, const char *text,
                        int32_t truth, const agt_value *a, const agt_value *b) {
  return guardStep(scope, std::string(scope->prefix), place, [&] {
    if (truth)
      return;
    // Not a step's failure: no `try` of the test takes it for one.
    std::string message = std::string("expected ") + text;
    if (a || b)
      message += ", got " + canonicalJson(a) + " and " + canonicalJson(b);
    fail(AGT_FAILED, message);
  });
}
