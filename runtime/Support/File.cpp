// See File.h. Temporary files are made with the mode a plain open would give
// (the umask counts), which is why mkstemp is not used.
#include "runtime/Support/File.h"

#include "runtime/Support/Failure.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agt::rt {

static std::string errorText(int error) { return std::strerror(error); }

// Devices and pipes may never end, and opening a pipe may wait for ever: both
// are refused, without waiting.
MappedFile::MappedFile(const std::string &path) {
  auto refuse = [&](const std::string &why) {
    fail(AGT_BAD_INPUT, "cannot read '" + path + "': " + why);
  };
  struct Descriptor {
    int number;
    ~Descriptor() {
      if (number >= 0)
        close(number);
    }
  } descriptor{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info;
  if (descriptor.number < 0 || fstat(descriptor.number, &info) != 0)
    refuse(errorText(errno));
  if (S_ISDIR(info.st_mode))
    refuse(errorText(EISDIR));
  if (!S_ISREG(info.st_mode))
    refuse("it is not a regular file");
  // Files of /proc have no size and are not empty.
  if (info.st_size > 0 && map(descriptor.number, size_t(info.st_size)))
    return;
  if (!readAll(descriptor.number))
    refuse(errorText(errno));
}

// Over the beginning of a mapping of nothing, whose end is the slack.
bool MappedFile::map(int descriptor, size_t size) {
  void *address = mmap(nullptr, size + slack, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return false;
  if (mmap(address, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0) ==
      MAP_FAILED) {
    munmap(address, size + slack);
    return false;
  }
  mapped = true;
  bytes = static_cast<const unsigned char *>(address);
  length = size;
  return true;
}

/// False with errno.
bool MappedFile::readAll(int descriptor) {
  char block[1 << 16];
  for (;;) {
    ssize_t got = ::read(descriptor, block, sizeof block);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return false;
    if (got == 0)
      break;
    content.append(block, size_t(got));
  }
  length = content.size();
  content.append(slack, '\0');
  bytes = reinterpret_cast<const unsigned char *>(content.data());
  return true;
}

MappedFile::~MappedFile() {
  if (mapped)
    munmap(const_cast<unsigned char *>(bytes), length + slack);
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The path behind all links: of what exists, or where a link leads that leads
// to nothing yet. Links in a circle lead to themselves.
static std::string resolve(std::string path) {
  char text[PATH_MAX];
  constexpr int mostLinks = 40; // as the kernel has it
  for (int links = 0; links < mostLinks; ++links) {
    if (realpath(path.c_str(), text))
      return text;
    ssize_t length = readlink(path.c_str(), text, sizeof text - 1);
    if (length <= 0)
      break;
    std::string next(text, size_t(length));
    path = next[0] == '/' ? next : folderOf(path) + "/" + next;
  }
  return path;
}

// True when `path` exists and is neither a regular file nor a folder.
static bool isSpecial(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

static bool isFolder(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Calls `attempt` with names beside `target` until one is new; its result, or
// -1 with errno.
template <typename Attempt>
static int withFreshName(const std::string &target, std::string &name,
                         Attempt &&attempt) {
  std::random_device random;
  for (int tries = 0; tries < 100; ++tries) {
    char suffix[32];
    std::snprintf(suffix, sizeof suffix, ".%08x.part", unsigned(random()));
    name = target + suffix;
    int result = attempt(name.c_str());
    if (result >= 0 || errno != EEXIST)
      return result;
  }
  return -1;
}

// A file without a name in the folder of `target`, or one with the name that
// `name` tells; its descriptor, or -1 with errno.
static int createFresh(const std::string &target, std::string &name) {
  // Without /proc a nameless file could not get its name later.
  if (access("/proc/self/fd", X_OK) == 0) {
    int descriptor =
        open(folderOf(target).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    bool unsupported = errno == EOPNOTSUPP || errno == EISDIR ||
                       errno == EINVAL || errno == ENOENT;
    if (descriptor >= 0 || !unsupported)
      return descriptor;
  }
  return withFreshName(target, name, [](const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
}

// The same to take the place of `target`: with the permissions of a file that
// is there, and not at all where that may not be written.
static int createBeside(const std::string &target, std::string &name) {
  struct stat info;
  bool exists = stat(target.c_str(), &info) == 0;
  if (!exists && errno == ELOOP)
    return -1;
  if (exists && access(target.c_str(), W_OK) != 0)
    return -1;
  int descriptor = createFresh(target, name);
  if (descriptor >= 0 && exists)
    fchmod(descriptor, info.st_mode & 07777);
  return descriptor;
}

OutputFile::OutputFile(const std::string &path) : path(path) {
  if (isFolder(path))
    failWith(EISDIR);
  if (isSpecial(path)) {
    descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    target = resolve(path);
    descriptor = createBeside(target, temporary);
  }
  if (descriptor < 0) {
    temporary.clear();
    failWith(errno);
  }
}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    close(descriptor);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

void OutputFile::failWith(int error) {
  fail(AGT_FAILED, "cannot write '" + path + "': " + errorText(error));
}

void OutputFile::write(const void *data, size_t bytes) {
  auto *next = static_cast<const char *>(data);
  while (bytes) {
    // Linux writes at most 2 GiB - 4 KiB at once; smaller steps lose nothing.
    ssize_t done =
        ::write(descriptor, next, bytes < (1u << 30) ? bytes : 1u << 30);
    if (done < 0) {
      if (errno == EINTR)
        continue;
      failWith(errno);
    }
    next += done;
    bytes -= size_t(done);
  }
}

void OutputFile::nameTemporary() {
  std::string self = "/proc/self/fd/" + std::to_string(descriptor);
  std::string name;
  if (withFreshName(target, name, [&](const char *fresh) {
        return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, fresh,
                      AT_SYMLINK_FOLLOW);
      }) < 0)
    failWith(errno);
  temporary = name;
}

void OutputFile::finish() {
  if (descriptor < 0)
    return;
  if (!target.empty() && temporary.empty())
    nameTemporary();
  int result = close(descriptor);
  descriptor = -1;
  if (result != 0)
    failWith(errno);
}

void OutputFile::commit() {
  finish();
  if (temporary.empty())
    return;
  if (rename(temporary.c_str(), target.c_str()) != 0)
    failWith(errno);
  temporary.clear();
}

bool areOneFile(const std::string &a, const std::string &b) {
  if (isSpecial(a))
    return false;
  auto place = [](const std::string &path) {
    std::string whole = resolve(path);
    return resolve(folderOf(whole)) + "/" + whole.substr(whole.rfind('/') + 1);
  };
  return place(a) == place(b);
}

void checkWritable(const std::string &path) {
  auto refuse = [&](int error) {
    fail(AGT_BAD_INPUT, "cannot write '" + path + "': " + errorText(error));
  };
  if (path.empty())
    refuse(ENOENT);
  if (isFolder(path) || path.back() == '/')
    refuse(EISDIR);
  if (isSpecial(path)) {
    if (access(path.c_str(), W_OK) != 0)
      refuse(errno);
    return;
  }
  std::string name;
  int descriptor = createBeside(resolve(path), name);
  if (descriptor < 0)
    refuse(errno);
  close(descriptor);
  if (!name.empty())
    unlink(name.c_str());
}

} // namespace agt::rt
