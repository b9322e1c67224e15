// See WebRequest.h.
#include "runtime/Web/WebRequest.h"

#include <algorithm>

namespace agt::rt {

namespace {

constexpr size_t mostHead = 16 << 10, mostBody = 1 << 20;

int digitOf(char letter) {
  if (letter >= '0' && letter <= '9')
    return letter - '0';
  letter = char(letter | 0x20);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

} // namespace

bool decodePercent(std::string_view text, std::string &decoded) {
  decoded.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    int high = i + 2 < text.size() ? digitOf(text[i + 1]) : -1;
    int low = i + 2 < text.size() ? digitOf(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return false;
    decoded += char(high * 16 + low);
    i += 2;
  }
  return true;
}

WebRequestReader::WebRequestReader() {
  http_parser_init(&parser, HTTP_REQUEST);
  parser.data = this;
}

int WebRequestReader::refuse(int code, const char *why) {
  status = code;
  error = why;
  return -1; // 1 would mean "no body" to the parser
}

int WebRequestReader::takeHeader() {
  if (!inValue)
    return 0;
  inValue = false;
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? char(letter | 0x20) : letter;
  });
  // What decides who asks must not be there twice.
  if (!request.headers.emplace(name, value).second &&
      (name == "host" || name == "origin" || name == "x-agt-token"))
    return refuse(400, "a header that counts is there twice");
  name.clear();
  value.clear();
  return 0;
}

bool WebRequestReader::takeTarget() {
  http_parser_url url;
  http_parser_url_init(&url);
  if (http_parser_parse_url(target.data(), target.size(), 0, &url) != 0)
    return false;
  auto part = [&](int which) {
    return url.field_set & (1 << which)
               ? std::string_view(target).substr(url.field_data[which].off,
                                                 url.field_data[which].len)
               : std::string_view();
  };
  request.path = part(UF_PATH);
  std::string_view query = part(UF_QUERY);
  while (!query.empty()) {
    std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    size_t equals = std::min(pair.find('='), pair.size());
    std::string key, text;
    if (!decodePercent(pair.substr(0, equals), key) ||
        !decodePercent(pair.substr(std::min(equals + 1, pair.size())), text))
      return false;
    request.query[key] = text;
  }
  return !request.path.empty();
}

WebRequestReader::State WebRequestReader::feed(const char *data, size_t bytes) {
  static const http_parser_settings settings = [] {
    http_parser_settings all;
    http_parser_settings_init(&all);
    http_parser_set_max_header_size(mostHead);
    all.on_url = [](http_parser *parser, const char *at, size_t n) {
      of(parser).target.append(at, n);
      return 0;
    };
    all.on_header_field = [](http_parser *parser, const char *at, size_t n) {
      WebRequestReader &self = of(parser);
      int code = self.takeHeader();
      self.name.append(at, n);
      return code;
    };
    all.on_header_value = [](http_parser *parser, const char *at, size_t n) {
      of(parser).inValue = true;
      of(parser).value.append(at, n);
      return 0;
    };
    all.on_headers_complete = [](http_parser *parser) {
      return of(parser).takeHeader();
    };
    all.on_body = [](http_parser *parser, const char *at, size_t n) {
      WebRequestReader &self = of(parser);
      if (self.request.body.size() + n > mostBody)
        return self.refuse(413, "the request's body is above 1 MiB");
      self.request.body.append(at, n);
      return 0;
    };
    all.on_message_complete = [](http_parser *parser) {
      of(parser).whole = true;
      http_parser_pause(parser, 1); // what comes behind it is not looked at
      return 0;
    };
    return all;
  }();
  http_parser_execute(&parser, &settings, data, bytes);
  http_errno why = HTTP_PARSER_ERRNO(&parser);
  if (whole) {
    request.method = http_method_str(http_method(parser.method));
    if (takeTarget())
      return Whole;
    error = "the request's target is no path";
    return Refused;
  }
  if (why == HPE_OK && !parser.upgrade)
    return More;
  if (why == HPE_HEADER_OVERFLOW)
    status = 431;
  if (error.empty())
    error = parser.upgrade ? "the protocol cannot be changed"
                           : http_errno_description(why);
  return Refused;
}

} // namespace agt::rt
