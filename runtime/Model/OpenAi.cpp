// Chat completions of OpenAI's form, over libcurl, which is opened at first
// use.
#include "runtime/Model/Model.h"

namespace agt::rt {

ModelReply askOpenAi(const LlmDecl &llm, const ModelRequest &) {
  fail(AGT_MISSING, "the llm '" + llm.name +
                        "' is an endpoint, which this program cannot ask yet");
}

} // namespace agt::rt
