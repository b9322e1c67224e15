// See AttentionRemarks.h. Figures are those of passes/Analysis, which the
// counters of a run are compared with.
#include "passes/Mesh/AttentionRemarks.h"

#include "passes/Analysis/Figures.h"
#include "passes/Analysis/RingTimeline.h"
#include "passes/Analysis/RingTraffic.h"
#include "passes/Mesh/Tokens.h"

#include "dialect/Agt/Shapes.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace agt;
using namespace agt::analysis;

namespace {

class Explanation {
public:
  explicit Explanation(const SharedAttention &a)
      : a(a), op(a.op), mesh(a.mesh) {}

  void write();

private:
  using Way = SharedAttention::Way;

  void measure();
  std::string axes() const;
  std::string headline() const;
  void noteTokens();
  void noteWork();
  void noteTraffic();
  void noteChoice(double kv, double q);
  void noteTime();
  double imbalance() const;
  // Without a place: the source line stands above.
  void note(const std::string &text) {
    remark->attachNote(UnknownLoc::get(op.getContext())) << text;
  }

  const SharedAttention &a;
  AttentionOp op; // accessors of ops are not const
  MeshOp mesh;
  Ring ring;
  TokenBytes bytes;
  double flopsOfPair = 0;
  Queries queries = Queries::Cut;
  std::optional<InFlightDiagnostic> remark;
};

} // namespace

static std::string counted(int64_t count, const char *one, const char *many) {
  return countText(double(count)) + " " + (count == 1 ? one : many);
}

void Explanation::measure() {
  Layout layout = op.getLayout();
  bool sameValue = op.getKey() == op.getValue();
  bytes.keys = bytesOfToken(a.key, layout) +
               (sameValue ? 0 : bytesOfToken(a.value, layout));
  bytes.aux = a.auxOfToken;
  bytes.query = bytesOfToken(a.query, layout);
  bytes.result = a.isReturned ? 0 : bytesOfToken(a.result, layout);
  double rows = elementsOfToken(a.query, layout) /
                double(std::max<int64_t>(a.query.getShape().back(), 1));
  double sums = elementsOfToken(a.result, layout);
  bytes.partial = 4 * (sums + 2 * rows);
  flopsOfPair = 2 * (elementsOfToken(a.query, layout) + sums);
  queries = a.way == Way::PassQ ? Queries::Whole : Queries::Cut;

  ring.places = a.cut.parts;
  ring.balance = static_cast<Tokens>(a.split.balance);
  ring.keys = a.keyTokens.value_or(
      std::max(kTokensExplained, a.queryTokens.value_or(0)));
  ring.queries = a.queryTokens.value_or(ring.keys);
  if (a.positionsAreData)
    return;
  ring.offset =
      op.getCausal() == Causal::TopLeft ? 0 : ring.keys - ring.queries;
  ring.causal = op.getCausal() != Causal::None;
  ring.left = op.getWindowLeft() ? int64_t(*op.getWindowLeft()) : -1;
  ring.right = op.getWindowRight() ? int64_t(*op.getWindowRight()) : -1;
  ring.pin = ring.left >= 0 || ring.right >= 0 ? int64_t(op.getPin()) : 0;
}

std::string Explanation::axes() const {
  std::string text = std::to_string(a.cut.parts) + " positions of ";
  for (auto [i, axis] : llvm::enumerate(a.split.axes))
    text += (i ? " and '" : "'") + axis.getValue().str() + "'";
  return text;
}

static std::string orderOf(Balance balance) {
  if (!ofLeaves(balance))
    return stringifyBalance(balance).str();
  return (balance == Balance::Leaves ? "contiguous" : "zigzag") +
         std::string(" in whole blocks of ") + std::to_string(kLeafKeys);
}

std::string Explanation::headline() const {
  std::string balance = orderOf(a.split.balance);
  switch (a.way) {
  case Way::PassKV:
    return "keys and values go round the " + axes() + ", " + balance +
           " (pass-KV): " +
           (ofLeaves(a.split.balance)
                ? "partial results merge in one fixed tree (--reproducible)"
                : "queries are cut as they are");
  case Way::PassQ:
    return "keys and values stay at the " + axes() + ", " + balance +
           ", and partial results are combined (pass-Q): queries are whole";
  case Way::Ulysses:
    return "every one of the " + axes() +
           " attends all tokens of some heads: nothing goes round";
  case Way::Apart:
    return "queries are cut over the " + axes() + ", " + balance +
           ", and all keys and values are at each: " +
           (a.keysAreGathered ? "they were cut otherwise and are gathered"
                              : "nothing cuts them");
  }
  llvm_unreachable("all ways are above");
}

void Explanation::noteTokens() {
  if (!a.queryTokens || !a.keyTokens) {
    std::string what = a.queryTokens ? "keys"
                       : a.keyTokens ? "queries"
                                     : "tokens";
    note("the number of " + what +
         " is not known when this is compiled; what "
         "follows is for " +
         counted(ring.queries, "query", "queries") + " and " +
         counted(ring.keys, "key", "keys"));
  }
}

// The most that a place has to do, over the mean.
double Explanation::imbalance() const {
  if (a.way != Way::PassQ)
    return ring.imbalance();
  double most = 0, all = 0;
  for (int64_t owner = 0; owner < ring.places; ++owner) {
    double own = 0;
    for (int64_t part = 0; part < ring.places; ++part)
      own += ring.pairs(part, owner);
    most = std::max(most, own);
    all += own;
  }
  return all == 0 ? 1 : most * double(ring.places) / all;
}

void Explanation::noteWork() {
  std::string data = a.positionsAreData ? ", every key taken as visible, since "
                                          "positions or lengths are data"
                                        : "";
  note(llvm::formatv("the most loaded position has {0:f2} times the mean work",
                     imbalance())
           .str() +
       data);
  if (a.way != Way::PassKV)
    return;
  int64_t hops = ring.places * (ring.places - 1);
  if (int64_t skipped = ring.hopsSkipped())
    note(countText(double(skipped)) + " of " + countText(double(hops)) +
         " hops are skipped: no query of theirs sees a key");
  else
    note("none of the " + countText(double(hops)) + " hops is skipped");
}

void Explanation::noteTraffic() {
  // Rings beside each other, one for each place on the other axes.
  double rings = double(mesh.positions()) / double(ring.places);
  double kv = passKvBytes(ring, bytes, queries) * rings;
  double q = passQBytes(ring, bytes, queries) * rings;
  bool keysMove = a.way == Way::PassKV, onlyWay = ofLeaves(a.split.balance);
  double all = keysMove ? kv : q, most = 0;
  for (int64_t place = 0; place < ring.places; ++place)
    most = std::max(most, keysMove
                              ? double(ring.tokensReceived(place)) * bytes.keys
                              : passQBytesOf(ring, bytes, queries, place));
  note((keysMove ? "pass-KV moves " : "pass-Q moves ") + bytesText(all) +
       " in all, at most " + bytesText(most) + " to a position" +
       (onlyWay ? ""
                : std::string(keysMove ? "; pass-Q" : "; pass-KV") +
                      " would move " + bytesText(keysMove ? q : kv)));
  double least = crossover(ring.places, bytes, queries);
  if (!onlyWay)
    note(least < 0
             ? "pass-Q moves less for any number of queries"
             : "with every key visible pass-Q moves less below " +
                   plainText(1000 * least) + " queries for each 1,000 keys");
  double aux = 0;
  for (int64_t place = 0; place < ring.places; ++place)
    aux += double(ring.tokensReceived(place)) * rings * bytes.aux;
  if (aux > 0 && keysMove)
    note("positions, segments and masks add " + bytesText(aux));
  noteChoice(kv + aux, q);
}

// The plans that a launch compares say the same, to the byte.
void Explanation::noteChoice(double kv, double q) {
  if (a.chosen == 0)
    return;
  std::string by = "the direction is chosen at launch, by what moves less";
  if (a.chosen > 1)
    return note(by + " in the " + countText(double(a.chosen)) +
                " attentions of the graph, or by --policy");
  note(by + " or by --policy: " + (q < kv ? "pass-Q" : "pass-KV") +
       " for these lengths");
}

void Explanation::noteTime() {
  double link = 0; // of the slowest axis
  for (StringAttr axis : a.split.axes) {
    double own = linkOf(mesh, *mesh.axisNumber(axis.getValue()));
    if (own == 0)
      return note("whether transfers are hidden is not known: mesh '" +
                  mesh.getSymName().str() + "' declares no link for '" +
                  axis.getValue().str() + "'");
    link = link == 0 ? own : std::min(link, own);
  }
  std::string element;
  llvm::raw_string_ostream(element) << a.query.getElementType();
  double rate = declaredBy(mesh, element);
  if (rate == 0)
    return note("whether transfers are hidden is not known: mesh '" +
                mesh.getSymName().str() +
                "' has no target that declares a rate for " + element);
  RingCosts costs{flopsOfPair, bytes.keys, rate, link};
  RingTimeline line = timelineOf(ring, costs);
  double least = bytes.keys * rate / (flopsOfPair * link);
  std::string text =
      line.transferTime == 0
          ? "nothing is transferred"
          : plainText(100 * line.hiddenTime / line.transferTime) +
                " % of the transfer time is hidden under compute";
  note(text + "; a hop whose keys are all visible is hidden from " +
       countText(std::ceil(least)) + " tokens a position on");
}

void Explanation::write() {
  measure();
  remark.emplace(op.emitRemark(headline()));
  if (a.way == Way::Ulysses || ring.places == 1)
    return;
  noteTokens();
  noteWork();
  if (a.way == Way::Apart)
    return;
  noteTraffic();
  if (a.way == Way::PassKV)
    noteTime();
  else
    note("partial results move when all keys are met: nothing hides that");
}

void agt::explain(const SharedAttention &attention) {
  Explanation(attention).write();
}
