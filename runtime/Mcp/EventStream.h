// Server-sent events, taken apart as their bytes come.
#ifndef AGT_RUNTIME_MCP_EVENTSTREAM_H
#define AGT_RUNTIME_MCP_EVENTSTREAM_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace agt::rt {

class EventStream {
public:
  /// Called with the data of each event that has any.
  explicit EventStream(std::function<void(const std::string &)> onData)
      : onData(std::move(onData)) {}

  void feed(std::string_view bytes);
  /// Another connection goes on with the stream: what was half read is gone.
  void restart() { line.clear(), data.clear(), id.clear(), any = false; }

  /// Of the last event that had one; "": a stream that cannot be gone on with.
  std::string lastId;
  int64_t retryMs = 500; // before another connection
  /// Bytes of the event that is not whole yet.
  size_t pending() const { return line.size() + data.size(); }

private:
  void take(const std::string &whole);

  std::function<void(const std::string &)> onData;
  std::string line, data, id;
  bool any = false, sawReturn = false;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_MCP_EVENTSTREAM_H
