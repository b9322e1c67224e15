// See Mpi.h. What threads other than the one that serves call.
#include "runtime/Mesh/Mpi.h"

#include <cstdlib>

namespace agt::rt {

static int64_t numberFrom(const char *variable, int64_t otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::strtoll(text, nullptr, 10) : otherwise;
}

int64_t ranksFromEnvironment() { return numberFrom("OMPI_COMM_WORLD_SIZE", 1); }
int64_t rankFromEnvironment() { return numberFrom("OMPI_COMM_WORLD_RANK", 0); }

MpiWorld::MpiWorld() : mpi(std::make_unique<MpiLibrary>()) {
  server = std::thread([this] { serve(); });
  std::unique_lock<std::mutex> hold(lock);
  changed.wait(hold, [&] { return joined || failure; });
  if (!failure)
    return;
  hold.unlock();
  server.join();
  std::rethrow_exception(failure);
}

MpiWorld::~MpiWorld() {
  {
    std::lock_guard<std::mutex> hold(lock);
    leaving = true;
    posted.notify_all();
  }
  if (server.joinable())
    server.join();
}

void MpiWorld::stop() {
  {
    std::lock_guard<std::mutex> hold(lock);
    stopped = true;
    posted.notify_all();
  }
  if (server.joinable())
    server.join();
}

Transport::Request MpiWorld::post(const MessagePtr &message) {
  std::lock_guard<std::mutex> hold(lock);
  arriving.push_back(message);
  requests[++lastRequest] = message;
  posted.notify_all();
  return lastRequest;
}

MpiWorld::MessagePtr MpiWorld::newMessage(bool sends, int64_t peer,
                                          const void *data, uint64_t bytes,
                                          int tag) {
  auto message = std::make_shared<Message>();
  message->sends = sends;
  message->peer = peer;
  message->data = static_cast<unsigned char *>(const_cast<void *>(data));
  message->bytes = bytes;
  message->tag = tag;
  return message;
}

Transport::Request MpiWorld::postSend(int64_t to, const void *data,
                                      uint64_t bytes, Link link) {
  MessagePtr message = newMessage(true, to, data, bytes, dataTag);
  message->link = link;
  return post(message);
}

Transport::Request MpiWorld::postReceive(int64_t from, void *data,
                                         uint64_t bytes, Link link) {
  MessagePtr message = newMessage(false, from, data, bytes, dataTag);
  message->link = link;
  return post(message);
}

Span MpiWorld::waitFor(Request request, bool heedCancel) {
  std::unique_lock<std::mutex> hold(lock);
  MessagePtr message = requests.at(request);
  changed.wait(hold, [&] {
    return message->done || failure || (heedCancel && cancelled);
  });
  if (!message->done && failure)
    std::rethrow_exception(failure);
  if (!message->done)
    throw Cancelled();
  requests.erase(request);
  return message->span;
}

Span MpiWorld::wait(Request request) { return waitFor(request, true); }

void MpiWorld::cancel() {
  std::lock_guard<std::mutex> hold(lock);
  cancelled = true;
  posted.notify_all();
  changed.notify_all();
}

bool MpiWorld::isCancelled() {
  std::lock_guard<std::mutex> hold(lock);
  return cancelled;
}

// The length, then the text.
void MpiWorld::sendText(int64_t to, const std::string &text) {
  uint64_t bytes = text.size();
  waitFor(post(newMessage(true, to, &bytes, sizeof bytes, textTag)), false);
  if (bytes)
    waitFor(post(newMessage(true, to, text.data(), bytes, textTag)), false);
}

std::string MpiWorld::receiveText(int64_t from) {
  uint64_t bytes = 0;
  waitFor(post(newMessage(false, from, &bytes, sizeof bytes, textTag)), false);
  std::string text(bytes, 0);
  if (bytes)
    waitFor(post(newMessage(false, from, text.data(), bytes, textTag)), false);
  return text;
}

std::vector<std::string> MpiWorld::gatherAll(const std::string &text) {
  std::vector<std::string> all(static_cast<size_t>(count));
  if (self != 0) {
    sendText(0, text);
    for (std::string &each : all)
      each = receiveText(0);
    return all;
  }
  all[0] = text;
  for (int64_t other = 1; other < count; ++other)
    all[size_t(other)] = receiveText(other);
  for (int64_t other = 1; other < count; ++other)
    for (const std::string &each : all)
      sendText(other, each);
  return all;
}

} // namespace agt::rt
