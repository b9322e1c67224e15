// The tokenizer in the values of a GGUF file, "tokenizer.ggml.*". What of them
// is not known here is refused by name: it might change tokens.
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tokenizer/ByteCharacters.h"
#include "runtime/Tokenizer/Vocabulary.h"
#include "runtime/Weights/Gguf.h"

#include <algorithm>
#include <cmath>

namespace agt::rt {
namespace {

const std::string prefix = "tokenizer.ggml.";

/// What "tokenizer.ggml.pre" names.
struct PreTokenizer {
  std::vector<const char *> patterns;
  bool wholePieces = false;
  bool begins = false; // with BOS, where the file does not say
};

#define AGT_LLAMA3_PATTERN(digits)                                             \
  "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|"                 \
  "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits                                      \
  "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

// As llama.cpp has them, which writes these names.
const std::pair<const char *, PreTokenizer> preTokenizers[] = {
    {"default",
     {{R"([\p{P}\$\+<=>\^~\|]+)", gpt2Pattern, R"(\p{N}+)",
       "[0-9][0-9][0-9]"}}},
    {"gpt-2", {{gpt2Pattern}}},
    {"llama-bpe", {{AGT_LLAMA3_PATTERN("\\p{N}{1,3}")}, true, true}},
    {"llama3", {{AGT_LLAMA3_PATTERN("\\p{N}{1,3}")}, true, true}},
    {"llama-v3", {{AGT_LLAMA3_PATTERN("\\p{N}{1,3}")}, true, true}},
    {"qwen2", {{AGT_LLAMA3_PATTERN("\\p{N}")}}},
    {"smollm", {{R"(\p{N})", gpt2Pattern}}},
    {"starcoder", {{R"(\p{N})", gpt2Pattern}}},
};

#undef AGT_LLAMA3_PATTERN

// Known, and without effect on a text's tokens or read below.
const char *const knownKeys[] = {"model",
                                 "pre",
                                 "tokens",
                                 "token_type",
                                 "scores",
                                 "merges",
                                 "token_type_count",
                                 "bos_token_id",
                                 "eos_token_id",
                                 "eot_token_id",
                                 "eom_token_id",
                                 "unknown_token_id",
                                 "separator_token_id",
                                 "seperator_token_id",
                                 "padding_token_id",
                                 "cls_token_id",
                                 "mask_token_id",
                                 "prefix_token_id",
                                 "suffix_token_id",
                                 "middle_token_id",
                                 "fim_pre_token_id",
                                 "fim_suf_token_id",
                                 "fim_mid_token_id",
                                 "fim_pad_token_id",
                                 "fim_rep_token_id",
                                 "fim_sep_token_id",
                                 "add_bos_token",
                                 "add_eos_token",
                                 "add_sep_token",
                                 "add_space_prefix",
                                 "remove_extra_whitespaces"};

class VocabularyReader {
public:
  explicit VocabularyReader(const Gguf &file) : file(file) {}
  Vocabulary read();

private:
  void checkKeys();
  void readTokens();
  VocabularyToken::Kind kindOf(int64_t type, size_t number);
  std::string textOf(std::string_view raw, VocabularyToken::Kind kind,
                     size_t number);
  void readScores();
  void readMerges();
  void readMarks();
  void makeMark(int32_t number);
  bool flag(const std::string &key, bool otherwise) {
    return file.flag(prefix + key).value_or(otherwise);
  }
  std::optional<int32_t> tokenNumber(const std::string &key);

  const Gguf &file;
  Vocabulary v;
  std::vector<std::string_view> raw; // the tokens as the file has them
  bool begins = false;
};

} // namespace

void VocabularyReader::checkKeys() {
  for (const std::string &key : file.keys())
    if (key.compare(0, prefix.size(), prefix) == 0 &&
        std::find(std::begin(knownKeys), std::end(knownKeys),
                  key.substr(prefix.size())) == std::end(knownKeys))
      file.refuse("its tokenizer has '" + key + "', which is not known here");
  // A text with an end behind it could not be gone on with.
  for (const char *key :
       {"add_eos_token", "add_sep_token", "remove_extra_whitespaces"})
    if (flag(key, false))
      file.refuse("its tokenizer has '" + prefix + key +
                  "', which is not known here but as false");
}

VocabularyToken::Kind VocabularyReader::kindOf(int64_t type, size_t number) {
  switch (type) {
  case 1:
    return VocabularyToken::Text;
  case 3:
    return VocabularyToken::Mark;
  case 4:
    return VocabularyToken::Added;
  case 2: // unknown
  case 5:
    return VocabularyToken::Unused;
  case 6:
    if (!v.byteLevel)
      return VocabularyToken::Byte;
    break;
  default:
    break;
  }
  file.refuse("its token " + std::to_string(number) + " has type " +
              std::to_string(type) + ", which is not known here");
}

std::string VocabularyReader::textOf(std::string_view raw,
                                     VocabularyToken::Kind kind,
                                     size_t number) {
  const std::string name =
      "its token " + std::to_string(number) + ", '" + printable(raw) + "', ";
  if (kind == VocabularyToken::Byte) {
    std::optional<unsigned char> byte = byteOfName(raw);
    if (!byte)
      file.refuse(name + "is to be a byte");
    return std::string(1, char(*byte));
  }
  if (!v.byteLevel)
    return withBlanks(raw);
  if (kind != VocabularyToken::Text)
    return std::string(raw);
  std::optional<std::string> bytes = bytesOfCharacters(raw);
  if (!bytes)
    file.refuse(name + "has characters that stand for no bytes");
  return *bytes;
}

void VocabularyReader::readTokens() {
  auto tokens = file.texts(prefix + "tokens");
  if (!tokens || tokens->empty())
    file.refuse("it has no tokens");
  if (tokens->size() > size_t(INT32_MAX))
    file.refuse("it has too many tokens");
  raw = std::move(*tokens);
  std::vector<int64_t> types =
      file.wholes(prefix + "token_type")
          .value_or(std::vector<int64_t>(raw.size(), 1));
  if (types.size() != raw.size())
    file.refuse("it has " + std::to_string(raw.size()) + " tokens and " +
                std::to_string(types.size()) + " types of tokens");
  for (size_t i = 0; i < raw.size(); ++i) {
    VocabularyToken token;
    token.kind = kindOf(types[i], i);
    token.text = textOf(raw[i], token.kind, i);
    v.tokens.push_back(std::move(token));
  }
}

void VocabularyReader::readScores() {
  auto scores = file.floats(prefix + "scores");
  if (!scores || scores->size() != raw.size())
    file.refuse("it has " + std::to_string(raw.size()) + " tokens and " +
                std::to_string(scores ? scores->size() : 0) + " scores");
  for (size_t i = 0; i < scores->size(); ++i)
    if (std::isnan((*scores)[i]))
      file.refuse("its token " + std::to_string(i) +
                  " has no number as its score");
  v.scores = std::move(*scores);
}

void VocabularyReader::readMerges() {
  auto merges = file.texts(prefix + "merges");
  if (!merges)
    file.refuse("it has no merges");
  std::unordered_map<std::string_view, int32_t> numbers;
  for (size_t i = 0; i < raw.size(); ++i)
    numbers.emplace(raw[i], int32_t(i));
  for (size_t rank = 0; rank < merges->size(); ++rank) {
    std::string_view text = (*merges)[rank];
    const std::string name =
        "its merge " + std::to_string(rank) + ", '" + printable(text) + "', ";
    size_t blank = text.find(' ');
    if (blank == std::string_view::npos ||
        text.find(' ', blank + 1) != std::string_view::npos)
      file.refuse(name + "is not two tokens with a blank between them");
    std::string_view left = text.substr(0, blank),
                     right = text.substr(blank + 1);
    std::string both = std::string(left) + std::string(right);
    auto a = numbers.find(left), b = numbers.find(right),
         made = numbers.find(both);
    if (a == numbers.end() || b == numbers.end() || made == numbers.end())
      file.refuse(name + "is about what is no token");
    v.merges.emplace(Vocabulary::key(a->second, b->second),
                     Vocabulary::Merge{rank, made->second});
  }
}

std::optional<int32_t> VocabularyReader::tokenNumber(const std::string &key) {
  std::optional<int64_t> number = file.whole(prefix + key);
  if (number && (*number < 0 || *number >= int64_t(raw.size())))
    file.refuse("its '" + prefix + key + "' is " + std::to_string(*number) +
                ", it has " + std::to_string(raw.size()) + " tokens");
  if (!number)
    return std::nullopt;
  return int32_t(*number);
}

void VocabularyReader::makeMark(int32_t number) {
  v.tokens[size_t(number)].kind = VocabularyToken::Mark;
  v.tokens[size_t(number)].text = std::string(raw[size_t(number)]);
}

// Older files have them among ordinary tokens.
void VocabularyReader::readMarks() {
  if (flag("add_bos_token", begins)) {
    std::optional<int32_t> bos = tokenNumber("bos_token_id");
    if (!bos)
      file.refuse("it has no '" + prefix + "bos_token_id' to begin texts with");
    makeMark(*bos);
    v.begin = {*bos};
  }
  for (const char *key : {"eos_token_id", "eot_token_id", "eom_token_id"})
    if (std::optional<int32_t> number = tokenNumber(key)) {
      makeMark(*number);
      v.ends.insert(*number);
    }
  // Files often name one of several.
  for (size_t i = 0; i < raw.size(); ++i)
    if (v.tokens[i].kind == VocabularyToken::Mark && isEndName(raw[i]))
      v.ends.insert(int32_t(i));
}

Vocabulary VocabularyReader::read() {
  auto model = file.text(prefix + "model");
  if (!model)
    file.refuse("it has no tokenizer");
  if (*model != "llama" && *model != "gpt2")
    file.refuse("its tokenizer is '" + printable(*model) +
                "', expected 'llama' or 'gpt2'");
  v.byteLevel = *model == "gpt2";
  checkKeys();
  if (v.byteLevel) {
    std::string pre(file.text(prefix + "pre").value_or("default"));
    const PreTokenizer *found = nullptr;
    std::vector<std::string> names;
    for (const auto &[name, entry] : preTokenizers) {
      names.push_back(std::string("'") + name + "'");
      if (pre == name)
        found = &entry;
    }
    if (!found)
      file.refuse("its tokenizer splits texts as '" + printable(pre) +
                  "', expected " + listText(names));
    for (const char *pattern : found->patterns)
      v.steps.push_back({Pattern(pattern, /*unicode=*/true)});
    v.wholePieces = found->wholePieces;
    begins = found->begins;
    if (flag("add_space_prefix", false))
      file.refuse("its tokenizer has '" + prefix +
                  "add_space_prefix', which is not known here but as false");
  } else {
    begins = true;
    v.front =
        flag("add_space_prefix", true) ? Vocabulary::Always : Vocabulary::Never;
  }
  readTokens();
  if (v.byteLevel)
    readMerges();
  else
    readScores();
  readMarks();
  return std::move(v);
}

std::unique_ptr<Tokenizer> readGgufTokenizer(const unsigned char *data,
                                             size_t size,
                                             const std::string &path) {
  Gguf file(data, size, path);
  Vocabulary vocabulary = VocabularyReader(file).read();
  try {
    return std::make_unique<VocabularyTokenizer>(std::move(vocabulary));
  } catch (const Failure &failure) {
    file.refuse(failure.message);
  }
}

} // namespace agt::rt
