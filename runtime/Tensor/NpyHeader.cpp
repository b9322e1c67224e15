// A parser for the few forms of Python literals that NumPy writes: strings
// without escapes, True, False, tuples of whole numbers (with the L that
// Python 2 added). A 'descr' that is a list describes records, which have no
// tensor type.
#include "runtime/Tensor/NpyHeader.h"

#include "runtime/Support/Failure.h"

namespace agt::rt {

// More than any dtype or NumPy itself (64) allows.
static constexpr size_t maxRank = 64;

namespace {
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}
  NpyHeader parse();

private:
  [[noreturn]] void expected(const std::string &what) {
    fail(AGT_BAD_INPUT, "its header is damaged: expected " + what +
                            " at byte " + std::to_string(at));
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' ||
                                text[at] == '\t' || text[at] == '\r'))
      ++at;
  }
  bool take(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  void need(char c) {
    if (!take(c))
      expected(std::string("'") + c + "'");
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }
  std::string string();
  bool boolean();
  int64_t number();
  std::vector<int64_t> tuple();
  void value(const std::string &key, NpyHeader &header);

  std::string_view text;
  size_t at = 0;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};
} // namespace

std::string Parser::string() {
  skipSpace();
  char quote = at < text.size() ? text[at] : 0;
  if (quote != '\'' && quote != '"')
    expected("a string");
  size_t end = text.find(quote, at + 1);
  if (end == std::string_view::npos)
    expected("a string that ends");
  std::string value(text.substr(at + 1, end - at - 1));
  at = end + 1;
  return value;
}

bool Parser::boolean() {
  if (takeWord("True"))
    return true;
  if (takeWord("False"))
    return false;
  expected("True or False");
}

int64_t Parser::number() {
  skipSpace();
  size_t begin = at;
  int64_t value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    if (__builtin_mul_overflow(value, int64_t(10), &value) ||
        __builtin_add_overflow(value, int64_t(text[at] - '0'), &value))
      fail(AGT_BAD_INPUT, "its header has a dim beyond 64 bits");
    ++at;
  }
  if (at == begin)
    expected("a dim");
  if (at < text.size() && text[at] == 'L')
    ++at;
  return value;
}

std::vector<int64_t> Parser::tuple() {
  std::vector<int64_t> values;
  need('(');
  while (!take(')')) {
    values.push_back(number());
    if (values.size() > maxRank)
      fail(AGT_BAD_INPUT,
           "its header has more than " + std::to_string(maxRank) + " dims");
    if (!take(',')) {
      // "(3)" is a number to Python, not a tuple.
      if (values.size() == 1)
        expected("','");
      need(')');
      break;
    }
  }
  return values;
}

void Parser::value(const std::string &key, NpyHeader &header) {
  if (key == "descr") {
    skipSpace();
    if (at < text.size() && (text[at] == '[' || text[at] == '('))
      fail(AGT_BAD_INPUT, "it holds records (a structured dtype), expected "
                          "elements of one plain type");
    header.descr = string();
    hasDescr = true;
  } else if (key == "fortran_order") {
    header.fortranOrder = boolean();
    hasOrder = true;
  } else if (key == "shape") {
    header.shape = tuple();
    hasShape = true;
  } else {
    fail(AGT_BAD_INPUT, "its header has the unknown key '" + key + "'");
  }
}

NpyHeader Parser::parse() {
  NpyHeader header;
  need('{');
  while (!take('}')) {
    std::string key = string();
    need(':');
    value(key, header);
    if (!take(',')) {
      need('}');
      break;
    }
  }
  skipSpace();
  // Version 1 pads with spaces; some writers pad with zeros.
  while (at < text.size() && text[at] == 0)
    ++at;
  if (at != text.size())
    expected("the header's end");
  for (auto [present, key] :
       {std::pair(hasDescr, "descr"), std::pair(hasOrder, "fortran_order"),
        std::pair(hasShape, "shape")})
    if (!present)
      fail(AGT_BAD_INPUT, std::string("its header lacks '") + key + "'");
  return header;
}

NpyHeader parseNpyHeader(std::string_view text) { return Parser(text).parse(); }

} // namespace agt::rt
