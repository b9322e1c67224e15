// What Prometheus' clients say of their own process, under the usual names.
#ifndef AGT_RUNTIME_UI_PROCESSMETRICS_H
#define AGT_RUNTIME_UI_PROCESSMETRICS_H

#include <string>
#include <vector>

namespace agt::rt {

/// One family of the text format: its HELP and TYPE lines, then its samples.
class MetricFamily {
public:
  /// `type`: "counter" or "gauge".
  MetricFamily(std::string &text, const char *name, const char *type,
               const char *help);
  void
  add(double value,
      const std::vector<std::pair<const char *, std::string>> &labels = {});

private:
  std::string &text;
  const char *name;
};

void addProcessMetrics(std::string &text);

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_PROCESSMETRICS_H
