#include "frontend/Sema/Suggest.h"

#include <algorithm>

using namespace agt::sema;

llvm::StringRef agt::sema::nearest(llvm::StringRef name,
                                   llvm::ArrayRef<llvm::StringRef> candidates) {
  // Nobody misspells a name this long, and comparing takes its square.
  if (name.size() > 64)
    return {};
  unsigned best = std::max<size_t>(1, (name.size() + 1) / 3) + 1;
  llvm::StringRef found;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, true, best);
    // A name of one letter is like every other one.
    if (distance >= best || distance >= name.size() || candidate == name)
      continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string agt::sema::didYouMean(llvm::StringRef name,
                                  llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef found = nearest(name, candidates);
  return found.empty() ? "" : "; did you mean '" + found.str() + "'?";
}

std::string agt::sema::oneOf(llvm::ArrayRef<llvm::StringRef> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0)
      text += i + 1 == words.size() ? " or " : ", ";
    text += "'" + words[i].str() + "'";
  }
  return text;
}
