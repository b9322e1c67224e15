// See Place.h.
#include "dialect/Agt/Place.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

std::string agt::placeOf(Location location) {
  if (auto range = dyn_cast<FileLineColRange>(location))
    return llvm::formatv("{0}:{1}:{2}", range.getFilename().getValue(),
                         range.getStartLine(), range.getStartColumn());
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (std::string place = placeOf(part); !place.empty())
        return place;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(location))
    return placeOf(name.getChildLoc());
  return "";
}
