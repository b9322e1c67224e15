// See Check.h.
#include "runtime/Mesh/Check.h"

#include "runtime/Mesh/Gather.h"
#include "runtime/Plan/Record.h"

#include <cstring>
#include <map>

namespace agt::rt {

static void checkOutputsAgree(const std::vector<agt_run *> &plans) {
  const agt_run &first = *plans.front();
  for (const agt_run *plan : plans)
    for (size_t i = 0; i < first.outputs.size(); ++i) {
      const OutputRecord &a = first.outputs[i];
      const OutputRecord &b = plan->outputs[i];
      if (a.shape != b.shape || !sameSplits(a.splits, b.splits))
        failPlan(*plan, "result " + std::to_string(i) +
                            " is cut differently at position 0 and " +
                            std::to_string(plan->position));
      if (!isCovered(a.splits, int64_t(plans.size())))
        failPlan(*plan, "parts of result " + std::to_string(i) +
                            " are at no position");
    }
}

static void checkGathersAgree(const std::vector<agt_run *> &plans) {
  const agt_run &first = *plans.front();
  for (const agt_run *plan : plans) {
    if (plan->gathers.size() != first.gathers.size())
      failPlan(*plan,
               "position 0 gathers " + std::to_string(first.gathers.size()) +
                   " values, position " + std::to_string(plan->position) +
                   " gathers " + std::to_string(plan->gathers.size()));
    for (size_t i = 0; i < first.gathers.size(); ++i) {
      const GatherRecord &a = first.gathers[i];
      const GatherRecord &b = plan->gathers[i];
      bool together = partsOf(a.kept, 0) == partsOf(a.kept, plan->position);
      if ((together && a.shape != b.shape) || !sameSplits(a.splits, b.splits) ||
          !sameSplits(a.kept, b.kept))
        failPlan(*plan, "'" + b.name +
                            "' gathers different values at position 0 and " +
                            std::to_string(plan->position));
      if (!isCovered(a.splits, int64_t(plans.size())))
        failPlan(*plan,
                 "parts of what '" + b.name + "' gathers are at no position");
    }
  }
}

namespace {

// Both sides of the messages from one position to another, in order.
struct Channel {
  std::vector<uint64_t> sends;
  std::vector<uint64_t> receives;
};

// Runs all plans without doing anything.
class Walk {
public:
  explicit Walk(const std::vector<agt_run *> &plans)
      : plans(plans), walkers(plans.size()) {}

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < plans.size(); ++i)
        while (advance(i))
          moved = true;
    }
    for (size_t i = 0; i < plans.size(); ++i)
      if (walkers[i].step < plans[i]->steps.size())
        failWaiting(i);
    for (const auto &[ends, channel] : channels)
      if (channel.sends.size() != channel.receives.size())
        failPlan(*plans.front(),
                 "position " + std::to_string(ends.first) + " sends " +
                     std::to_string(channel.sends.size()) +
                     " messages to position " + std::to_string(ends.second) +
                     ", which receives " +
                     std::to_string(channel.receives.size()));
  }

private:
  // A posted side: over when the other side of its channel is as long.
  struct Posted {
    int64_t from;
    int64_t to;
    size_t number;
  };
  struct Walker {
    size_t step = 0;
    bool gathering = false; // its gather is posted
    std::map<uint32_t, std::vector<Posted>> exchanges;
    std::vector<Posted> gather;
  };

  Posted post(int64_t from, int64_t to, uint64_t bytes, bool sends) {
    Channel &channel = channels[{from, to}];
    std::vector<uint64_t> &side = sends ? channel.sends : channel.receives;
    std::vector<uint64_t> &other = sends ? channel.receives : channel.sends;
    size_t number = side.size();
    side.push_back(bytes);
    if (number < other.size() && other[number] != bytes)
      failPlan(*plans.front(), "position " + std::to_string(from) + " sends " +
                                   std::to_string(channel.sends[number]) +
                                   " bytes to position " + std::to_string(to) +
                                   ", which receives " +
                                   std::to_string(channel.receives[number]));
    return {from, to, number};
  }

  bool areOver(const std::vector<Posted> &posted) {
    for (const Posted &each : posted) {
      const Channel &channel = channels[{each.from, each.to}];
      if (std::min(channel.sends.size(), channel.receives.size()) <=
          each.number)
        return false;
    }
    return true;
  }

  void postExchange(const agt_run &plan, uint32_t index,
                    std::vector<Posted> &posted) {
    const ExchangeRecord &exchange = plan.exchanges[index];
    if (exchange.receive)
      posted.push_back(
          post(exchange.from, plan.position, exchange.receiveBytes, false));
    if (exchange.send)
      posted.push_back(
          post(plan.position, exchange.to, exchange.sendBytes, true));
  }

  void postGather(const agt_run &plan, uint32_t index,
                  std::vector<Posted> &posted) {
    GatherMessages messages =
        messagesOf(plan.gathers[index], plan.position, int64_t(plans.size()));
    for (const GatherMessages::Receive &receive : messages.receives)
      posted.push_back(post(receive.from, plan.position, receive.bytes, false));
    for (int64_t to : messages.sendTo)
      posted.push_back(post(plan.position, to, messages.sendBytes, true));
  }

  // Goes one step on at position `index`; false when it must wait or is done.
  bool advance(size_t index) {
    const agt_run &plan = *plans[index];
    Walker &walker = walkers[index];
    if (walker.step == plan.steps.size())
      return false;
    const PlanStep &step = plan.steps[walker.step];
    if (step.kind == PlanStep::Exchange) {
      postExchange(plan, step.index, walker.exchanges[step.index]);
    } else if (step.kind == PlanStep::Await) {
      if (!areOver(walker.exchanges[step.index]))
        return false;
    } else if (step.kind == PlanStep::Gather) {
      if (!walker.gathering) {
        walker.gather.clear();
        postGather(plan, step.index, walker.gather);
        walker.gathering = true;
      }
      if (!areOver(walker.gather))
        return false;
      walker.gathering = false;
    }
    ++walker.step;
    return true;
  }

  [[noreturn]] void failWaiting(size_t index) {
    const agt_run &plan = *plans[index];
    const PlanStep &step = plan.steps[walkers[index].step];
    const std::string &name = step.kind == PlanStep::Gather
                                  ? plan.gathers[step.index].name
                                  : plan.exchanges[step.index].name;
    failPlan(plan, "position " + std::to_string(index) +
                       " would wait for ever in '" + name + "'");
  }

  const std::vector<agt_run *> &plans;
  std::vector<Walker> walkers;
  std::map<std::pair<int64_t, int64_t>, Channel> channels;
};

} // namespace

void checkPlansFit(const std::vector<agt_run *> &plans) {
  checkOutputsAgree(plans);
  checkGathersAgree(plans);
  for (const agt_run *plan : plans)
    for (const ExchangeRecord &exchange : plan->exchanges)
      if (!exchange.awaited)
        failPlan(*plan, "'" + exchange.name + "' is never awaited");
  Walk(plans).run();
}

} // namespace agt::rt
