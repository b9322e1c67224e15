// --stats and --trace of start and resume: what the models of the program
// itself have read for the run, in which launches, and what its joins came to.
#ifndef AGT_RUNTIME_CLI_AGENTSTATS_H
#define AGT_RUNTIME_CLI_AGENTSTATS_H

#include "runtime/Agent/RunFigures.h"
#include "runtime/Model/Model.h"

namespace agt::rt {

std::string agentStatsJson(const std::vector<LocalModelFigures> &models,
                           const std::vector<JoinFigures> &joins);
std::string agentStatsText(const std::vector<LocalModelFigures> &models,
                           const std::vector<JoinFigures> &joins);

/// The launches of each model on a row of their own, in the JSON format that
/// Perfetto and Chrome read: each says what it visited and which way was taken,
/// with the estimates of all ways.
std::string agentTraceJson(const std::vector<LocalModelFigures> &models);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_AGENTSTATS_H
