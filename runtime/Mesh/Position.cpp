// See Position.h.
#include "runtime/Mesh/Position.h"

#include <algorithm>
#include <cstring>

namespace agt::rt {

PositionRun::PositionRun(PlacedPlan &placed, Transport &transport,
                         int64_t positions,
                         const std::vector<double> &axisRates, bool times)
    : placed(placed), plan(placed.plan), transport(transport),
      axisRates(axisRates), times(times), exchanges(plan.exchanges.size()) {
  for (const PlanStep &step : plan.steps) {
    if (step.kind == PlanStep::Launch && !stages.empty() &&
        stages.back().kind == PlanStep::Launch)
      ++stages.back().count;
    else
      stages.push_back({step.kind, step.index, 1, {}});
  }
  for (size_t i = 0; i < exchanges.size(); ++i) {
    const ExchangeRecord &record = plan.exchanges[i];
    exchanges[i].transfer = placed.report.transfers.size();
    if (record.receive)
      addTransfer(record.name, record.place, record.axis, record.from,
                  record.move, record.receiveBytes);
  }
  for (const GatherRecord &record : plan.gathers) {
    gathers.push_back(messagesOf(record, plan.position, positions));
    gatherTransfers.push_back(placed.report.transfers.size());
    for (const GatherMessages::Receive &receive : gathers.back().receives)
      addTransfer(record.name, record.place, record.axis, receive.from,
                  AGT_MOVE_VALUE, receive.bytes);
  }
  for (const HopRecord &hop : plan.hops)
    placed.report.hops.push_back(
        {hop.name, hop.step, hop.owner, hop.attended, {}});
}

// Lists that are still under way must be over before they go.
PositionRun::~PositionRun() {
  for (const Submitted &each : submitted) {
    try {
      placed.device.wait(each.point);
    } catch (...) {
      return;
    }
  }
}

void PositionRun::addTransfer(const std::string &name, const std::string &place,
                              uint32_t axis, int64_t from, int32_t move,
                              uint64_t bytes) {
  placed.report.transfers.push_back(
      {name, place, plan.graph.mesh->axes[axis].name, from, move, bytes, {}});
}

void PositionRun::prepare() {
  for (Stage &stage : stages)
    if (stage.kind == PlanStep::Launch)
      recordStage(stage);
}

// One list; where times are wanted from a device without a clock, one a
// launch.
void PositionRun::recordStage(Stage &stage) {
  std::vector<Command> commands;
  for (uint32_t i = 0; i < stage.count; ++i)
    commands.push_back(placed.command(stage.index + i));
  Device &device = placed.device;
  if (!times || device.properties().timestamps) {
    stage.lists.push_back(device.record(commands, times));
    return;
  }
  for (const Command &command : commands)
    stage.lists.push_back(device.record({command}, false));
}

void PositionRun::run(double begin, bool keepSpans) {
  start = begin;
  lastEnd = 0;
  keep = keepSpans && times;
  for (const Stage &stage : stages) {
    if (transport.isCancelled())
      throw Cancelled();
    if (stage.kind == PlanStep::Launch)
      compute(stage);
    else if (stage.kind == PlanStep::Exchange)
      post(stage.index);
    else if (stage.kind == PlanStep::Await)
      await(stage.index);
    else if (stage.kind == PlanStep::Gather)
      gather(stage.index);
    else if (keep)
      placed.report.hops[stage.index].times.push_back(monotonicSeconds() -
                                                      start);
  }
  settle();
}

void PositionRun::compute(const Stage &stage) {
  Device &device = placed.device;
  for (size_t i = 0; i < stage.lists.size(); ++i) {
    CommandList &list = *stage.lists[i];
    double begin = monotonicSeconds() - start;
    submitted.push_back({&list, stage.index + uint32_t(i), 0, begin});
    submitted.back().point = device.submit(list);
    if (stage.lists.size() > 1)
      settle();
  }
}

// Waits for the device and notes when it did what.
void PositionRun::settle() {
  for (const Submitted &each : submitted) {
    placed.device.wait(each.point);
    if (!keep)
      continue;
    std::vector<Span> spans = each.list->times();
    // A list begins when it is submitted, or when the one before has ended.
    double begin = std::max(each.begin, lastEnd);
    if (spans.empty())
      spans.push_back({0, monotonicSeconds() - start - begin});
    for (size_t i = 0; i < spans.size(); ++i)
      placed.report.launches[each.firstLaunch + i].spans.push_back(
          {begin + spans[i].begin, begin + spans[i].end});
    lastEnd = begin + spans.back().end;
  }
  submitted.clear();
}

PositionRun::HostBytes PositionRun::bytesToSend(const agt_buffer &buffer,
                                                uint64_t bytes) {
  PlacedPlan::Room room = placed.roomOf(buffer);
  HostBytes result{room.host(), {}};
  if (!result.data) {
    result.copy.resize(bytes);
    result.data = result.copy.data();
    placed.transfer().download(room.chunk, room.offset, result.data, bytes);
  }
  return result;
}

void PositionRun::post(uint32_t index) {
  settle();
  const ExchangeRecord &record = plan.exchanges[index];
  Exchange &exchange = exchanges[index];
  if (record.receive) {
    HostBytes &received = exchange.received;
    received.data = placed.roomOf(*record.receive).host();
    if (!received.data) {
      received.copy.resize(record.receiveBytes);
      received.data = received.copy.data();
    }
    exchange.receive = transport.postReceive(
        record.from, received.data, record.receiveBytes, link(record.axis));
  }
  if (record.send) {
    exchange.sent = bytesToSend(*record.send, record.sendBytes);
    exchange.send = transport.postSend(record.to, exchange.sent.data,
                                       record.sendBytes, link(record.axis));
  }
}

void PositionRun::await(uint32_t index) {
  const ExchangeRecord &record = plan.exchanges[index];
  Exchange &exchange = exchanges[index];
  if (record.receive) {
    noteSpan(exchange.transfer, transport.wait(exchange.receive));
    PlacedPlan::Room room = placed.roomOf(*record.receive);
    if (!room.host())
      placed.transfer().upload(room.chunk, room.offset, exchange.received.data,
                               record.receiveBytes);
  }
  if (record.send)
    transport.wait(exchange.send);
  exchange.sent.copy = {};
  exchange.received.copy = {};
}

// A part that is one piece of the whole arrives in its place.
void PositionRun::postGather(uint32_t index) {
  const GatherRecord &record = plan.gathers[index];
  const GatherMessages &messages = gathers[index];
  for (const GatherMessages::Receive &receive : messages.receives) {
    int64_t first = 0;
    std::vector<unsigned char> &copy = gathering.copies.emplace_back();
    unsigned char *target = gathering.whole.data;
    if (receive.part.isOnePiece(first)) {
      target += uint64_t(first) * record.elementBytes;
    } else {
      copy.resize(receive.bytes);
      target = copy.data();
    }
    gathering.receives.push_back(transport.postReceive(
        receive.from, target, receive.bytes, link(record.axis)));
  }
  for (int64_t to : messages.sendTo)
    gathering.sends.push_back(transport.postSend(
        to, gathering.part.data, messages.sendBytes, link(record.axis)));
}

void PositionRun::gather(uint32_t index) {
  settle();
  const GatherRecord &record = plan.gathers[index];
  const GatherMessages &messages = gathers[index];
  PlacedPlan::Room room = placed.roomOf(*record.whole);
  gathering = {};
  HostBytes &whole = gathering.whole;
  whole.data = room.host();
  if (!whole.data) {
    whole.copy.resize(record.whole->bytes);
    whole.data = whole.copy.data();
  }
  TensorPart own(record.shape.data(), int(record.shape.size()), record.splits,
                 partsOf(record.splits, plan.position));
  gathering.part =
      bytesToSend(*record.part, uint64_t(own.elements()) * record.elementBytes);
  postGather(index);
  own.write(gathering.part.data, whole.data, record.elementBytes);

  for (size_t i = 0; i < gathering.receives.size(); ++i) {
    noteSpan(gatherTransfers[index] + i, transport.wait(gathering.receives[i]));
    if (!gathering.copies[i].empty())
      messages.receives[i].part.write(gathering.copies[i].data(), whole.data,
                                      record.elementBytes);
  }
  for (Transport::Request send : gathering.sends)
    transport.wait(send);
  if (!room.host())
    placed.transfer().upload(room.chunk, room.offset, whole.data,
                             record.whole->bytes);
  gathering = {};
}

void PositionRun::noteSpan(size_t transfer, Span span) {
  if (keep)
    placed.report.transfers[transfer].spans.push_back(
        {span.begin - start, span.end - start});
}

} // namespace agt::rt
