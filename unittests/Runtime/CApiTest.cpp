// Runs the embedder of CApi.c, and what embedders do that programs do not.
#include "unittests/Runtime/TestProgram.h"

#include <gtest/gtest.h>
#include <thread>

using namespace agt::rt::test;

extern "C" int add_one_from_c(agt_graph_fn graph, const char *device,
                              int32_t *values, int64_t n, int32_t *result);

namespace {

TEST(CApi, RunsAGraphFromC) {
  int32_t values[3] = {4, 5, 6}, result[3] = {};
  EXPECT_EQ(add_one_from_c(graph("add_one").run, "vulkan", values, 3, result),
            AGT_OK);
  EXPECT_EQ(result[2], 7);
  EXPECT_EQ(add_one_from_c(graph("add_one").run, "gpu", values, 3, result),
            AGT_BAD_INPUT);
}

TEST(CApi, ToleratesNothing) {
  EXPECT_EQ(agt_status_code(nullptr), AGT_OK);
  EXPECT_STREQ(agt_status_message(nullptr), "");
  EXPECT_STREQ(agt_status_place(nullptr), "");
  agt_status_release(nullptr);
  agt_context_destroy(nullptr);
  agt_tensor_release(nullptr);
  agt_tensor empty = {};
  agt_tensor_release(&empty);
}

// A context is used again and again, one beside another, each in a thread.
TEST(CApi, ContextsAreIndependent) {
  auto work = [](int32_t start) {
    agt_context *context;
    ASSERT_EQ(textOf(agt_context_create(nullptr, &context)), "");
    for (int round = 0; round < 20; ++round) {
      Ints x({start, start + round});
      agt_tensor out;
      ASSERT_EQ(textOf(graph("chain").run(context, &x.tensor, 1, &out, 1)), "");
      EXPECT_EQ(take(out),
                (std::vector<int32_t>{start + 45, start + round + 45}));
    }
    agt_context_destroy(context);
  };
  std::thread first(work, 100), second(work, 2000);
  first.join();
  second.join();
}

} // namespace
