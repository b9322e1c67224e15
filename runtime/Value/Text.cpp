// Values as text: canonical JSON, UTF-8, base64.
#include "runtime/Value/Value.h"

#include <charconv>
#include <cmath>

namespace agt::rt {

void appendQuoted(std::string &out, std::string_view text) {
  static const char *digits = "0123456789abcdef";
  out += '"';
  for (unsigned char letter : text) {
    switch (letter) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      if (letter < 0x20) {
        out += "\\u00";
        out += digits[letter >> 4];
        out += digits[letter & 15];
      } else {
        out += char(letter);
      }
    }
  }
  out += '"';
}

std::string jsonString(std::string_view text) {
  std::string out;
  appendQuoted(out, text);
  return out;
}

std::string floatText(double number) {
  if (!std::isfinite(number))
    throw StepFailure(std::isnan(number)
                          ? "a float that is not a number has no JSON"
                          : "an infinite float has no JSON");
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  std::string text(buffer, end);
  // Without a point or an exponent it would read back as an int.
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

static void appendRecord(std::string &out, Value value) {
  out += '{';
  bool first = true;
  for (size_t index : value->shape->sorted) {
    if (!first)
      out += ',';
    first = false;
    appendQuoted(out, value->shape->names[index]);
    out += ':';
    appendCanonical(out, value->elements[index]);
  }
  out += '}';
}

void appendCanonical(std::string &out, Value value) {
  if (!value) {
    out += "null";
    return;
  }
  switch (value->kind) {
  case AGT_BOOL_VALUE:
    out += value->truth ? "true" : "false";
    break;
  case AGT_INT:
    out += std::to_string(value->number);
    break;
  case AGT_FLOAT:
    out += floatText(value->real);
    break;
  case AGT_STRING:
    appendQuoted(out, textOf(value));
    break;
  case AGT_BYTES:
    appendQuoted(out, base64(textOf(value)));
    break;
  case AGT_LIST:
    out += '[';
    for (uint64_t i = 0; i < value->count; ++i) {
      if (i)
        out += ',';
      appendCanonical(out, value->elements[i]);
    }
    out += ']';
    break;
  case AGT_RECORD:
    appendRecord(out, value);
    break;
  case AGT_HANDLE:
    out += "{\"bytes\":" + std::to_string(value->number) + ",\"handle\":";
    appendQuoted(out, value->bytes);
    out += '}';
    break;
  default:
    out += "null";
  }
}

std::string canonicalJson(Value value) {
  std::string out;
  appendCanonical(out, value);
  return out;
}

void appendText(std::string &out, Value value) {
  if (isString(value))
    out += textOf(value);
  else
    appendCanonical(out, value);
}

static const char *base64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (size_t k = 0; k < 3; ++k)
      word =
          word << 8 | (i + k < bytes.size() ? (unsigned char)bytes[i + k] : 0);
    for (size_t k = 0; k < 4; ++k)
      out +=
          i + k > bytes.size() ? '=' : base64Digits[word >> (18 - 6 * k) & 63];
  }
  return out;
}

bool fromBase64(std::string_view text, std::string &bytes) {
  bytes.clear();
  if (text.size() % 4)
    return false;
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t word = 0;
    int padding = 0;
    for (size_t k = 0; k < 4; ++k) {
      const char *digit =
          std::char_traits<char>::find(base64Digits, 64, text[i + k]);
      bool last = i + 4 == text.size() && k >= 2;
      if (!digit && !(text[i + k] == '=' && last))
        return false;
      if (!digit)
        ++padding;
      else if (padding)
        return false;
      word = word << 6 | uint32_t(digit ? digit - base64Digits : 0);
    }
    for (int k = 0; k < 3 - padding; ++k)
      bytes += char(word >> (16 - 8 * k) & 255);
  }
  return true;
}

int64_t countCodePoints(std::string_view text) {
  int64_t n = 0;
  for (unsigned char letter : text)
    n += (letter & 0xc0) != 0x80;
  return n;
}

} // namespace agt::rt
