// See Http.h. Redirects are not followed: an effect that moves to another
// place is no longer the one that was declared.
#include "runtime/Http/Http.h"

#include "runtime/Http/Curl.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace agt::rt {

namespace {

struct Transfer {
  const HttpRequest *request;
  HttpReply *reply;
  CURL *handle;
  bool stopped = false; // by onData
  bool late = false;    // mayBegin said no
};

size_t takeBody(char *data, size_t size, size_t n, void *argument) {
  auto &transfer = *static_cast<Transfer *>(argument);
  size_t bytes = size * n;
  HttpReply &reply = *transfer.reply;
  reply.bodyBytes += bytes;
  if (reply.body.size() < transfer.request->keep)
    reply.body.append(
        data, std::min(bytes, transfer.request->keep - reply.body.size()));
  long status = 0;
  curl().easyGetinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  if (transfer.request->onData && status / 100 == 2 &&
      !transfer.request->onData({data, bytes})) {
    transfer.stopped = true;
    return 0;
  }
  return bytes;
}

int64_t retryAfter(const std::string &value) {
  char *end;
  double seconds = std::strtod(value.c_str(), &end);
  if (end != value.c_str() && seconds >= 0)
    return int64_t(std::min(seconds, 3600.0) * 1e9);
  tm parts = {};
  if (!strptime(value.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts))
    return 0;
  int64_t wait = int64_t(timegm(&parts)) - int64_t(time(nullptr));
  return std::clamp<int64_t>(wait, 0, 3600) * 1000000000;
}

size_t takeHeader(char *data, size_t size, size_t n, void *argument) {
  auto &transfer = *static_cast<Transfer *>(argument);
  std::string line(data, size * n);
  size_t colon = line.find(':');
  size_t begin = colon == std::string::npos
                     ? colon
                     : line.find_first_not_of(" \t\r\n", colon + 1);
  if (begin == std::string::npos)
    return size * n;
  std::string name = line.substr(0, colon);
  for (char &letter : name)
    letter = char(std::tolower((unsigned char)letter));
  std::string value =
      line.substr(begin, line.find_last_not_of(" \t\r\n") - begin + 1);
  if (name == "retry-after")
    transfer.reply->retryAfterNs = retryAfter(value);
  if (transfer.request->onHeader)
    transfer.request->onHeader(name, value);
  return size * n;
}

// Called by libcurl at least once a second, and whenever something moves.
int progress(void *argument, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto &transfer = *static_cast<Transfer *>(argument);
  const HttpRequest &request = *transfer.request;
  return (request.cancel && request.cancel->cancelled()) ||
         (request.stop && request.stop());
}

// The connection stands, and nothing of the request is sent.
int beforeRequest(void *argument, char *, char *, int, int) {
  auto &transfer = *static_cast<Transfer *>(argument);
  transfer.late = !transfer.request->mayBegin();
  return transfer.late ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

HttpReply::Kind kindOf(CURLcode code, CURL *handle, const Transfer &transfer) {
  if (code == CURLE_OK || transfer.stopped)
    return HttpReply::Answered;
  if (transfer.late)
    return HttpReply::NotConnected;
  switch (code) {
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_CONNECT:
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_PEER_FAILED_VERIFICATION:
    return HttpReply::NotConnected;
  case CURLE_ABORTED_BY_CALLBACK:
    return HttpReply::Cancelled;
  case CURLE_OPERATION_TIMEDOUT: {
    // Before the connection stood nothing can have been sent.
    double connected = 0;
    curl().easyGetinfo(handle, CURLINFO_CONNECT_TIME, &connected);
    return connected > 0 ? HttpReply::TimedOut : HttpReply::NotConnected;
  }
  default:
    return HttpReply::Lost;
  }
}

} // namespace

HttpReply httpRequest(const HttpRequest &request) {
  const Curl &lib = curl();
  if (request.url.rfind("http://", 0) != 0 &&
      request.url.rfind("https://", 0) != 0)
    throw StepFailure("expected a URL that begins with http:// or https://, "
                      "got " +
                      jsonString(request.url));
  for (const auto &[name, value] : request.headers)
    if ((name + value).find_first_of(std::string("\r\n\0", 3)) !=
        std::string::npos)
      throw StepFailure("the header " + jsonString(name) +
                        " holds a line break or a NUL");
  HttpReply reply;
  CURL *handle = lib.easyInit();
  Transfer transfer{&request, &reply, handle};
  curl_slist *headers = nullptr;
  for (const auto &[name, value] : request.headers)
    headers = lib.slistAppend(
        headers, (name + (value.empty() ? ";" : ": " + value)).c_str());
  // 100-continue costs a second with servers that do not know it.
  headers = lib.slistAppend(headers, "Expect:");
  char message[CURL_ERROR_SIZE] = "";
  auto set = [&](CURLoption option, auto value) {
    lib.easySetopt(handle, option, value);
  };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_TIMEOUT_MS,
      long(std::max<int64_t>(request.timeoutNs / 1000000, 1)));
  set(CURLOPT_ERRORBUFFER, message);
  set(CURLOPT_WRITEFUNCTION, takeBody);
  set(CURLOPT_WRITEDATA, static_cast<void *>(&transfer));
  set(CURLOPT_HEADERFUNCTION, takeHeader);
  set(CURLOPT_HEADERDATA, static_cast<void *>(&transfer));
  set(CURLOPT_XFERINFOFUNCTION, progress);
  set(CURLOPT_XFERINFODATA, static_cast<void *>(&transfer));
  set(CURLOPT_NOPROGRESS, 0L);
  if (request.mayBegin) {
    set(CURLOPT_PREREQFUNCTION, beforeRequest);
    set(CURLOPT_PREREQDATA, static_cast<void *>(&transfer));
  }
  if (request.hasBody) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
  }
  CURLcode code = lib.easyPerform(handle);
  lib.easyGetinfo(handle, CURLINFO_RESPONSE_CODE, &reply.status);
  reply.kind = kindOf(code, handle, transfer);
  if (reply.kind != HttpReply::Answered)
    reply.error = transfer.late ? "it was announced too long ago"
                  : *message    ? message
                                : lib.easyStrerror(code);
  lib.slistFreeAll(headers);
  lib.easyCleanup(handle);
  return reply;
}

} // namespace agt::rt
