// Files appear whole or not at all; the pipeline cache survives damage.
#include "runtime/Support/File.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Vulkan/PipelineCache.h"
#include "unittests/Runtime/TempDir.h"

#include <functional>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace agt::rt;
using agt::rt::test::TempDir;

namespace {

std::string errorOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Failure &failure) {
    return std::to_string(failure.code) + " " + failure.message;
  }
  return "";
}

TEST(OutputFile, AppearsWithCommitOnly) {
  TempDir dir;
  dir.write("out", "old");
  {
    OutputFile file(dir.path("out"));
    file.write("new");
    file.finish();
    EXPECT_EQ(dir.read("out"), "old");
  }
  EXPECT_EQ(dir.read("out"), "old");
  EXPECT_EQ(dir.count(), 1u);
  OutputFile file(dir.path("out"));
  file.write("new");
  file.commit();
  EXPECT_EQ(dir.read("out"), "new");
  EXPECT_EQ(dir.count(), 1u);
}

TEST(OutputFile, HasTheModeOfAnyNewFile) {
  TempDir dir;
  mode_t mask = umask(027);
  OutputFile file(dir.path("out"));
  file.commit();
  umask(mask);
  struct stat info;
  ASSERT_EQ(stat(dir.path("out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(OutputFile, FollowsLinks) {
  TempDir dir;
  dir.write("real", "old");
  ASSERT_EQ(symlink("real", dir.path("link").c_str()), 0);
  OutputFile file(dir.path("link"));
  file.write("new");
  file.commit();
  EXPECT_EQ(dir.read("real"), "new");
  EXPECT_EQ(dir.count(), 2u);
}

TEST(OutputFile, FollowsLinksThatLeadNowhereYet) {
  TempDir dir;
  ASSERT_EQ(symlink("other", dir.path("link").c_str()), 0);
  ASSERT_EQ(symlink("turn", dir.path("turn").c_str()), 0);
  OutputFile file(dir.path("link"));
  file.write("new");
  file.commit();
  EXPECT_EQ(dir.read("other"), "new");
  struct stat info;
  ASSERT_EQ(lstat(dir.path("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_EQ(errorOf([&] { checkWritable(dir.path("turn")); }),
            "2 cannot write '" + dir.path("turn") +
                "': Too many levels of symbolic links");
}

TEST(OutputFile, KeepsPermissionsOfWhatItReplaces) {
  TempDir dir;
  dir.write("out", "old");
  ASSERT_EQ(chmod(dir.path("out").c_str(), 0600), 0);
  OutputFile file(dir.path("out"));
  file.write("new");
  file.commit();
  struct stat info;
  ASSERT_EQ(stat(dir.path("out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(dir.read("out"), "new");
}

TEST(OutputFile, SaysWhyItCannot) {
  TempDir dir;
  EXPECT_EQ(errorOf([&] { checkWritable(dir.folder); }),
            "2 cannot write '" + dir.folder + "': Is a directory");
  EXPECT_EQ(errorOf([&] { checkWritable(dir.path("no/out")); }),
            "2 cannot write '" + dir.path("no/out") +
                "': No such file or directory");
  EXPECT_EQ(errorOf([&] { checkWritable(""); }),
            "2 cannot write '': No such file or directory");
  EXPECT_EQ(errorOf([&] {
              OutputFile file("/dev/full");
              file.write("data");
              file.commit();
            }),
            "1 cannot write '/dev/full': No space left on device");
  EXPECT_EQ(errorOf([&] { checkWritable(dir.path("out")); }), "");
  EXPECT_EQ(dir.count(), 0u);
}

// Also where the file ends with a page.
TEST(MappedFile, HasReadableBytesBehindItsEnd) {
  TempDir dir;
  for (size_t size : {size_t(1), size_t(4095), size_t(4096), size_t(8192)}) {
    MappedFile file(dir.write("f", std::string(size, 'x')));
    ASSERT_EQ(file.size(), size);
    EXPECT_EQ(file.data()[size - 1], 'x');
    unsigned sum = 0;
    for (size_t i = 0; i < MappedFile::slack; ++i)
      sum |= file.data()[size + i];
    EXPECT_EQ(sum, 0u);
  }
}

TEST(MappedFile, ReadsRegularFiles) {
  TempDir dir;
  MappedFile file(dir.write("f", "hello"));
  EXPECT_EQ(std::string(file.data(), file.data() + file.size()), "hello");
  MappedFile empty(dir.write("e", ""));
  EXPECT_EQ(empty.size(), 0u);
  MappedFile generated("/proc/self/status");
  EXPECT_GT(generated.size(), 0u);
  ASSERT_EQ(mkfifo(dir.path("pipe").c_str(), 0666), 0);
  for (const std::string &endless :
       {dir.path("pipe"), std::string("/dev/zero")})
    EXPECT_EQ(errorOf([&] { MappedFile{endless}; }),
              "2 cannot read '" + endless + "': it is not a regular file");
  EXPECT_EQ(errorOf([&] { MappedFile(dir.path("no")); }),
            "2 cannot read '" + dir.path("no") +
                "': No such file or directory");
  EXPECT_EQ(errorOf([&] { MappedFile{dir.folder}; }),
            "2 cannot read '" + dir.folder + "': Is a directory");
}

TEST(PipelineCache, IsReadBack) {
  TempDir dir;
  std::string folder = dir.path("a/b");
  EXPECT_EQ(readCache(folder, "gpu"), "");
  writeCache(folder, "gpu", "data of a driver");
  EXPECT_EQ(readCache(folder, "gpu"), "data of a driver");
  EXPECT_EQ(readCache(folder, "other"), "");
}

TEST(PipelineCache, IgnoresDamage) {
  TempDir dir;
  writeCache(dir.folder, "gpu", "data of a driver");
  std::string good = dir.read("gpu.pipelines");
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    dir.write("gpu.pipelines", bad);
    EXPECT_EQ(readCache(dir.folder, "gpu"), "") << i;
    dir.write("gpu.pipelines", good.substr(0, i));
    EXPECT_EQ(readCache(dir.folder, "gpu"), "") << i;
  }
}

TEST(PipelineCache, IgnoresFoldersItCannotWrite) {
  TempDir dir;
  dir.write("file", "");
  writeCache(dir.path("file/agt"), "gpu", "data");
  EXPECT_EQ(readCache(dir.path("file/agt"), "gpu"), "");
  writeCache("", "gpu", "data");
  EXPECT_EQ(readCache("", "gpu"), "");
}

TEST(Text, FindsNearMisses) {
  std::vector<std::string> names = {"prefill", "decode", "k"};
  EXPECT_EQ(didYouMean("prefil", names), ", did you mean 'prefill'?");
  EXPECT_EQ(didYouMean("decoed", names), ", did you mean 'decode'?");
  EXPECT_EQ(didYouMean("kk", names), "");
  EXPECT_EQ(didYouMean("attention", names), "");
  EXPECT_EQ(didYouMean("", names), "");
}

TEST(Text, NamesSizesAndTimes) {
  EXPECT_EQ(bytesText(1023), "1023 bytes");
  EXPECT_EQ(bytesText(3221225472), "3221225472 bytes (3.0 GiB)");
  EXPECT_EQ(secondsText(2.5), "2.500 s");
  EXPECT_EQ(secondsText(0.0125), "12.500 ms");
  EXPECT_EQ(secondsText(1.5e-6), "1.5 us");
  EXPECT_EQ(rateText(2e9, 1), "2.0 GFLOP/s");
  EXPECT_EQ(rateText(0, 1), "-");
  EXPECT_EQ(printable("a\x1B[31m\x7F\n\xC3\xA9"),
            "a\\u{1B}[31m\\u{7F}\\u{A}\xC3\xA9");
  EXPECT_EQ(substitute("{0} is not {1}, {2}", -3, 4), "-3 is not 4, {2}");
}

} // namespace
