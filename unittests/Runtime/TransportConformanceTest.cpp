// One suite for every transport; see TransportCases.cpp.
#include "runtime/Mesh/InProcess.h"
#include "unittests/Runtime/ProgramTest.h"
#include "unittests/Runtime/TransportCases.h"

#include <thread>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

class TransportTest : public testing::TestWithParam<TransportCase> {};

TEST_P(TransportTest, InOneProcess) {
  for (size_t positions : {3, 5}) {
    InProcessNetwork network(positions);
    std::vector<std::string> texts(positions);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < positions; ++i)
      threads.emplace_back([&, i] {
        texts[i] =
            GetParam().run(network.end(i), int64_t(i), int64_t(positions));
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(texts, std::vector<std::string>(positions));
  }
}

TEST_P(TransportTest, OverMpi) {
  MpiRuns runs;
  EXPECT_EQ(runs.sortedLines(3, std::string(AGT_TEST_TRANSPORT) + " " +
                                    GetParam().name),
            "rank 0 passed\nrank 1 passed\nrank 2 passed\n");
}

INSTANTIATE_TEST_SUITE_P(Transports, TransportTest,
                         testing::ValuesIn(transportCases()),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
