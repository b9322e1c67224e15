// Tests that run a program: its output, its exit code, its files.
#ifndef AGT_UNITTESTS_RUNTIME_PROGRAMTEST_H
#define AGT_UNITTESTS_RUNTIME_PROGRAMTEST_H

#include "unittests/Runtime/TempDir.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

class ProgramTest : public testing::Test {
protected:
  explicit ProgramTest(const char *program) : program(program) {}

  // "CODE: stdout|stderr" of the program with these arguments, as the shell
  // splits them, in the test's folder.
  std::string run(const std::string &arguments,
                  const std::string &before = "") {
    std::string command = "cd " + dir.folder + " && " + before + " " + program +
                          " " + arguments + " >" + dir.path(".out") + " 2>" +
                          dir.path(".err") + " </dev/null";
    int status = system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << command;
    return std::to_string(WEXITSTATUS(status)) + ": " + dir.read(".out") + "|" +
           dir.read(".err");
  }
  // A file of n i32, 0 up.
  void numbers(const std::string &name, int n, const char *descr = "<i4") {
    std::string header = std::string("{'descr': '") + descr +
                         "', 'fortran_order': False, 'shape': (" +
                         std::to_string(n) + ",), }\n";
    std::string file("\x93NUMPY\1\0", 8);
    file += char(header.size());
    file += '\0';
    file += header;
    size_t size = size_t(descr[2] - '0');
    for (int i = 0; i < n; ++i)
      for (size_t b = 0; b < size; ++b)
        file += char(b < 4 ? i >> (8 * b) : 0);
    dir.write(name, file);
  }
  // The last element of a result file.
  int last(const std::string &name) {
    std::string file = dir.read(name);
    int value = -1;
    if (file.size() >= 4)
      memcpy(&value, file.data() + file.size() - 4, 4);
    return value;
  }

  const char *program;
  agt::rt::test::TempDir dir;
};

/// Programs under mpirun, over TCP on loopback. What Open MPI itself leaks is
/// not looked for.
struct MpiRuns {
  static constexpr const char *command =
      "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "timeout 120 mpirun --oversubscribe --mca btl tcp,self "
      "--mca btl_tcp_if_include lo --mca mpi_yield_when_idle 1 ";

  /// What `n` ranks print, sorted by lines.
  std::string sortedLines(int n, const std::string &words) const {
    std::string file = dir.path("out");
    std::string line = command + ("-n " + std::to_string(n)) + " " + words +
                       " 2>/dev/null | sort >" + file;
    EXPECT_EQ(system(line.c_str()), 0) << line;
    return dir.read("out");
  }

  agt::rt::test::TempDir dir;
};

#endif // AGT_UNITTESTS_RUNTIME_PROGRAMTEST_H
