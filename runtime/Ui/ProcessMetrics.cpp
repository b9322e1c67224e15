// See ProcessMetrics.h.
#include "runtime/Ui/ProcessMetrics.h"

#include <charconv>
#include <dirent.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace agt::rt {

namespace {

std::string escapedLabel(const std::string &value) {
  std::string out;
  for (char letter : value)
    if (letter == '\n')
      out += "\\n";
    else if (letter == '"' || letter == '\\')
      (out += '\\') += letter;
    else
      out += letter;
  return out;
}

std::string numberText(double value) {
  char text[40];
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

// Fields of /proc/self/stat behind the name, which may hold anything: the first
// one is field 3.
std::vector<std::string> ownStat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream rest(line.substr(line.rfind(')') + 1));
  std::vector<std::string> fields;
  for (std::string field; rest >> field;)
    fields.push_back(field);
  return fields;
}

double bootTime() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;)
    if (word == "btime") {
      double seconds = 0;
      file >> seconds;
      return seconds;
    }
  return 0;
}

int openFiles() {
  int count = 0;
  if (DIR *folder = opendir("/proc/self/fd")) {
    while (const dirent *entry = readdir(folder))
      count += entry->d_name[0] != '.';
    closedir(folder);
    --count; // the folder itself
  }
  return count;
}

} // namespace

MetricFamily::MetricFamily(std::string &text, const char *name,
                           const char *type, const char *help)
    : text(text), name(name) {
  text += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name +
          " " + type + "\n";
}

void MetricFamily::add(double value, const MetricLabels &labels) {
  sample("", value, labels);
}

void MetricFamily::addHistogram(const std::vector<double> &bounds,
                                const std::vector<int64_t> &atMost,
                                int64_t count, double sum,
                                const MetricLabels &labels) {
  MetricLabels bounded = labels;
  bounded.emplace_back("le", "");
  for (size_t i = 0; i < bounds.size(); ++i) {
    bounded.back().second = numberText(bounds[i]);
    sample("_bucket", double(i < atMost.size() ? atMost[i] : 0), bounded);
  }
  bounded.back().second = "+Inf";
  sample("_bucket", double(count), bounded);
  sample("_sum", sum, labels);
  sample("_count", double(count), labels);
}

void MetricFamily::sample(const char *suffix, double value,
                          const MetricLabels &labels) {
  (text += name) += suffix;
  const char *between = "{";
  for (const auto &[label, content] : labels) {
    text += std::string(between) + label + "=\"" + escapedLabel(content) + "\"";
    between = ",";
  }
  text += (labels.empty() ? " " : "} ") + numberText(value) + "\n";
}

void addProcessMetrics(std::string &text) {
  std::vector<std::string> stat = ownStat();
  double tick = double(sysconf(_SC_CLK_TCK));
  auto field = [&](size_t number) { // as proc(5) numbers them
    return number - 3 < stat.size() ? std::atof(stat[number - 3].c_str()) : 0;
  };
  MetricFamily(text, "process_cpu_seconds_total", "counter",
               "CPU time of this process, in seconds.")
      .add((field(14) + field(15)) / tick);
  MetricFamily(text, "process_start_time_seconds", "gauge",
               "When this process began, in seconds since 1970.")
      .add(bootTime() + field(22) / tick);
  MetricFamily(text, "process_resident_memory_bytes", "gauge",
               "Resident memory, in bytes.")
      .add(field(24) * double(sysconf(_SC_PAGESIZE)));
  MetricFamily(text, "process_virtual_memory_bytes", "gauge",
               "Virtual memory, in bytes.")
      .add(field(23));
  MetricFamily(text, "process_threads", "gauge", "Threads.").add(field(20));
  MetricFamily(text, "process_open_fds", "gauge", "Open file descriptors.")
      .add(openFiles());
  rlimit most;
  if (getrlimit(RLIMIT_NOFILE, &most) == 0)
    MetricFamily(text, "process_max_fds", "gauge",
                 "How many file descriptors may be open.")
        .add(double(most.rlim_cur));
}

} // namespace agt::rt
