// See JsonParts.h. Two kinds of tokenizers are known: of bytes, where the
// pre-tokenizer ends in ByteLevel; and of characters with "▁" for blanks, which
// the normalizer or Metaspace puts there. In what is kept of the latter blanks
// stay blanks, so that U+2581 in a text is not taken for one.
#include "runtime/Tokenizer/JsonParts.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

namespace agt::rt {

using Json = nlohmann::json;

static const std::string mark = "\xe2\x96\x81";

// ---- objects ----------------------------------------------------------------

JsonPart::JsonPart(const Json &json, const std::string &name)
    : json(json), own(name) {
  if (!json.is_object())
    fail(AGT_BAD_INPUT, name + " is not a JSON object");
}

const Json *JsonPart::find(const char *key) {
  seen.insert(key);
  auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

const Json *JsonPart::findUnlessNull(const char *key) {
  const Json *member = find(key);
  return member && !member->is_null() ? member : nullptr;
}

void JsonPart::refuse(const std::string &why) const {
  fail(AGT_BAD_INPUT, own + " " + why);
}

void JsonPart::refuseValue(const char *key, const std::string &value) const {
  refuse("has '" + printable(value) + "' as '" + key +
         "', which is not known here");
}

std::string JsonPart::text(const char *key) {
  const Json *member = find(key);
  if (!member || !member->is_string())
    refuse(std::string("has no text as '") + key + "'");
  return member->get<std::string>();
}

bool JsonPart::flag(const char *key, bool otherwise) {
  const Json *member = findUnlessNull(key);
  if (!member)
    return otherwise;
  if (!member->is_boolean())
    refuse(std::string("has no bool as '") + key + "'");
  return member->get<bool>();
}

const Json &JsonPart::list(const char *key) {
  const Json *member = find(key);
  if (!member || !member->is_array())
    refuse(std::string("has no list as '") + key + "'");
  return *member;
}

JsonPart JsonPart::part(const char *key) {
  static const Json none;
  const Json *member = find(key);
  return JsonPart(member ? *member : none, own + "'s '" + key + "'");
}

void JsonPart::done() const {
  for (const auto &[key, value] : json.items())
    if (!seen.count(key))
      refuse("has '" + printable(key) + "', which is not known here");
}

// ---- the normalizer
// ----------------------------------------------------------

static void normalize(const Json &json, JsonStages &stages) {
  JsonPart part(json, "its normalizer");
  std::string type = part.text("type");
  if (type == "Sequence") {
    for (const Json &entry : part.list("normalizers"))
      normalize(entry, stages);
  } else if (type == "NFC") {
    // Not done: a text comes back as it was. Texts that are in this form, as
    // nearly all are, have the same tokens either way.
  } else if (type == "Prepend") {
    if (part.text("prepend") != mark)
      part.refuseValue("prepend", part.text("prepend"));
    stages.front = Vocabulary::Always;
  } else if (type == "Replace") {
    JsonPart pattern = part.part("pattern");
    if (pattern.text("String") != " ")
      pattern.refuseValue("String", pattern.text("String"));
    pattern.done();
    if (part.text("content") != mark)
      part.refuseValue("content", part.text("content"));
    stages.blanksReplaced = true;
  } else {
    part.refuseValue("type", type);
  }
  part.done();
}

void readNormalizer(const Json &json, JsonStages &stages) {
  if (!json.is_null())
    normalize(json, stages);
}

// ---- the pre-tokenizer
// -------------------------------------------------------

static Pattern compile(const std::string &text, const JsonPart &part) {
  try {
    return Pattern(text, /*unicode=*/true);
  } catch (const PatternError &error) {
    part.refuse("has a pattern that is wrong " + std::string(error.what()));
  }
}

/// A text as a pattern that matches it alone.
static std::string literalPattern(const std::string &text) {
  std::string pattern;
  for (char c : text) {
    bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                (c >= 'A' && c <= 'Z') || (c & 0x80);
    pattern += word ? std::string(1, c) : std::string("\\") + c;
  }
  return pattern;
}

static void readSplit(JsonPart &part, JsonStages &stages) {
  JsonPart pattern = part.part("pattern");
  std::string text;
  bool literal = pattern.find("String");
  text = pattern.text(literal ? "String" : "Regex");
  pattern.done();
  SplitStep::Kind kind = SplitStep::Isolated;
  std::string behavior = part.text("behavior");
  if (behavior == "MergedWithPrevious")
    kind = SplitStep::WithPrevious;
  else if (behavior == "MergedWithNext")
    kind = SplitStep::WithNext;
  else if (behavior != "Isolated")
    part.refuseValue("behavior", behavior);
  if (part.flag("invert", false))
    part.refuseValue("invert", "true");
  if (stages.blanksReplaced) {
    // It sees no blanks any more, and what else it would see is not kept so.
    if (!literal || text.find(' ') == std::string::npos)
      part.refuse("splits texts whose blanks are '" + mark +
                  "', which is not known here");
    return;
  }
  stages.steps.push_back(
      {compile(literal ? literalPattern(text) : text, part), kind});
}

static void readMetaspace(JsonPart &part, JsonStages &stages) {
  if (part.text("replacement") != mark)
    part.refuseValue("replacement", part.text("replacement"));
  if (!stages.steps.empty())
    part.refuse("has 'Metaspace' behind others, which is not known here");
  part.skip("str_rep");
  bool prefix = part.flag("add_prefix_space", true);
  std::string scheme = prefix ? "always" : "never";
  if (const Json *given = part.findUnlessNull("prepend_scheme"))
    scheme = given->is_string() ? given->get<std::string>() : "";
  if (scheme == "always")
    stages.front = Vocabulary::Always;
  else if (scheme == "first")
    stages.front = Vocabulary::First;
  else if (scheme != "never")
    part.refuseValue("prepend_scheme", scheme);
  stages.blanksReplaced = true;
  if (part.flag("split", true))
    stages.steps.push_back({compile(" ", part), SplitStep::WithNext});
}

static void preTokenize(const Json &json, JsonStages &stages) {
  JsonPart part(json, "its pre-tokenizer");
  std::string type = part.text("type");
  if (stages.byteLevel)
    part.refuse("has '" + printable(type) +
                "' behind 'ByteLevel', which is not known here");
  if (type == "Sequence") {
    for (const Json &entry : part.list("pretokenizers"))
      preTokenize(entry, stages);
  } else if (type == "ByteLevel") {
    if (part.flag("add_prefix_space", true))
      part.refuseValue("add_prefix_space", "true");
    part.skip("trim_offsets");
    if (part.flag("use_regex", true))
      stages.steps.push_back({compile(gpt2Pattern, part)});
    stages.byteLevel = true;
  } else if (type == "Split") {
    readSplit(part, stages);
  } else if (type == "Digits") {
    bool each = part.flag("individual_digits", false);
    stages.steps.push_back({compile(each ? R"(\p{N})" : R"(\p{N}+)", part)});
  } else if (type == "Metaspace") {
    readMetaspace(part, stages);
  } else {
    part.refuseValue("type", type);
  }
  part.done();
}

void readPreTokenizer(const Json &json, JsonStages &stages) {
  if (!json.is_null())
    preTokenize(json, stages);
  if (stages.byteLevel && stages.blanksReplaced)
    fail(AGT_BAD_INPUT, "its pre-tokenizer is of bytes, its normalizer of "
                        "characters");
  if (!stages.byteLevel && !stages.blanksReplaced)
    fail(AGT_BAD_INPUT, "its texts are neither bytes ('ByteLevel') nor have '" +
                            mark + "' for blanks");
}

// ---- the way back
// ------------------------------------------------------------

static void check(const Json &json, const JsonStages &stages, bool &found) {
  JsonPart part(json, "its decoder");
  std::string type = part.text("type");
  if (type == "Sequence") {
    for (const Json &entry : part.list("decoders"))
      check(entry, stages, found);
  } else if (type == "ByteLevel" && stages.byteLevel) {
    for (const char *key : {"add_prefix_space", "trim_offsets", "use_regex"})
      part.skip(key);
    found = true;
  } else if (type == "Metaspace" && stages.blanksReplaced) {
    if (part.text("replacement") != mark)
      part.refuseValue("replacement", part.text("replacement"));
    for (const char *key :
         {"str_rep", "add_prefix_space", "prepend_scheme", "split"})
      part.skip(key);
    found = true;
  } else if (type == "Replace" && stages.blanksReplaced) {
    JsonPart pattern = part.part("pattern");
    if (pattern.text("String") != mark)
      pattern.refuseValue("String", pattern.text("String"));
    pattern.done();
    if (part.text("content") != " ")
      part.refuseValue("content", part.text("content"));
    found = true;
  } else if (type == "Strip" && stages.front != Vocabulary::Never) {
    if (part.text("content") != " ")
      part.refuseValue("content", part.text("content"));
    const Json *start = part.find("start"), *stop = part.find("stop");
    if (!start || *start != 1 || !stop || *stop != 0)
      part.refuse("strips other than one blank in front, which is not known "
                  "here");
  } else if (!(type == "ByteFallback" || type == "Fuse") || stages.byteLevel) {
    part.refuseValue("type", type);
  }
  part.done();
}

void checkDecoder(const Json &json, const JsonStages &stages) {
  bool found = false;
  if (!json.is_null())
    check(json, stages, found);
  if (!found)
    fail(AGT_BAD_INPUT,
         stages.byteLevel
             ? std::string("it has no decoder 'ByteLevel'")
             : "it has no decoder that makes blanks of '" + mark + "'");
}

// ---- what stands around texts
// ------------------------------------------------

static void readTemplate(JsonPart &part, std::vector<int32_t> &begin) {
  part.skip("pair");
  JsonPart special = part.part("special_tokens");
  bool behind = false;
  for (const Json &entry : part.list("single")) {
    JsonPart piece(entry, part.name() + "'s 'single'");
    if (piece.find("Sequence")) {
      behind = true;
      piece.done();
      continue;
    }
    JsonPart token = piece.part("SpecialToken");
    piece.done();
    std::string name = token.text("id");
    if (behind)
      part.refuse("puts '" + printable(name) +
                  "' behind texts, which then could not be gone on with");
    JsonPart numbers = special.part(name.c_str());
    for (const Json &id : numbers.list("ids")) {
      if (!id.is_number_unsigned() || id.get<uint64_t>() > INT32_MAX)
        numbers.refuse("has no numbers of tokens as 'ids'");
      begin.push_back(id.get<int32_t>());
    }
  }
}

static void process(const Json &json, std::vector<int32_t> &begin) {
  JsonPart part(json, "its post-processor");
  std::string type = part.text("type");
  if (type == "Sequence") {
    for (const Json &entry : part.list("processors"))
      process(entry, begin);
  } else if (type == "TemplateProcessing") {
    readTemplate(part, begin);
  } else if (type == "ByteLevel") {
    for (const char *key : {"add_prefix_space", "trim_offsets", "use_regex"})
      part.skip(key);
  } else {
    part.refuseValue("type", type);
  }
  part.done();
}

std::vector<int32_t> readPostProcessor(const Json &json) {
  std::vector<int32_t> begin;
  if (!json.is_null())
    process(json, begin);
  return begin;
}

} // namespace agt::rt
