// See StatsForm.h.
#include "runtime/Cli/StatsForm.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/File.h"

#include <cstdio>

namespace agt::rt {

static bool namesFile(const std::string &form) {
  return form.rfind("json:", 0) == 0 && form.size() > 5;
}

void refuseStatsForm(const std::string &form) {
  fail(AGT_BAD_INPUT,
       "expected --stats, --stats=json or --stats=json:FILE, got '--stats=" +
           form + "'");
}

void checkStatsForm(const std::string &form) {
  if (form.empty() || form == "text" || form == "true" || form == "json")
    return;
  if (!namesFile(form))
    refuseStatsForm(form);
  checkWritable(form.substr(5));
}

void writeStats(const std::string &form, const std::string &json,
                const std::string &text) {
  if (form.empty())
    return;
  if (namesFile(form)) {
    OutputFile file(form.substr(5));
    file.write(json);
    file.commit();
    return;
  }
  const std::string &shown = form == "json" ? json : text;
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

} // namespace agt::rt
