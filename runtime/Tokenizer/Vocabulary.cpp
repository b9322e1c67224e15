// See Vocabulary.h. Any bytes come back: a character U+2581, which stands for a
// blank in files of characters, is no token here and is written in bytes; and a
// blank that was put in front is taken away where text follows a beginning.
#include "runtime/Tokenizer/Vocabulary.h"

#include "runtime/Support/Failure.h"

#include <algorithm>
#include <cstdio>

namespace agt::rt {

bool isEndName(std::string_view name) {
  static const std::string_view names[] = {
      "</s>",          "<eos>",         "<|endoftext|>", "<|end_of_text|>",
      "<|eot_id|>",    "<|eom_id|>",    "<|im_end|>",    "<|end|>",
      "<end_of_turn>", "<|endofturn|>", "<|return|>",    "<EOT>"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

VocabularyTokenizer::VocabularyTokenizer(Vocabulary vocabulary)
    : v(std::move(vocabulary)) {
  bytes.fill(-1);
  for (size_t i = 0; i < v.tokens.size(); ++i) {
    const VocabularyToken &token = v.tokens[i];
    int32_t number = int32_t(i);
    if (token.kind == Kind::Text && !token.text.empty())
      byText.emplace(token.text, number);
    bool isByte =
        v.byteLevel ? token.kind == Kind::Text : token.kind == Kind::Byte;
    if (isByte && token.text.size() == 1) {
      int32_t &byte = bytes[static_cast<unsigned char>(token.text[0])];
      byte = byte < 0 ? number : byte;
    }
    if ((token.kind == Kind::Added || token.kind == Kind::Mark) &&
        !token.text.empty())
      added[static_cast<unsigned char>(token.text[0])].push_back(number);
  }
  for (int byte = 0; byte < 256; ++byte)
    if (bytes[size_t(byte)] < 0) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", unsigned(byte));
      fail(AGT_BAD_INPUT, std::string("no token stands for the byte ") + name +
                              ", so that not every text could be written");
    }
  for (std::vector<int32_t> &list : added)
    std::sort(list.begin(), list.end(), [&](int32_t a, int32_t b) {
      size_t left = v.tokens[size_t(a)].text.size(),
             right = v.tokens[size_t(b)].text.size();
      return left != right ? left > right : a < b;
    });
}

// ---- tokens to text ---------------------------------------------------------

bool VocabularyTokenizer::isBlankPutBehind(int32_t previous) const {
  if (v.front == Vocabulary::Never)
    return false;
  if (previous < 0 || (!v.begin.empty() && previous == v.begin.back()))
    return true;
  Kind kind = v.tokens[size_t(previous)].kind;
  return v.front == Vocabulary::Always &&
         (kind == Kind::Mark || kind == Kind::Added);
}

std::string_view VocabularyTokenizer::piece(int32_t previous,
                                            int32_t token) const {
  if (token < 0 || token >= size())
    return {};
  const VocabularyToken &own = v.tokens[size_t(token)];
  if (own.kind == Kind::Mark || own.kind == Kind::Unused)
    return {};
  std::string_view text = own.text;
  if (own.kind != Kind::Added && !text.empty() && text[0] == ' ' &&
      previous < size() && isBlankPutBehind(previous))
    text.remove_prefix(1);
  return text;
}

// ---- text to tokens ---------------------------------------------------------

int32_t VocabularyTokenizer::find(std::string_view text) const {
  auto found = byText.find(text);
  return found == byText.end() ? -1 : found->second;
}

int32_t VocabularyTokenizer::addedAt(std::string_view text, size_t at,
                                     bool marks) const {
  for (int32_t number : added[static_cast<unsigned char>(text[at])]) {
    const VocabularyToken &token = v.tokens[size_t(number)];
    if ((marks || token.kind == Kind::Added) &&
        text.substr(at, token.text.size()) == token.text)
      return number;
  }
  return -1;
}

static bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::vector<int32_t> VocabularyTokenizer::encode(std::string_view text,
                                                 bool marks) const {
  std::vector<int32_t> result = v.begin;
  encodeText(text, marks, true, result);
  return result;
}

std::vector<int32_t>
VocabularyTokenizer::encodeMore(std::string_view text) const {
  std::vector<int32_t> result;
  encodeText(text, false, false, result);
  return result;
}

void VocabularyTokenizer::encodeText(std::string_view text, bool marks,
                                     bool first,
                                     std::vector<int32_t> &out) const {
  size_t done = 0;
  // A text that goes on has the blanks that it has.
  auto blank = [&] {
    return v.front == Vocabulary::Always
               ? first || done > 0
               : v.front == Vocabulary::First && first && done == 0;
  };
  for (size_t at = 0; at < text.size();) {
    int32_t number = addedAt(text, at, marks);
    if (number < 0) {
      ++at;
      continue;
    }
    const VocabularyToken &token = v.tokens[size_t(number)];
    size_t end = at;
    while (token.takesBefore && end > done && isBlank(text[end - 1]))
      --end;
    encodePart(text.substr(done, end - done), blank(), out);
    out.push_back(number);
    at += token.text.size();
    while (token.takesBehind && at < text.size() && isBlank(text[at]))
      ++at;
    done = at;
  }
  encodePart(text.substr(done), blank(), out);
}

void VocabularyTokenizer::encodePart(std::string_view part, bool blank,
                                     std::vector<int32_t> &out) const {
  if (part.empty())
    return;
  std::string whole;
  if (blank) {
    whole = " " + std::string(part);
    part = whole;
  }
  for (std::string_view piece : splitText(part, v.steps))
    encodePiece(piece, out);
}

void VocabularyTokenizer::encodePiece(std::string_view piece,
                                      std::vector<int32_t> &out) const {
  if (v.wholePieces)
    if (int32_t token = find(piece); token >= 0) {
      out.push_back(token);
      return;
    }
  Merger merger;
  takeApart(piece, merger);
  merger.run([&](const Merger::Item &left, const Merger::Item &right) {
    return join(left, right);
  });
  for (const Merger::Item &item : merger.items())
    if (item.token >= 0)
      out.push_back(item.token);
    else
      for (char byte : item.text)
        out.push_back(bytes[static_cast<unsigned char>(byte)]);
}

void VocabularyTokenizer::takeApart(std::string_view piece,
                                    Merger &merger) const {
  for (size_t at = 0; at < piece.size();) {
    size_t length = v.byteLevel ? 1 : characterLength(piece, at);
    std::string_view text = piece.substr(at, length);
    at += length;
    int32_t token =
        v.byteLevel ? bytes[static_cast<unsigned char>(text[0])] : find(text);
    // By scores, what is no token may still be part of one; by merges not.
    if (token >= 0 || !v.scores.empty()) {
      merger.append(token, text);
      continue;
    }
    for (char byte : text)
      merger.append(bytes[static_cast<unsigned char>(byte)], {});
  }
}

std::optional<Join> VocabularyTokenizer::join(const Merger::Item &left,
                                              const Merger::Item &right) const {
  if (!v.scores.empty()) {
    int32_t token =
        find({left.text.data(), left.text.size() + right.text.size()});
    if (token < 0)
      return std::nullopt;
    return Join{v.scores[size_t(token)], token};
  }
  auto found = v.merges.find(Vocabulary::key(left.token, right.token));
  if (found == v.merges.end())
    return std::nullopt;
  return Join{-double(found->second.rank), found->second.token};
}

} // namespace agt::rt
