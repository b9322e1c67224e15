// See Tokens.h.
#include "passes/Mesh/Tokens.h"

using namespace mlir;
using namespace agt;

double agt::elementsOfToken(RankedTensorType type, Layout layout) {
  double count = 1;
  int64_t tokens = type.getRank() - (layout == Layout::HSD ? 2 : 3);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != tokens && !type.isDynamicDim(i))
      count *= double(type.getDimSize(i));
  return count;
}

double agt::bytesOfToken(RankedTensorType type, Layout layout) {
  return elementsOfToken(type, layout) * double(type.getElementTypeBitWidth()) /
         8;
}
