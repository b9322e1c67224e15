// A Hugging Face tokenizer.json with a BPE model. What of the file is not known
// here is refused by name: it might change tokens.
//
// Unknown characters need no token of their own ("unk_token", "fuse_unk"):
// every byte has one, which is checked.
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tokenizer/ByteCharacters.h"
#include "runtime/Tokenizer/JsonParts.h"

namespace agt::rt {
namespace {

using Json = nlohmann::json;

class JsonReader {
public:
  Vocabulary read(const Json &json);

private:
  void checkModel(JsonPart &model);
  void readVocabulary(const Json &vocabulary, const Json &added);
  void readAdded(const Json &json);
  void readTokenTexts();
  void readMerges(const Json &merges);
  void addMerge(size_t rank, const std::string &left, const std::string &right);
  int32_t numberOf(const Json &id, const std::string &name) const;

  Vocabulary v;
  JsonStages stages;
  std::unordered_map<std::string, int32_t> numbers;
  std::vector<const std::string *> names; // by number, of the vocabulary
  std::vector<bool> isAdded;
};

const Json &member(JsonPart &part, const char *key) {
  static const Json none;
  const Json *found = part.find(key);
  return found ? *found : none;
}

} // namespace

int32_t JsonReader::numberOf(const Json &id, const std::string &name) const {
  if (!id.is_number_unsigned() || id.get<uint64_t>() >= names.size())
    fail(AGT_BAD_INPUT, "its token '" + printable(name) +
                            "' has no number below " +
                            std::to_string(names.size()));
  return id.get<int32_t>();
}

void JsonReader::checkModel(JsonPart &model) {
  if (const Json *type = model.find("type"); type && *type != "BPE")
    model.refuseValue("type", type->is_string() ? type->get<std::string>()
                                                : type->dump());
  for (const char *key :
       {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
    if (const Json *given = model.findUnlessNull(key);
        given && *given != "" && *given != 0)
      model.refuseValue(key, given->is_string() ? given->get<std::string>()
                                                : given->dump());
  model.skip("unk_token");
  model.skip("fuse_unk");
  v.wholePieces = model.flag("ignore_merges", false);
  bool bytes = model.flag("byte_fallback", false);
  if (!stages.byteLevel && !bytes)
    model.refuse("has no 'byte_fallback': not every text could be written");
}

void JsonReader::readVocabulary(const Json &vocabulary, const Json &added) {
  if (!vocabulary.is_object() || vocabulary.empty())
    fail(AGT_BAD_INPUT, "its model has no object 'vocab'");
  // So many numbers at most; those that are in both lists leave none over.
  names.resize(vocabulary.size() + (added.is_array() ? added.size() : 0));
  for (const auto &[name, id] : vocabulary.items()) {
    int32_t number = numberOf(id, name);
    auto place = numbers.emplace(name, number).first;
    if (names[size_t(number)])
      fail(AGT_BAD_INPUT, "its tokens '" + printable(*names[size_t(number)]) +
                              "' and '" + printable(name) +
                              "' have one number, " + std::to_string(number));
    names[size_t(number)] = &place->first;
  }
  v.tokens.resize(names.size());
  isAdded.resize(names.size());
  readAdded(added);
  while (!names.empty() && !names.back())
    names.pop_back();
  v.tokens.resize(names.size());
  for (size_t i = 0; i < names.size(); ++i)
    if (!names[i])
      fail(AGT_BAD_INPUT, "no token of it has number " + std::to_string(i));
}

void JsonReader::readAdded(const Json &json) {
  if (json.is_null())
    return;
  if (!json.is_array())
    fail(AGT_BAD_INPUT, "its 'added_tokens' are not a list");
  for (const Json &entry : json) {
    JsonPart part(entry, "its added token");
    std::string name = part.text("content");
    int32_t number = numberOf(member(part, "id"), name);
    bool special = part.flag("special", false);
    bool before = part.flag("lstrip", false);
    bool behind = part.flag("rstrip", false);
    const std::string who = "its added token '" + printable(name) + "' ";
    if (part.flag("single_word", false))
      fail(AGT_BAD_INPUT, who + "is a 'single_word', which is not known here");
    part.skip("normalized");
    part.done();
    auto [place, isNew] = numbers.emplace(name, number);
    const std::string *&owner = names[size_t(number)];
    if (place->second != number || (owner && *owner != name))
      fail(AGT_BAD_INPUT, who + "has number " + std::to_string(number) +
                              ", which is not its "
                              "own");
    if (isAdded[size_t(number)])
      fail(AGT_BAD_INPUT, who + "stands there twice");
    owner = &place->first;
    VocabularyToken &token = v.tokens[size_t(number)];
    // Texts would not come back without the blanks that a token takes: it is
    // one of those that are asked for.
    special = special || before || behind;
    // A run of blanks is a token like others; its name is no text.
    bool blanks = stages.blanksReplaced && withBlanks(name) != name;
    if (!special && blanks)
      continue;
    isAdded[size_t(number)] = true;
    token.kind = special ? VocabularyToken::Mark : VocabularyToken::Added;
    token.text = name;
    token.takesBefore = before;
    token.takesBehind = behind;
    if (special && isEndName(name))
      v.ends.insert(number);
  }
}

void JsonReader::readTokenTexts() {
  for (size_t i = 0; i < names.size(); ++i) {
    if (isAdded[i])
      continue;
    VocabularyToken &token = v.tokens[i];
    const std::string &name = *names[i];
    if (stages.byteLevel) {
      std::optional<std::string> bytes = bytesOfCharacters(name);
      if (!bytes)
        fail(AGT_BAD_INPUT, "its token '" + printable(name) +
                                "' has characters that stand for no bytes");
      token.text = *bytes;
    } else if (std::optional<unsigned char> byte = byteOfName(name)) {
      token.kind = VocabularyToken::Byte;
      token.text = std::string(1, char(*byte));
    } else {
      token.text = withBlanks(name);
    }
  }
}

void JsonReader::addMerge(size_t rank, const std::string &left,
                          const std::string &right) {
  auto a = numbers.find(left), b = numbers.find(right),
       made = numbers.find(left + right);
  if (a == numbers.end() || b == numbers.end() || made == numbers.end())
    fail(AGT_BAD_INPUT, "its merge " + std::to_string(rank) + ", of '" +
                            printable(left) + "' and '" + printable(right) +
                            "', is about what is no token");
  v.merges.emplace(Vocabulary::key(a->second, b->second),
                   Vocabulary::Merge{rank, made->second});
}

void JsonReader::readMerges(const Json &merges) {
  if (!merges.is_array())
    fail(AGT_BAD_INPUT, "its model has no list 'merges'");
  size_t rank = 0;
  for (const Json &merge : merges) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
        merge[1].is_string()) {
      addMerge(rank++, merge[0].get<std::string>(),
               merge[1].get<std::string>());
      continue;
    }
    std::string text = merge.is_string() ? merge.get<std::string>() : "";
    size_t blank = text.find(' ');
    if (blank == std::string::npos ||
        text.find(' ', blank + 1) != std::string::npos)
      fail(AGT_BAD_INPUT,
           "its merge " + std::to_string(rank) + " is not two tokens");
    addMerge(rank++, text.substr(0, blank), text.substr(blank + 1));
  }
}

Vocabulary JsonReader::read(const Json &json) {
  JsonPart file(json, "it");
  file.skip("version");
  for (const char *key : {"truncation", "padding"})
    if (file.findUnlessNull(key))
      file.refuse(std::string("has a '") + key + "', which is not known here");
  readNormalizer(member(file, "normalizer"), stages);
  readPreTokenizer(member(file, "pre_tokenizer"), stages);
  checkDecoder(member(file, "decoder"), stages);
  v.begin = readPostProcessor(member(file, "post_processor"));
  v.byteLevel = stages.byteLevel;
  v.front = stages.front;
  JsonPart model(member(file, "model"), "its model");
  checkModel(model);
  readVocabulary(member(model, "vocab"), member(file, "added_tokens"));
  readTokenTexts();
  readMerges(member(model, "merges"));
  model.done();
  file.done();
  v.steps = std::move(stages.steps);
  for (int32_t number : v.begin)
    if (size_t(number) >= v.tokens.size() ||
        v.tokens[size_t(number)].kind != VocabularyToken::Mark)
      fail(AGT_BAD_INPUT, "its post-processor puts token " +
                              std::to_string(number) +
                              " in front of texts, which is no special token");
  return std::move(v);
}

/// Deeper than any tokenizer, and not too deep to be gone through.
constexpr int mostDepth = 40;

static Json parse(std::string_view text) {
  auto look = [](int depth, Json::parse_event_t, Json &) {
    if (depth > mostDepth)
      fail(AGT_BAD_INPUT, "its lists and objects nest deeper than " +
                              std::to_string(mostDepth));
    return true;
  };
  try {
    return Json::parse(text, look);
  } catch (const Json::exception &) {
    fail(AGT_BAD_INPUT, "it is not JSON");
  }
}

std::unique_ptr<Tokenizer> readJsonTokenizer(std::string_view text,
                                             const std::string &path) {
  try {
    return std::make_unique<VocabularyTokenizer>(
        JsonReader().read(parse(text)));
  } catch (const Failure &failure) {
    fail(failure.code, "cannot read '" + path + "': " + failure.message);
  }
}

} // namespace agt::rt
