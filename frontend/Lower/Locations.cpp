#include "frontend/Lower/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace agt;

static constexpr size_t stride = 256;

template <typename P> static void advance(P &position, char c) {
  if (c == '\n') {
    ++position.line;
    position.column = 1;
  } else if ((c & 0xC0) != 0x80) { // Not inside a code point.
    ++position.column;
  }
}

Locations::Buffer *Locations::bufferOf(const char *pointer) {
  auto after = buffers.upper_bound(pointer);
  if (after != buffers.begin()) {
    Buffer &buffer = std::prev(after)->second;
    if (pointer <= buffer.end)
      return &buffer;
  }
  unsigned id =
      sources.FindBufferContainingLoc(llvm::SMLoc::getFromPointer(pointer));
  if (id == 0)
    return nullptr;
  const llvm::MemoryBuffer *memory = sources.getMemoryBuffer(id);
  Buffer &buffer = buffers[memory->getBufferStart()];
  buffer.start = memory->getBufferStart();
  buffer.end = memory->getBufferEnd();
  buffer.name = mlir::StringAttr::get(&context, memory->getBufferIdentifier());
  Position position;
  for (const char *p = buffer.start; p <= buffer.end; ++p) {
    if ((p - buffer.start) % stride == 0)
      buffer.checkpoints.push_back(position);
    if (p < buffer.end)
      advance(position, *p);
  }
  return &buffer;
}

Locations::Position Locations::find(const Buffer &buffer,
                                    const char *pointer) const {
  size_t index = (pointer - buffer.start) / stride;
  Position position = buffer.checkpoints[index];
  for (const char *p = buffer.start + index * stride; p < pointer; ++p)
    advance(position, *p);
  return position;
}

mlir::Location Locations::get(llvm::SMRange range) {
  if (!range.isValid())
    return mlir::UnknownLoc::get(&context);
  Buffer *buffer = bufferOf(range.Start.getPointer());
  if (!buffer)
    return mlir::UnknownLoc::get(&context);
  Position from = find(*buffer, range.Start.getPointer());
  Position to = find(*buffer, range.End.getPointer());
  return mlir::FileLineColRange::get(buffer->name, from.line, from.column,
                                     to.line, to.column);
}
