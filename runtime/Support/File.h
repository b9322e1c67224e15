// Files: mapped for reading, and written whole or not at all.
#ifndef AGT_RUNTIME_SUPPORT_FILE_H
#define AGT_RUNTIME_SUPPORT_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace agt::rt {

/// A whole regular file, mapped read-only for the life of the object, or read
/// into memory where the file system does not map. `slack` bytes behind its end
/// can be read too; what they are means nothing.
class MappedFile {
public:
  /// Fails with AGT_BAD_INPUT and a text that names the path; also for what
  /// has no end, pipes and devices.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  static constexpr size_t slack = 4096;

  const unsigned char *data() const { return bytes; }
  size_t size() const { return length; }

private:
  bool map(int descriptor, size_t size);
  bool readAll(int descriptor);

  const unsigned char *bytes = nullptr;
  size_t length = 0;
  std::string content; // used where there is no mapping
  bool mapped = false;
};

/// A file being written. The data goes to a file without a name in the same
/// folder (with another name, where the file system has no such files), which
/// takes the right name in commit(); without commit() nothing stays behind.
/// Devices and pipes (/dev/null, /dev/stdout) are written directly. A link is
/// followed: what it points to is replaced.
class OutputFile {
public:
  explicit OutputFile(const std::string &path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(const void *data, size_t bytes);
  void write(const std::string &text) { write(text.data(), text.size()); }
  /// Flushes and closes; afterwards commit() can hardly fail, so that several
  /// files can be finished first and then appear together.
  void finish();
  void commit();

private:
  [[noreturn]] void failWith(int error);
  void nameTemporary();

  std::string path;      // as the user wrote it
  std::string target;    // links resolved; "" when written directly
  std::string temporary; // "" while there is no file of that name
  int descriptor = -1;
};

/// Fails with AGT_BAD_INPUT when `path` could not be written: no such folder,
/// no permission, a folder. Leaves nothing behind. Used before the work.
void checkWritable(const std::string &path);
/// Whether what is written to one of them would be lost in the other; not so of
/// devices and pipes.
bool areOneFile(const std::string &a, const std::string &b);

} // namespace agt::rt

#endif // AGT_RUNTIME_SUPPORT_FILE_H
