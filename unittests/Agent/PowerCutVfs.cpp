// See PowerCutVfs.h.
#include "unittests/Agent/PowerCutVfs.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sqlite3.h>
#include <string>
#include <vector>

namespace agt::rt::test {

const char *const powerCutVfs = "powercut";

namespace {

constexpr size_t sector = 512;

struct Change {
  sqlite3_int64 offset; // -1: truncate to `size`
  sqlite3_int64 size;
  std::string data;
};

struct Content {
  bool synced = false; // ever: else the file is not there after a cut
  std::string image;
  std::vector<Change> since;
};

struct World {
  std::mutex mutex;
  std::map<std::string, Content> files;
  int generation = 0;
  sqlite3_vfs *real = nullptr;
};
World &world() {
  static World instance;
  return instance;
}

struct File {
  sqlite3_file base;
  Content *content; // NULL: not followed
  int generation;
  sqlite3_file *real;
};
File &fileOf(sqlite3_file *file) { return *reinterpret_cast<File *>(file); }

bool dead(sqlite3_file *file) {
  return fileOf(file).generation != world().generation;
}

void apply(std::string &image, const Change &change) {
  if (change.offset < 0) {
    image.resize(size_t(change.size));
    return;
  }
  size_t end = size_t(change.offset) + change.data.size();
  if (image.size() < end)
    image.resize(end);
  std::memcpy(&image[size_t(change.offset)], change.data.data(),
              change.data.size());
}

int closeFile(sqlite3_file *file) {
  return fileOf(file).real->pMethods->xClose(fileOf(file).real);
}
int readFile(sqlite3_file *file, void *to, int n, sqlite3_int64 offset) {
  return dead(file) ? SQLITE_IOERR_READ
                    : fileOf(file).real->pMethods->xRead(fileOf(file).real, to,
                                                         n, offset);
}
int writeFile(sqlite3_file *file, const void *from, int n,
              sqlite3_int64 offset) {
  if (dead(file))
    return SQLITE_IOERR_WRITE;
  std::lock_guard<std::mutex> held(world().mutex);
  if (Content *content = fileOf(file).content)
    content->since.push_back(
        {offset, 0, std::string(static_cast<const char *>(from), size_t(n))});
  return fileOf(file).real->pMethods->xWrite(fileOf(file).real, from, n,
                                             offset);
}
int truncateFile(sqlite3_file *file, sqlite3_int64 size) {
  if (dead(file))
    return SQLITE_IOERR_TRUNCATE;
  std::lock_guard<std::mutex> held(world().mutex);
  if (Content *content = fileOf(file).content)
    content->since.push_back({-1, size, ""});
  return fileOf(file).real->pMethods->xTruncate(fileOf(file).real, size);
}
int syncFile(sqlite3_file *file, int) {
  if (dead(file))
    return SQLITE_IOERR_FSYNC;
  std::lock_guard<std::mutex> held(world().mutex);
  // The real file needs no sync: the power stays on.
  if (Content *content = fileOf(file).content) {
    for (const Change &change : content->since)
      apply(content->image, change);
    content->since.clear();
    content->synced = true;
  }
  return SQLITE_OK;
}
int fileSize(sqlite3_file *file, sqlite3_int64 *size) {
  return fileOf(file).real->pMethods->xFileSize(fileOf(file).real, size);
}
int lockFile(sqlite3_file *file, int level) {
  return fileOf(file).real->pMethods->xLock(fileOf(file).real, level);
}
int unlockFile(sqlite3_file *file, int level) {
  return fileOf(file).real->pMethods->xUnlock(fileOf(file).real, level);
}
int checkReserved(sqlite3_file *file, int *out) {
  return fileOf(file).real->pMethods->xCheckReservedLock(fileOf(file).real,
                                                         out);
}
int control(sqlite3_file *file, int op, void *argument) {
  return fileOf(file).real->pMethods->xFileControl(fileOf(file).real, op,
                                                   argument);
}
int sectorSize(sqlite3_file *) { return int(sector); }
int characteristics(sqlite3_file *) { return 0; }
int shmMap(sqlite3_file *file, int page, int size, int extend,
           void volatile **out) {
  return fileOf(file).real->pMethods->xShmMap(fileOf(file).real, page, size,
                                              extend, out);
}
int shmLock(sqlite3_file *file, int offset, int n, int flags) {
  return fileOf(file).real->pMethods->xShmLock(fileOf(file).real, offset, n,
                                               flags);
}
void shmBarrier(sqlite3_file *file) {
  fileOf(file).real->pMethods->xShmBarrier(fileOf(file).real);
}
int shmUnmap(sqlite3_file *file, int remove) {
  return fileOf(file).real->pMethods->xShmUnmap(fileOf(file).real, remove);
}

const sqlite3_io_methods methods = {
    2,          closeFile,  readFile,        writeFile,  truncateFile,
    syncFile,   fileSize,   lockFile,        unlockFile, checkReserved,
    control,    sectorSize, characteristics, shmMap,     shmLock,
    shmBarrier, shmUnmap,   nullptr,         nullptr};

int openFile(sqlite3_vfs *, const char *name, sqlite3_file *file, int flags,
             int *outFlags) {
  File &opened = fileOf(file);
  opened.base.pMethods = nullptr;
  opened.real = reinterpret_cast<sqlite3_file *>(&opened + 1);
  sqlite3_vfs *real = world().real;
  int code = real->xOpen(real, name, opened.real, flags, outFlags);
  if (code != SQLITE_OK)
    return code;
  std::lock_guard<std::mutex> held(world().mutex);
  opened.content = name ? &world().files[name] : nullptr;
  opened.generation = world().generation;
  opened.base.pMethods = &methods;
  return SQLITE_OK;
}

int deleteFile(sqlite3_vfs *, const char *name, int sync) {
  std::lock_guard<std::mutex> held(world().mutex);
  if (world().files.count(name))
    world().files[name] = Content();
  return world().real->xDelete(world().real, name, sync);
}

} // namespace

void registerPowerCutVfs() {
  if (world().real)
    return;
  world().real = sqlite3_vfs_find(nullptr);
  static sqlite3_vfs vfs = *world().real;
  vfs.szOsFile = int(sizeof(File)) + world().real->szOsFile;
  vfs.zName = powerCutVfs;
  vfs.pNext = nullptr;
  vfs.xOpen = openFile;
  vfs.xDelete = deleteFile;
  sqlite3_vfs_register(&vfs, 0);
}

void resetPowerCut() {
  std::lock_guard<std::mutex> held(world().mutex);
  world().files.clear();
  ++world().generation;
}

void powerCut(uint32_t seed) {
  std::lock_guard<std::mutex> held(world().mutex);
  std::mt19937 random(seed);
  ++world().generation;
  for (auto &[name, content] : world().files) {
    bool any = content.synced;
    for (const Change &change : content.since) {
      if (change.offset < 0) {
        if (random() % 2)
          apply(content.image, change);
        continue;
      }
      for (size_t at = 0; at < change.data.size(); at += sector)
        if (random() % 2) {
          apply(content.image, {change.offset + sqlite3_int64(at), 0,
                                change.data.substr(at, sector)});
          any = true;
        }
    }
    content.since.clear();
    content.synced = any;
    std::remove((name + "-shm").c_str());
    if (!any) {
      std::remove(name.c_str());
      continue;
    }
    std::ofstream(name, std::ios::binary | std::ios::trunc) << content.image;
  }
}

} // namespace agt::rt::test
