// What Prometheus' clients say of their own process, under the usual names.
#ifndef AGT_RUNTIME_UI_PROCESSMETRICS_H
#define AGT_RUNTIME_UI_PROCESSMETRICS_H

#include <cstdint>
#include <string>
#include <vector>

namespace agt::rt {

using MetricLabels = std::vector<std::pair<const char *, std::string>>;

/// One family of the text format: its HELP and TYPE lines, then its samples.
class MetricFamily {
public:
  /// `type`: "counter", "gauge" or "histogram".
  MetricFamily(std::string &text, const char *name, const char *type,
               const char *help);
  void add(double value, const MetricLabels &labels = {});
  /// `atMost[i]`: how many were at most `bounds[i]`.
  void addHistogram(const std::vector<double> &bounds,
                    const std::vector<int64_t> &atMost, int64_t count,
                    double sum, const MetricLabels &labels);

private:
  void sample(const char *suffix, double value, const MetricLabels &labels);

  std::string &text;
  const char *name;
};

void addProcessMetrics(std::string &text);

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_PROCESSMETRICS_H
