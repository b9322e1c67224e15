// See RingPicture.h.
#include "passes/RingPicture.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace agt;
using namespace agt::analysis;

// Pixels.
static constexpr unsigned kLeft = 110, kWide = 760, kTop = 84, kRow = 58;
static constexpr unsigned kCompute = 26, kTransfer = 12;

/// A color a shard keeps at every place.
static std::string colorOf(int64_t owner, int64_t places) {
  return llvm::formatv("hsl({0}, 55%, 72%)", owner * 360 / places);
}

/// "1.25 ms"
static std::string timeText(double seconds) {
  if (seconds >= 1)
    return llvm::formatv("{0:f2} s", seconds);
  if (seconds >= 1e-3)
    return llvm::formatv("{0:f2} ms", seconds * 1e3);
  return llvm::formatv("{0:f2} us", seconds * 1e6);
}

std::string agt::ringSvg(const std::string &title, const Ring &ring,
                         const RingCosts &costs) {
  RingTimeline line = timelineOf(ring, costs);
  double scale = line.end > 0 ? kWide / line.end : 0;
  unsigned height = kTop + kRow * unsigned(ring.places) + 56;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"20\" y=\"26\" font-size=\"16\">{2}</text>\n"
      "<text x=\"20\" y=\"46\" fill=\"#555\">{3} places, {4} queries, {5} "
      "keys; "
      "{6:e2} FLOP/s, {7:e2} B/s a link</text>\n"
      "<text x=\"20\" y=\"64\" fill=\"#555\">{8} in all; {9} of {10} of "
      "transfers hidden; {11} steps skipped</text>\n",
      kLeft + kWide + 40, height, title, ring.places, ring.queries, ring.keys,
      costs.rate, costs.link, timeText(line.end), timeText(line.hiddenTime),
      timeText(line.transferTime), ring.hopsSkipped());
  auto x = [&](double seconds) { return kLeft + seconds * scale; };
  auto box = [&](const Interval &span, unsigned y, unsigned tall,
                 const std::string &fill, const char *stroke) {
    os << llvm::formatv("<rect x=\"{0:f1}\" y=\"{1}\" width=\"{2:f1}\" "
                        "height=\"{3}\" fill=\"{4}\" stroke=\"{5}\"/>\n",
                        x(span.begin), y, span.length() * scale, tall, fill,
                        stroke);
  };
  for (int64_t place = 0; place < ring.places; ++place) {
    unsigned y = kTop + kRow * unsigned(place);
    os << llvm::formatv("<text x=\"20\" y=\"{0}\">position {1}</text>\n",
                        y + 18, place);
    for (const RingStep &step : line.steps[size_t(place)]) {
      if (step.compute.length() > 0) {
        box(step.compute, y, kCompute, colorOf(step.owner, ring.places),
            "#333");
        os << llvm::formatv(
            "<text x=\"{0:f1}\" y=\"{1}\" text-anchor=\"middle\">{2}</text>\n",
            x((step.compute.begin + step.compute.end) / 2), y + 18, step.owner);
      }
      if (!step.receives)
        continue;
      Interval hidden = step.transfer;
      hidden.end =
          std::min(hidden.end, std::max(hidden.begin, step.compute.end));
      int64_t arriving = (step.owner + ring.places - 1) % ring.places;
      box(step.transfer, y + kCompute + 3, kTransfer, "#ffffff", "#c0392b");
      box(hidden, y + kCompute + 3, kTransfer, colorOf(arriving, ring.places),
          "#888");
    }
  }
  os << llvm::formatv(
      "<text x=\"20\" y=\"{0}\" fill=\"#555\">tall: queries meet a shard (its "
      "number); flat: the next shard arrives, outlined in red where no compute "
      "hides it</text>\n</svg>\n",
      height - 20);
  return text;
}

std::string agt::ringDot(const std::string &title, const Ring &ring) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "digraph \"" << title << "\" {\n  rankdir=LR;\n  node [shape=record, "
     << "fontname=\"sans-serif\"];\n";
  for (int64_t place = 0; place < ring.places; ++place) {
    os << "  p" << place << " [label=\"position " << place;
    for (int64_t step = 0; step < ring.places; ++step) {
      int64_t owner = ring.owner(place, step);
      os << "|" << (ring.sees(place, owner) ? "meets " : "skips ") << owner;
    }
    os << "\"];\n  p" << place << " -> p" << (place + 1) % ring.places << ";\n";
  }
  os << "}\n";
  return text;
}
