// The command line of a program, by running one: whole texts and exit codes.
#include "unittests/Runtime/ProgramTest.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

class Cli : public ProgramTest {
protected:
  Cli() : ProgramTest(AGT_TEST_PROGRAM) {}
};

TEST_F(Cli, ListsWhatItHolds) {
  const std::string graphs =
      "graphs:\n"
      "  add_one(x: tensor<i32, [N]>) -> (y: tensor<i32, [N]>)\n"
      "      Adds one.\n"
      "      To each.\n"
      "  chain(x: tensor<i32, [N]>) -> (y: tensor<i32, [N]>)\n"
      "  two(image: tensor<f32, [H, W]>, count: tensor<i32, [N]>) -> (copy: "
      "tensor<f32, [H, W]>, sum: tensor<i32, [N]>)\n"
      "\n"
      "example:\n"
      "  agt-test-add run add_one --in x=x.npy --out y.npy\n";
  EXPECT_EQ(run(""), "0: add (0123456789abcdef)\n\n" + graphs +
                         "\n'agt-test-add --help' says more.\n|");
  EXPECT_NE(run("--help").find(graphs), std::string::npos);
  EXPECT_NE(run("run --help").find(graphs), std::string::npos);
  EXPECT_NE(run("run add_one -h").find(graphs), std::string::npos);
  EXPECT_EQ(run("--version"), "0: add 0123456789abcdef\n|");
  std::string json = run("--json");
  EXPECT_EQ(nlohmann::json::parse(
                json.substr(3, json.size() - 4))["graphs"][1]["name"],
            "chain");
}

// An opened loader says so, at length.
TEST_F(Cli, DescribesItselfWithoutADevice) {
  for (const char *words : {"", "--help", "run --help", "--json"})
    EXPECT_EQ(run(words, "VK_LOADER_DEBUG=all").back(), '|') << words;
  numbers("x.npy", 1);
  EXPECT_NE(run("run chain --in x=x.npy --device vulkan", "VK_LOADER_DEBUG=all")
                .back(),
            '|');
}

// In the program's own time, which other work on the machine does not touch;
// sanitizers take theirs at every start.
TEST_F(Cli, DescribesItselfAtOnce) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "sanitizers need time to start";
#endif
#endif
  auto seconds = [] {
    rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    auto of = [](const timeval &time) {
      return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
    };
    return of(usage.ru_utime) + of(usage.ru_stime);
  };
  for (const char *words : {"", "--help", "run --help"}) {
    double best = 1;
    for (int i = 0; i < 10; ++i) {
      double begin = seconds();
      run(words);
      best = std::min(best, seconds() - begin);
    }
    EXPECT_LT(best, 0.030) << words;
  }
}

TEST_F(Cli, RefusesUnknownWords) {
  EXPECT_EQ(run("rum"),
            "2: |error: unknown command 'rum', did you mean 'run'?\n");
  EXPECT_EQ(run("dance"), "2: |error: unknown command 'dance', expected run, "
                          "--help, --version or --json\n");
  EXPECT_EQ(run("--halp"),
            "2: |error: unknown option '--halp', did you mean '--help'?\n");
  EXPECT_EQ(run("--version 2"),
            "2: |error: unexpected argument '2' behind '--version'\n");
  EXPECT_EQ(run("start plan"),
            "2: |error: the program has no agents, which 'start' is about\n");
  EXPECT_EQ(run("generate"),
            "2: |error: the program has no llms, which 'generate' is about\n");
  EXPECT_EQ(run("run"), "2: |error: expected the name of a graph behind 'run', "
                        "it has add_one, chain and two\n");
  EXPECT_EQ(run("run chian"), "2: |error: the program has no graph 'chian', "
                              "did you mean 'chain'?\n");
  EXPECT_EQ(run("run whale"), "2: |error: the program has no graph 'whale', it "
                              "has add_one, chain and two\n");
  EXPECT_EQ(run("run chain --device=null --repaet 3"),
            "2: |error: unknown option '--repaet', did you mean '--repeat'?\n");
  EXPECT_EQ(run("run chain more"), "2: |error: unexpected argument 'more'\n");
  // The graph may stand behind options: each takes one word.
  EXPECT_EQ(run("run --repeat 2 --in x=none.npy whale"),
            "2: |error: the program has no graph 'whale', it "
            "has add_one, chain and two\n");
}

TEST_F(Cli, RefusesBadValues) {
  EXPECT_EQ(run("run chain --out"),
            "2: |error: expected a value behind '--out'\n");
  EXPECT_EQ(run("run chain --repeat 0"),
            "2: |error: expected a whole number from 1 to 999999999 behind "
            "'--repeat', got '0'\n");
  EXPECT_EQ(run("run chain --repeat -1"),
            "2: |error: expected a whole number from 1 to 999999999 behind "
            "'--repeat', got '-1'\n");
  EXPECT_EQ(run("run chain --stats=xml"),
            "2: |error: expected --stats, --stats=json or --stats=json:FILE, "
            "got '--stats=xml'\n");
  EXPECT_EQ(run("run chain --weights W=w.bin"),
            "2: |error: the program has no weights 'W' to read from a file\n");
  EXPECT_EQ(run("run chain --set N=3"),
            "2: |error: the program has no number 'N' to set\n");
  EXPECT_EQ(run("run chain --link-rate cp=1GB/s"),
            "2: |error: graph 'chain' has no axis 'cp': it runs on one "
            "device\n");
  EXPECT_EQ(run("run chain --policy pass-q"),
            "2: |error: graph 'chain' has no transfers to choose a policy for: "
            "it runs on one device\n");
  EXPECT_EQ(run("run chain --check"),
            "2: |error: the program does not hold its graphs as IR, which "
            "--check goes by\n");
  EXPECT_EQ(run("run chain --devices null,null"),
            "2: |error: graph 'chain' has one position, got 2 devices: "
            "'null,null'\n");
  EXPECT_EQ(run("run chain --devices null --device null"),
            "2: |error: expected --device or --devices, got both\n");
}

TEST_F(Cli, RefusesBadInputs) {
  numbers("x.npy", 10);
  numbers("long.npy", 3, "<i8");
  EXPECT_EQ(run("run two"), "2: |error: graph 'two' needs --in image=FILE.npy "
                            "(tensor<f32, [H, W]>) and --in count=FILE.npy "
                            "(tensor<i32, [N]>)\n");
  EXPECT_EQ(run("run two --in count=x.npy --in imege=x.npy"),
            "2: |error: graph 'two' has no parameter 'imege', did you mean "
            "'image'?\n");
  EXPECT_EQ(run("run chain --in z=x.npy"),
            "2: |error: graph 'chain' has no parameter 'z', it has x\n");
  EXPECT_EQ(run("run chain --in x.npy"),
            "2: |error: expected NAME=FILE.npy or FILE.safetensors behind "
            "'--in', got 'x.npy'\n");
  EXPECT_EQ(run("run chain --in x=x.npy --in x=x.npy"),
            "2: |error: 'x' is given twice, the second time by 'x.npy'\n");
  EXPECT_EQ(run("run chain --in x=no.npy"),
            "2: |error: cannot read 'no.npy': No such file or directory\n");
  EXPECT_EQ(run("run chain --in x=long.npy"),
            "2: |error: expected i32 for 'x', got i64 in 'long.npy'; NumPy "
            "makes i64 by default, save x.astype(numpy.int32)\n");
  std::string file = dir.read("x.npy");
  file.replace(file.find("(10,), }"), 8, "(5, 2)} ");
  dir.write("square.npy", file);
  EXPECT_EQ(run("run chain --in x=square.npy"),
            "2: |error: expected tensor<i32, [N]> for 'x', got 2 dims [5, 2] "
            "in 'square.npy'\n");
  dir.write("half.npy", file.substr(0, file.size() - 4));
  EXPECT_EQ(run("run chain --in x=half.npy"),
            "2: |error: cannot read 'half.npy': its header says [5, 2] of i32, "
            "which takes 40 bytes, got 36\n");
  numbers("thirteen.npy", 13);
  EXPECT_EQ(
      run("run add_one --in x=thirteen.npy --out y.npy"),
      "2: |add.agt:2:5: error: expected a length other than 13, got 13\n");
  EXPECT_EQ(dir.read("y.npy"), "");
}

TEST_F(Cli, RefusesWhatHasNoEnd) {
  ASSERT_EQ(mkfifo(dir.path("pipe").c_str(), 0666), 0);
  for (const char *path : {"/dev/zero", "pipe", "/dev/stdin"})
    EXPECT_EQ(run(std::string("run chain --in x=") + path),
              std::string("2: |error: cannot read '") + path +
                  "': it is not a regular file\n");
  ASSERT_EQ(symlink("/dev/zero", dir.path("x.safetensors").c_str()), 0);
  for (const char *spec : {"x.safetensors", "x=x.safetensors"})
    EXPECT_EQ(run(std::string("run chain --in ") + spec),
              "2: |error: cannot read 'x.safetensors': it is not a regular "
              "file\n");
}

TEST_F(Cli, EscapesControlCharacters) {
  EXPECT_EQ(run("run chain --in x=\"$(printf 'a\\033[31m')\""),
            "2: |error: cannot read 'a\\u{1B}[31m': No such file or "
            "directory\n");
}

TEST_F(Cli, RefusesEmptyValues) {
  numbers("x.npy", 10);
  const std::string chain = "run chain --in x=x.npy ";
  for (const char *option :
       {"--device", "--devices", "--in", "--out", "--weights", "--set",
        "--repeat", "--trace", "--link-rate", "--policy"}) {
    std::string text =
        std::string("2: |error: expected a value behind '") + option + "'\n";
    EXPECT_EQ(run(chain + option + " ''"), text);
    EXPECT_EQ(run(chain + option + "="), text);
  }
  EXPECT_EQ(run(chain + "--stats="),
            "2: |error: expected --stats, --stats=json or --stats=json:FILE, "
            "got '--stats='\n");
  for (const char *spec : {"=x.npy", "x=", "=", "=x.safetensors"})
    EXPECT_EQ(run(std::string("run chain --in ") + spec),
              std::string("2: |error: expected NAME=FILE.npy or "
                          "FILE.safetensors behind '--in', got '") +
                  spec + "'\n");
  for (const char *spec : {"=y.npy", "y="})
    EXPECT_EQ(run(chain + "--out " + spec),
              std::string("2: |error: expected FILE or NAME=FILE behind "
                          "'--out', got '") +
                  spec + "'\n");
}

TEST_F(Cli, RefusesBadOutputs) {
  numbers("x.npy", 10);
  const std::string chain = "run chain --in x=x.npy --device null ";
  EXPECT_EQ(run(chain + "--out z=z.npy"),
            "2: |error: graph 'chain' has no result 'z', it has y\n");
  EXPECT_EQ(run(chain + "--out y=a.npy --out y=b.npy"),
            "2: |error: the result 'y' has two '--out'\n");
  EXPECT_EQ(run(chain + "--out a.npy --out b.npy"),
            "2: |error: graph 'chain' has 1 result, none is left for '--out "
            "b.npy'\n");
  EXPECT_EQ(run(chain + "--out no/y.npy"),
            "2: |error: cannot write 'no/y.npy': No such file or directory\n");
  EXPECT_EQ(run(chain + "--out ."),
            "2: |error: cannot write '.': Is a directory\n");
  EXPECT_EQ(run("run two --out a.npy --out a.npy"),
            "2: |error: 'a.npy' is to hold two results\n");
  EXPECT_EQ(run(chain + "--stats=json:no/s.json"),
            "2: |error: cannot write 'no/s.json': No such file or directory\n");
  EXPECT_EQ(run(chain + "--out /dev/full"),
            "1: |error: cannot write '/dev/full': No space left on device\n");
  std::string full = "cd " + dir.folder + " && " AGT_TEST_PROGRAM " " + chain +
                     "--stats=json >/dev/full 2>err";
  EXPECT_EQ(WEXITSTATUS(system(full.c_str())), 1);
  EXPECT_EQ(dir.read("err"), "error: cannot write to the standard output\n");
}

TEST_F(Cli, SaysWhichDeviceIsMissing) {
  numbers("x.npy", 10);
  const std::string chain = "run chain --in x=x.npy ";
  EXPECT_EQ(run(chain + "--device gpu"),
            "2: |error: expected auto, cpu, vulkan, vulkan:N or null as the "
            "device, got 'gpu'\n");
  EXPECT_EQ(run(chain + "--device vulkan:").substr(0, 2), "2:");
  EXPECT_EQ(run(chain + "--device vulkan:99").substr(0, 43),
            "5: |error: no device 'vulkan:99', there is ");
  // A broken loader stands where a missing one would be noticed.
  dir.write("libvulkan.so.1", "");
  EXPECT_EQ(run(chain + "--device vulkan", "LD_LIBRARY_PATH=" + dir.folder),
            "5: |error: the Vulkan loader 'libvulkan.so.1' cannot be opened: "
            "install the package libvulkan1\n");
  // The drivers' files are looked for at VK_ICD_FILENAMES only.
  EXPECT_EQ(run(chain + "--device vulkan",
                "VK_ICD_FILENAMES=/nonexistent AGT_VALIDATE=0"),
            "5: |error: no Vulkan driver was found: install the package "
            "mesa-vulkan-drivers\n");
}

TEST_F(Cli, RunsAndWrites) {
  numbers("x.npy", 1000);
  EXPECT_EQ(run("run add_one --in x=x.npy --out y=y.npy"), "0: |");
  EXPECT_EQ(last("y.npy"), 1000);
  EXPECT_EQ(run("run add_one --in x=y.npy --out y.npy"), "0: |");
  EXPECT_EQ(last("y.npy"), 1001);
  EXPECT_EQ(run("run chain --in x=x.npy"), "0: y: tensor<i32, [1000]>\n|");
  EXPECT_EQ(run("run add_one --device null --in x=x.npy --out n.npy"), "0: |");
  EXPECT_EQ(last("n.npy"), 0);
}

TEST_F(Cli, TakesResultsInDeclaredOrder) {
  numbers("n.npy", 6);
  numbers("i.npy", 6, "<f4");
  std::string file = dir.read("i.npy");
  file.replace(file.find("(6,), }"), 7, "(2, 3)}");
  dir.write("i.npy", file);
  const std::string two = "run two --in image=i.npy --in count=n.npy ";
  EXPECT_EQ(run(two + "--out a.npy --out b.npy"), "0: |");
  EXPECT_NE(dir.read("a.npy").find("'<f4'"), std::string::npos);
  EXPECT_EQ(last("b.npy"), 10);
  EXPECT_EQ(run(two + "--out first.npy --out copy=c.npy"), "0: |");
  EXPECT_EQ(last("first.npy"), 10);

  // All in one file, and that file as the next run's input.
  EXPECT_EQ(run(two + "--out all.safetensors"), "0: |");
  std::string all = dir.read("all.safetensors");
  EXPECT_NE(all.find("\"copy\":{\"dtype\":\"F32\",\"shape\":[2,3]"),
            std::string::npos);
  EXPECT_EQ(run("run add_one --in x=all.safetensors"),
            "2: |error: 'all.safetensors' has no tensor 'x', it has 'copy' and "
            "'sum'\n");
  numbers("x.npy", 5);
  EXPECT_EQ(run("run chain --in x=x.npy --out y=in.safetensors"), "0: |");
  std::string in = dir.read("in.safetensors");
  in[in.find("\"y\"") + 1] = 'x';
  dir.write("in.safetensors", in);
  EXPECT_EQ(run("run add_one --in in.safetensors --out y.npy"), "0: |");
  EXPECT_EQ(last("y.npy"), 4 + 45 + 1);
}

TEST_F(Cli, Measures) {
  numbers("x.npy", 1000);
  ASSERT_EQ(run("run chain --in x=x.npy --repeat 3 --stats=json:s.json "
                "--trace t.json --out y.npy"),
            "0: |");
  EXPECT_EQ(last("y.npy"), 999 + 45);
  auto stats = nlohmann::json::parse(dir.read("s.json"));
  EXPECT_EQ(stats["times_s"].size(), 3u);
  EXPECT_GT(stats["time_s"], 0);
  EXPECT_EQ(stats["flops"], 10000);
  EXPECT_GT(stats["phases"][0]["time_s"], 0);
  auto trace = nlohmann::json::parse(dir.read("t.json"));
  EXPECT_GE(trace["traceEvents"].size(), 30u);
  std::string out = run("run chain --in x=x.npy --stats=json");
  EXPECT_EQ(out.substr(0, 3), "0: ");
  EXPECT_EQ(nlohmann::json::parse(out.substr(3, out.size() - 4))["graph"],
            "chain");
}

TEST_F(Cli, SaysHowMuchMemoryIsMissing) {
  numbers("x.npy", 1000);
  EXPECT_EQ(run("run chain --in x=x.npy --device null", "AGT_MEMORY=5000"),
            "1: |add.agt:5:7: error: not enough memory: graph 'chain' needs "
            "16544 bytes (16.2 KiB), the device 'null device' has 5000 bytes "
            "(4.9 KiB) free of 5000 bytes (4.9 KiB)\n");
}

} // namespace
