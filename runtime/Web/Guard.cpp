// See Guard.h.
#include "runtime/Web/Guard.h"

#include "runtime/Support/Failure.h"

#include <algorithm>
#include <openssl/crypto.h>
#include <unistd.h>

namespace agt::rt {

namespace {

bool isLoopback(std::string host) {
  size_t colon = host.rfind(':');
  bool hasPort =
      colon != std::string::npos && colon + 1 < host.size() &&
      host.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (hasPort)
    host.resize(colon);
  std::transform(host.begin(), host.end(), host.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? char(letter | 0x20) : letter;
  });
  return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

bool isToken(const std::string &given, const std::string &token) {
  return given.size() == token.size() &&
         CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

} // namespace

std::optional<WebReply> foreignRefusal(const WebRequest &request) {
  std::string host = request.header("host");
  if (!isLoopback(host))
    return errorReply(403, "the host '" + host +
                               "' is not this machine's loopback address");
  std::string origin = request.header("origin");
  if (!origin.empty() && origin != "http://" + host)
    return errorReply(403, "the page is of another origin, '" + origin + "'");
  std::string site = request.header("sec-fetch-site");
  bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads && !site.empty() && site != "same-origin" && site != "none")
    return errorReply(403, "the page is of another origin");
  return std::nullopt;
}

std::optional<WebReply> refusal(const WebRequest &request,
                                const std::string &token) {
  if (std::optional<WebReply> foreign = foreignRefusal(request))
    return foreign;
  if (request.method == "GET" || request.method == "HEAD")
    return std::nullopt;
  if (request.method != "POST")
    return errorReply(405, "the method " + request.method + " is not known");
  if (!isToken(request.header("x-agt-token"), token))
    return errorReply(403, "the page's token is missing, or of another start "
                           "of the program: load the page again");
  std::string type = request.header("content-type");
  type = type.substr(0, type.find(';'));
  if (type != "application/json")
    return errorReply(415, "expected a body of application/json, got '" + type +
                               "'");
  return std::nullopt;
}

std::string newToken() {
  unsigned char bytes[32];
  if (getentropy(bytes, sizeof bytes) != 0)
    fail(AGT_FAILED, "the system gives no random bytes");
  std::string token;
  for (unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

} // namespace agt::rt
