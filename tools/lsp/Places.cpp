// See Places.h.
#include "tools/lsp/Places.h"

#include "llvm/Support/ConvertUTF.h"

using namespace agt;
using llvm::StringRef;

/// Of the character that begins with `byte`.
static unsigned utf16Units(char byte) {
  auto lead = static_cast<unsigned char>(byte);
  if ((lead & 0xC0) == 0x80)
    return 0; // not its first byte
  return lead >= 0xF0 ? 2 : 1;
}

llvm::lsp::Position lsp::positionOf(StringRef text, const char *place) {
  StringRef before = text.take_front(place - text.begin());
  StringRef line = before.substr(before.rfind('\n') + 1);
  int units = 0;
  for (char byte : line)
    units += utf16Units(byte);
  return {static_cast<int>(before.count('\n')), units};
}

llvm::lsp::Range lsp::rangeOf(const llvm::SourceMgr &sources,
                              llvm::SMRange range) {
  unsigned buffer =
      range.Start.isValid() ? sources.FindBufferContainingLoc(range.Start) : 0;
  if (!buffer)
    return {};
  StringRef text = sources.getMemoryBuffer(buffer)->getBuffer();
  return {positionOf(text, range.Start.getPointer()),
          positionOf(text, range.End.getPointer())};
}

llvm::lsp::Range lsp::rangeOf(StringRef text) {
  return {{0, 0}, positionOf(text, text.end())};
}

const char *lsp::placeOf(StringRef text, llvm::lsp::Position position) {
  const char *at = text.begin();
  for (int line = 0; line < position.line; ++line) {
    at = std::find(at, text.end(), '\n');
    if (at == text.end())
      return at;
    ++at;
  }
  int units = 0;
  for (; at != text.end() && *at != '\n'; ++at) {
    int own = utf16Units(*at);
    if (own > 0 && units >= position.character)
      break;
    units += own;
  }
  return at;
}
