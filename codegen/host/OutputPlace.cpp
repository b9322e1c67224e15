//===- OutputPlace.cpp - Which file a write to a path is to ---------------===//

#include "codegen/host/OutputPlace.h"

#include "llvm/Support/FileSystem.h"

#include <filesystem>

llvm::ErrorOr<std::string> agt::host::placeOfOutput(llvm::StringRef path) {
  namespace fs = std::filesystem;
  constexpr unsigned mostLinks = 40; // as the kernel has it
  fs::path place(path.str());
  std::error_code none;
  for (unsigned links = 0; fs::is_symlink(fs::symlink_status(place, none));
       ++links) {
    if (links == mostLinks)
      return std::make_error_code(std::errc::too_many_symbolic_link_levels);
    std::error_code code;
    fs::path next = fs::read_symlink(place, code);
    if (code)
      return code;
    place = place.parent_path() / next; // `next` alone where it is absolute
  }
  if (fs::is_directory(fs::status(place, none)))
    return std::make_error_code(std::errc::is_a_directory);
  if (llvm::sys::fs::exists(place.string()))
    if (std::error_code code = llvm::sys::fs::access(
            place.string(), llvm::sys::fs::AccessMode::Write))
      return code;
  return place.string();
}
