// HTTP tools, over libcurl, which is opened at first use.
#include "runtime/Tool/Tool.h"

namespace agt::rt {

AttemptResult performHttp(agt_scope *, const ToolDecl &tool, uint32_t,
                          const std::vector<Value> &, const Attempt &) {
  fail(AGT_MISSING, "the tool '" + tool.name +
                        "' is called over HTTP, which this program cannot do "
                        "yet");
}

} // namespace agt::rt
