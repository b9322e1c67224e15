// See Settings.h. An empty variable is one that is not set; a variable for
// traces alone goes before the one for all signals.
#include "runtime/Telemetry/Settings.h"

#include "runtime/Web/WebServer.h"

#include <algorithm>
#include <climits>
#include <unistd.h>

namespace agt::rt {

namespace {

std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos)
    return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lower(std::string text) {
  for (char &letter : text)
    if (letter >= 'A' && letter <= 'Z')
      letter = char(letter | 0x20);
  return text;
}

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    if (std::string part = trimmed(text.substr(at, end - at)); !part.empty())
      parts.push_back(std::move(part));
    at = end + 1;
  }
  return parts;
}

class Reader {
public:
  Reader(const Environment &environment, std::vector<std::string> &warnings)
      : environment(environment), warnings(warnings) {}

  std::string get(const std::string &name) const {
    const char *value = environment(name.c_str());
    return value ? trimmed(value) : "";
  }
  // Of OTEL_EXPORTER_OTLP_TRACES_X and OTEL_EXPORTER_OTLP_X, the name of the
  // one that counts.
  std::string exporterName(const char *what) const {
    std::string own = std::string("OTEL_EXPORTER_OTLP_TRACES_") + what;
    return get(own).empty() ? std::string("OTEL_EXPORTER_OTLP_") + what : own;
  }

  bool flag(const char *name) {
    std::string value = lower(get(name));
    if (!value.empty() && value != "true" && value != "false")
      warn(name, "'true' or 'false'", value);
    return value == "true";
  }

  int64_t number(const std::string &name, int64_t least, int64_t otherwise) {
    std::string value = get(name);
    if (value.empty())
      return otherwise;
    bool digits = value.size() <= 10 &&
                  value.find_first_not_of("0123456789") == std::string::npos;
    int64_t number = digits ? std::atoll(value.c_str()) : -1;
    if (number >= least && number <= INT_MAX)
      return number;
    warn(name, "a number from " + std::to_string(least) + " to 2147483647",
         value);
    return otherwise;
  }

  // key=value,key=value with values in percent-encoding. Values may be secret:
  // a warning does not repeat them.
  std::vector<std::pair<std::string, std::string>>
  list(const std::string &name) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string &entry : split(get(name))) {
      size_t equals = entry.find('=');
      std::string key = trimmed(entry.substr(0, equals)), value;
      if (equals == std::string::npos || key.empty() ||
          !decodePercent(trimmed(entry.substr(equals + 1)), value))
        warnings.push_back("expected " + name +
                           " as KEY=VALUE,KEY=VALUE with values in "
                           "percent-encoding; an entry is ignored");
      else
        pairs.emplace_back(std::move(key), std::move(value));
    }
    return pairs;
  }

  // For what may hold a password.
  void refuse(const std::string &name, const std::string &expected) {
    warnings.push_back("expected " + name + " as " + expected +
                       "; it is ignored");
  }
  void warn(const std::string &name, const std::string &expected,
            const std::string &got) {
    warnings.push_back("expected " + name + " as " + expected + ", got '" +
                       got + "', which is ignored");
  }

private:
  const Environment &environment;
  std::vector<std::string> &warnings;
};

bool isWanted(Reader &reader) {
  if (reader.flag("OTEL_SDK_DISABLED"))
    return false;
  bool otlp = false, other = false;
  for (const std::string &name :
       split(lower(reader.get("OTEL_TRACES_EXPORTER"))))
    if (name == "none")
      return false;
    else if (name == "otlp")
      otlp = true;
    else
      other = true;
  if (other && !otlp)
    reader.warn("OTEL_TRACES_EXPORTER", "'otlp' or 'none'",
                reader.get("OTEL_TRACES_EXPORTER"));
  return true;
}

// "" where there is none that can be used.
std::string urlOf(Reader &reader) {
  std::string name = reader.exporterName("ENDPOINT"), url = reader.get(name);
  if (url.empty())
    return "";
  std::string scheme = lower(url.substr(0, 8));
  if (scheme.rfind("http://", 0) != 0 && scheme.rfind("https://", 0) != 0) {
    reader.refuse(name, "a URL that begins with http:// or https://");
    return "";
  }
  // That of traces is taken as it is, the common one is where all signals are.
  if (name == "OTEL_EXPORTER_OTLP_ENDPOINT") {
    while (url.back() == '/')
      url.pop_back();
    url += "/v1/traces";
  }
  return url;
}

Attributes resourceOf(Reader &reader, const std::string &program,
                      const std::string &hash) {
  Attributes all;
  auto set = [&](const std::string &key, const AttributeValue &value) {
    auto same = [&](const auto &entry) { return entry.first == key; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end())
      all.emplace_back(key, value);
    else
      found->second = value;
  };
  set("service.name", program);
  set("service.version", hash);
  set("telemetry.sdk.name", std::string("agt"));
  set("telemetry.sdk.language", std::string("cpp"));
  set("telemetry.sdk.version", std::string("1"));
  set("process.pid", int64_t(getpid()));
  for (const auto &[key, value] : reader.list("OTEL_RESOURCE_ATTRIBUTES"))
    set(key, value);
  if (std::string name = reader.get("OTEL_SERVICE_NAME"); !name.empty())
    set("service.name", name);
  return all;
}

// Whether contents are wanted as attributes of spans.
bool wantsContent(Reader &reader) {
  const char *name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
  std::string value = lower(reader.get(name));
  if (value == "true" || value == "span_only" || value == "span_and_event")
    return true;
  if (!value.empty() && value != "false" && value != "no_content")
    reader.warn(name,
                "'true', 'false', 'span_only', 'span_and_event' or "
                "'no_content'",
                value);
  return false;
}

} // namespace

std::optional<TraceSettings> traceSettings(const Environment &environment,
                                           const std::string &program,
                                           const std::string &hash,
                                           std::vector<std::string> &warnings) {
  Reader reader(environment, warnings);
  TraceSettings settings;
  if (reader.get(reader.exporterName("ENDPOINT")).empty() || !isWanted(reader))
    return std::nullopt;
  settings.url = urlOf(reader);
  if (settings.url.empty())
    return std::nullopt;
  std::string protocol = reader.exporterName("PROTOCOL");
  if (lower(reader.get(protocol)) == "grpc")
    reader.warn(protocol, "'http/json'", "grpc");
  settings.headers = reader.list(reader.exporterName("HEADERS"));
  auto milliseconds = [&](const std::string &name, int64_t otherwise) {
    constexpr int64_t ms = 1'000'000;
    int64_t given = reader.number(name, 0, otherwise / ms);
    return (given ? given : INT_MAX) * ms; // 0: no limit
  };
  settings.timeoutNs =
      milliseconds(reader.exporterName("TIMEOUT"), settings.timeoutNs);
  constexpr int64_t ms = 1'000'000;
  settings.delayNs =
      reader.number("OTEL_BSP_SCHEDULE_DELAY", 0, settings.delayNs / ms) * ms;
  settings.queue = size_t(
      reader.number("OTEL_BSP_MAX_QUEUE_SIZE", 1, int64_t(settings.queue)));
  settings.batch = size_t(reader.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1,
                                        int64_t(settings.batch)));
  settings.batch = std::min(settings.batch, settings.queue);
  settings.content = wantsContent(reader);
  settings.resource = resourceOf(reader, program, hash);
  return settings;
}

} // namespace agt::rt
