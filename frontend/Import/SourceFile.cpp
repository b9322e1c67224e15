#include "frontend/Import/SourceFile.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"

#include <fstream>

using namespace agt;

using Buffer = std::unique_ptr<llvm::MemoryBuffer>;

/// Far beyond any program that a person or another program writes.
static constexpr size_t maxPipe = 256 << 20;

static llvm::Error whyNot(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static llvm::Expected<Buffer> readPipe(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return llvm::errorCodeToError(llvm::errnoAsErrorCode());
  std::string text;
  char block[1 << 16];
  while (file.read(block, sizeof block), file.gcount() != 0) {
    text.append(block, file.gcount());
    if (text.size() > maxPipe)
      return whyNot("it gives more than " + llvm::Twine(maxPipe >> 20) +
                    " MiB");
  }
  return llvm::MemoryBuffer::getMemBufferCopy(text, path);
}

llvm::Expected<Buffer> agt::readSourceFile(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return llvm::errorCodeToError(code);
  switch (status.type()) {
  case llvm::sys::fs::file_type::block_file:
  case llvm::sys::fs::file_type::character_file:
  case llvm::sys::fs::file_type::socket_file:
    return whyNot("it is not a regular file");
  case llvm::sys::fs::file_type::fifo_file:
    return readPipe(path);
  default:
    break;
  }
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/true);
  if (!text)
    return llvm::errorCodeToError(text.getError());
  return std::move(*text);
}
