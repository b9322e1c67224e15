// The console's page, built into the library from runtime/Ui/page/.
#ifndef AGT_RUNTIME_UI_PAGE_H
#define AGT_RUNTIME_UI_PAGE_H

#include <string_view>

namespace agt::rt {

struct PageFile {
  const char *name; // "console.html"
  const char *type; // of its content
  std::string_view content;
};

/// The file of that name; NULL where there is none.
const PageFile *findPageFile(std::string_view name);

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_PAGE_H
