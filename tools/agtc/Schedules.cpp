// See Schedules.h.
#include "tools/agtc/Schedules.h"
#include "passes/Mesh/Tokens.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace agt;

analysis::Ring agt::tool::ringOf(ring::ScheduleOp schedule, int64_t tokens) {
  analysis::Ring ring;
  ring.places = int64_t(schedule.getMeets().size());
  ring.queries = ring.keys = tokens;
  schedule->walk([&](ring::NeededOp op) {
    auto number = [&](mlir::Value size) {
      return mlir::getConstantIntValue(size).value_or(tokens);
    };
    ring::ViewAttr view = op.getView();
    ring.balance = static_cast<analysis::Tokens>(view.getKeys());
    ring.queries = number(op.getQueries());
    ring.keys = number(op.getKeys());
    ring.offset = mlir::getConstantIntValue(op.getOffset())
                      .value_or(ring.keys - ring.queries);
    ring.causal = view.getCausal();
    ring.left = view.getLeft();
    ring.right = view.getRight();
    ring.pin = view.getPin();
  });
  return ring;
}

analysis::RingCosts agt::tool::costsOf(ring::ScheduleOp schedule, MeshOp mesh,
                                       double rate, double link) {
  analysis::RingCosts costs;
  costs.rate = rate;
  costs.link = link;
  schedule->walk([&](ring::AttendOp op) {
    auto type = [](mlir::Value value) {
      return mlir::cast<mlir::RankedTensorType>(value.getType());
    };
    Layout layout = op.getLayout();
    costs.bytesOfToken = bytesOfToken(type(op.getKey()), layout) +
                         bytesOfToken(type(op.getValue()), layout);
    costs.flopsOfPair = 2 * (elementsOfToken(type(op.getQuery()), layout) +
                             elementsOfToken(op.getType().getSums(), layout));
  });
  schedule->walk([&](ring::ShiftOp op) {
    std::optional<unsigned> axis =
        mesh.axisNumber(op.getCut().getAxis().getValue());
    if (axis && mesh.getLinks()[*axis] > 0)
      costs.link = mesh.getLinks()[*axis];
  });
  return costs;
}
