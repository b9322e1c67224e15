// Tokenizers of GGUF files and of tokenizer.json: small vocabularies whose
// right tokens are worked out by hand or by a slow joiner; any bytes come back.
#include "runtime/Support/Failure.h"
#include "runtime/Tokenizer/ByteCharacters.h"
#include "runtime/Tokenizer/Splitter.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include "unittests/Runtime/GgufFile.h"
#include "unittests/Runtime/Seed.h"
#include "unittests/Runtime/TempDir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <functional>
#include <map>
#include <random>

using namespace agt::rt;
using namespace agt::rt::test;
using Json = nlohmann::json;
using Tokens = std::vector<int32_t>;

namespace {

/// GPT-2's character for a byte, by its own rule: those that print stand for
/// themselves.
std::string characterOf(unsigned char byte) {
  static const std::vector<int> codes = [] {
    std::vector<int> made;
    int next = 256;
    for (int b = 0; b < 256; ++b) {
      bool own = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) ||
                 (b >= 0xae && b <= 0xff);
      made.push_back(own ? b : next++);
    }
    return made;
  }();
  int code = codes[byte];
  if (code < 0x80)
    return std::string(1, char(code));
  return {char(0xc0 | code >> 6), char(0x80 | (code & 0x3f))};
}

std::string characters(const std::string &bytes) {
  std::string text;
  for (char byte : bytes)
    text += characterOf(static_cast<unsigned char>(byte));
  return text;
}

std::string byteName(int byte) {
  char name[8];
  std::snprintf(name, sizeof name, "<0x%02X>", unsigned(byte));
  return name;
}

/// Pairs of bytes that become one token, in the order of merges.
using Merges = std::vector<std::pair<std::string, std::string>>;

const Merges someMerges = {
    {"a", "b"},  {"b", "c"}, {"ab", "c"}, {" ", "a"},   {" a", "b"},
    {"c", "ab"}, {"1", "2"}, {" ", " "},  {"\n", "\n"}, {"\xc3", "\xa4"}};

/// The bytes, then what merges make, as texts; marks and added tokens come
/// behind.
std::vector<std::string> byteVocabulary(const Merges &merges) {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte)
    texts.push_back(std::string(1, char(byte)));
  for (const auto &[a, b] : merges)
    if (std::find(texts.begin(), texts.end(), a + b) == texts.end())
      texts.push_back(a + b);
  return texts;
}

/// Joins the first pair of the least rank until there is none.
Tokens slowJoin(const std::string &piece, const Merges &merges,
                const std::vector<std::string> &texts) {
  std::vector<std::string> parts;
  for (char byte : piece)
    parts.push_back(std::string(1, byte));
  for (;;) {
    size_t best = merges.size(), at = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i)
      for (size_t rank = 0; rank < best; ++rank)
        if (merges[rank].first == parts[i] &&
            merges[rank].second == parts[i + 1]) {
          best = rank;
          at = i;
        }
    if (best == merges.size())
      break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + ptrdiff_t(at) + 1);
  }
  Tokens tokens;
  for (const std::string &part : parts)
    tokens.push_back(
        int32_t(std::find(texts.begin(), texts.end(), part) - texts.begin()));
  return tokens;
}

class VocabularyTest : public ::testing::Test {
protected:
  std::unique_ptr<Tokenizer> read(const std::string &content) {
    return openTokenizer(folder.write("t", content));
  }
  std::string refusal(const std::string &content) {
    try {
      read(content);
    } catch (const Failure &failure) {
      EXPECT_EQ(failure.code, AGT_BAD_INPUT);
      std::string start = "cannot read '" + folder.path("t") + "': ";
      EXPECT_EQ(failure.message.substr(0, start.size()), start);
      return failure.message.substr(
          std::min(start.size(), failure.message.size()));
    }
    return "";
  }

  /// A byte-level vocabulary in a GGUF file, marks <s> and <|im_end|> and the
  /// added token <x> behind the texts.
  GgufFile byteFile(const std::string &pre, const Merges &merges = someMerges) {
    std::vector<std::string> tokens, pairs;
    std::vector<int32_t> types;
    for (const std::string &text : byteVocabulary(merges))
      tokens.push_back(characters(text));
    types.resize(tokens.size(), 1);
    for (const char *name : {"<s>", "<|im_end|>", "<x>", "[PAD]"})
      tokens.push_back(name);
    types.insert(types.end(), {3, 3, 4, 5});
    for (const auto &[a, b] : merges)
      pairs.push_back(characters(a) + " " + characters(b));
    GgufFile file;
    file.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", pre);
    file.texts("tokenizer.ggml.tokens", tokens);
    file.ints("tokenizer.ggml.token_type", types);
    file.texts("tokenizer.ggml.merges", pairs);
    file.text("tokenizer.chat_template", "{{ anything }}");
    return file;
  }
  int32_t bytesSize() { return int32_t(byteVocabulary(someMerges).size()); }

  /// The same as tokenizer.json.
  Json byteJson() {
    Json vocab, merges = Json::array();
    for (const std::string &text : byteVocabulary(someMerges))
      vocab[characters(text)] = vocab.size();
    for (const auto &[a, b] : someMerges)
      merges.push_back(characters(a) + " " + characters(b));
    auto token = [&](const char *name, bool special) {
      Json made = {{"id", bytesSize() + int(added++)},
                   {"content", name},
                   {"single_word", false},
                   {"lstrip", false},
                   {"rstrip", false},
                   {"normalized", false},
                   {"special", special}};
      return made;
    };
    added = 0;
    Json list = {token("<s>", true), token("<|im_end|>", true),
                 token("<x>", false)};
    return {{"version", "1.0"},
            {"truncation", nullptr},
            {"padding", nullptr},
            {"added_tokens", list},
            {"normalizer", nullptr},
            {"pre_tokenizer",
             {{"type", "ByteLevel"},
              {"add_prefix_space", false},
              {"trim_offsets", true},
              {"use_regex", true}}},
            {"post_processor", nullptr},
            {"decoder", {{"type", "ByteLevel"}}},
            {"model",
             {{"type", "BPE"},
              {"dropout", nullptr},
              {"unk_token", nullptr},
              {"fuse_unk", false},
              {"byte_fallback", false},
              {"ignore_merges", false},
              {"vocab", vocab},
              {"merges", merges}}}};
  }
  size_t added = 0;

  /// Characters with "▁" for blanks: <unk>, <s>, </s>, the bytes, then `texts`,
  /// each with a better score than the one before.
  GgufFile scoreFile(const std::vector<std::string> &texts) {
    std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
    std::vector<int32_t> types = {2, 3, 3};
    std::vector<float> scores(3 + 256, 0);
    for (int byte = 0; byte < 256; ++byte)
      tokens.push_back(byteName(byte));
    types.resize(tokens.size(), 6);
    for (const std::string &text : texts) {
      tokens.push_back(text);
      types.push_back(text == "<x>" ? 4 : 1);
      scores.push_back(float(tokens.size()));
    }
    GgufFile file;
    file.text("tokenizer.ggml.model", "llama");
    file.texts("tokenizer.ggml.tokens", tokens);
    file.ints("tokenizer.ggml.token_type", types);
    file.floats("tokenizer.ggml.scores", scores);
    file.number("tokenizer.ggml.bos_token_id", 1);
    file.number("tokenizer.ggml.eos_token_id", 2);
    return file;
  }

  /// Random texts, with what vocabularies here know and what they do not.
  void checkAnyBytes(const Tokenizer &tokens, const char *what) {
    unsigned seed = test::drawnSeed();
    SCOPED_TRACE(std::string(what) + ", AGT_SEED=" + std::to_string(seed));
    std::mt19937 random(seed);
    const std::vector<std::string> common = {"a",
                                             "b",
                                             "c",
                                             " ",
                                             "  ",
                                             "1",
                                             "2",
                                             "\n",
                                             "\xc3\xa4",
                                             "\xe2\x96\x81",
                                             "<s>",
                                             "<x>",
                                             "<|im_end|>",
                                             "<0x41>",
                                             "'s",
                                             "\xc2\xa0",
                                             "\xf0\x9f\x8e\x89"};
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      for (size_t i = random() % 16; i > 0; --i)
        text += random() % 4 ? common[random() % common.size()]
                             : std::string(1, char(random() % 256));
      ASSERT_EQ(tokens.decode(tokens.encode(text)), text);
    }
  }
  TempDir folder;
};

// ---- splitting
// ---------------------------------------------------------------

using Pieces = std::vector<std::string_view>;

Pieces split(std::string_view text, const char *pattern,
             SplitStep::Kind kind = SplitStep::Isolated) {
  std::vector<SplitStep> steps;
  steps.push_back({Pattern(pattern, true), kind});
  return splitText(text, steps);
}

TEST(Splitter, CutsAroundMatches) {
  EXPECT_EQ(split("ab12c3", R"(\p{N}+)"), (Pieces{"ab", "12", "c", "3"}));
  EXPECT_EQ(split("a b c", " ", SplitStep::WithPrevious),
            (Pieces{"a ", "b ", "c"}));
  EXPECT_EQ(split(" a b", " ", SplitStep::WithNext), (Pieces{" a", " b"}));
  EXPECT_EQ(split("ab", "x*"), (Pieces{"ab"}));
  EXPECT_EQ(split("", "a"), Pieces());
  // What is no UTF-8 stands alone.
  EXPECT_EQ(split("a\xff\xfe"
                  "b1",
                  "b"),
            (Pieces{"a", "\xff\xfe", "b", "1"}));
}

TEST(Splitter, Gpt2) {
  EXPECT_EQ(split("I'm  here 12x!?\n\n ok", gpt2Pattern),
            (Pieces{"I", "'m", " ", " here", " 12", "x", "!?", "\n\n", " ok"}));
}

TEST(Splitter, PatternsThatExplodeAreAnError) {
  try {
    split(std::string(40, 'a') + "b", "(a|a)*(a|a)*(a|a)*$c|(a*)*\\d");
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_EQ(
        failure.message,
        "the tokenizer's pattern cannot be matched: match limit exceeded");
  }
}

TEST(ByteCharacters, AreGpt2s) {
  EXPECT_EQ(characters(" \n\xc3\xa4!"), "\xc4\xa0\xc4\x8a\xc3\x83\xc2\xa4!");
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += char(byte);
  EXPECT_EQ(bytesOfCharacters(characters(all)), all);
  for (const char *bad : {" ", "\xe2\x96\x81", "\xc5\x84", "\xc2", "\xff"})
    EXPECT_FALSE(bytesOfCharacters(bad)) << bad;
  EXPECT_EQ(*byteOfName("<0x0A>"), 10);
  for (const char *bad : {"<0x0a>", "<0x0AA>", "<0x0A", "0x0A", "<0xG0>"})
    EXPECT_FALSE(byteOfName(bad)) << bad;
}

// ---- GGUF, bytes
// -------------------------------------------------------------

TEST_F(VocabularyTest, MergesInOrder) {
  auto tokens = read(byteFile("gpt-2").bytes());
  auto of = [&](const std::string &text) {
    std::vector<std::string> texts = byteVocabulary(someMerges);
    return int32_t(std::find(texts.begin(), texts.end(), text) - texts.begin());
  };
  EXPECT_EQ(tokens->size(), bytesSize() + 4);
  // "ab" comes before "bc"; then "ab" and "c" are one.
  EXPECT_EQ(tokens->encode("abc"), (Tokens{of("abc")}));
  EXPECT_EQ(tokens->encode("bcab"), (Tokens{of("bc"), of("ab")}));
  // " a" would come behind "ab": the blank stays alone.
  EXPECT_EQ(tokens->encode("b abc"), (Tokens{'b', ' ', of("abc")}));
  EXPECT_EQ(tokens->encode(" aab"), (Tokens{of(" a"), of("ab")}));
  // No token crosses what the pattern cuts: letters and digits.
  EXPECT_EQ(tokens->encode("c12"), (Tokens{'c', of("12")}));
  EXPECT_EQ(tokens->encode("\xc3\xa4"), (Tokens{of("\xc3\xa4")}));
  EXPECT_EQ(tokens->encode(""), Tokens());
}

TEST_F(VocabularyTest, WholePiecesNeedNoMerges) {
  // "xyz" is a token, but nothing merges to it.
  auto file = [&](const char *pre) {
    Merges merges = someMerges;
    merges.push_back({"x", "yz"});
    merges.push_back({"y", "z"});
    merges.push_back({"x", "y"});
    GgufFile made = byteFile(pre, merges);
    made.number("tokenizer.ggml.bos_token_id", 256);
    return made.flag("tokenizer.ggml.add_bos_token", false).bytes();
  };
  Merges merges = someMerges;
  merges.push_back({"x", "yz"});
  std::vector<std::string> texts = byteVocabulary(merges);
  int32_t xyz = int32_t(texts.size()) - 1;
  EXPECT_EQ(read(file("llama-bpe"))->encode("xyz"), (Tokens{xyz}));
  // In order: "yz", then "x" and "yz".
  EXPECT_EQ(read(file("qwen2"))->encode("xyz"), (Tokens{xyz}));
  EXPECT_EQ(read(file("qwen2"))->encode("xxyz").size(), 2u);
}

TEST_F(VocabularyTest, PreTokenizersOfGguf) {
  auto pieces = [&](const char *pre, const std::string &text) {
    // Everything that may merge does, so that a piece is a token.
    Merges merges;
    for (char a : std::string("aA12 \n'm."))
      for (char b : std::string("aA12 \n'm."))
        merges.push_back({std::string(1, a), std::string(1, b)});
    GgufFile file = byteFile(pre, merges);
    file.number("tokenizer.ggml.bos_token_id", 256);
    file.flag("tokenizer.ggml.add_bos_token", false);
    auto tokens = read(file.bytes());
    std::string cut;
    for (int32_t token : tokens->encode(text))
      cut += (cut.empty() ? "" : "|") + std::string(tokens->piece(-1, token));
    return cut;
  };
  EXPECT_EQ(pieces("gpt-2", "a12 a.A"), "a|12| a|.|A");
  EXPECT_EQ(pieces("gpt-2", "a'm"), "a|'m");
  EXPECT_EQ(pieces("qwen2", "a12"), "a|1|2");
  EXPECT_EQ(pieces("qwen2", "1'M"), "1|'|M");
  EXPECT_EQ(pieces("llama-bpe", "a12"), "a|12");
  EXPECT_EQ(pieces("llama-bpe", ".a"), ".a");
  EXPECT_EQ(pieces("gpt-2", ".a"), ".|a");
  EXPECT_EQ(pieces("default", "a.12"), "a|.|12");
  EXPECT_EQ(pieces("smollm", "a12"), "a|1|2");
}

TEST_F(VocabularyTest, MarksAreAskedFor) {
  GgufFile file = byteFile("gpt-2");
  int32_t first = bytesSize();
  file.number("tokenizer.ggml.bos_token_id", uint32_t(first));
  file.flag("tokenizer.ggml.add_bos_token", true);
  auto tokens = read(file.bytes());
  EXPECT_EQ(tokens->encode("a<|im_end|>").size(), 1u + 1 + 10);
  EXPECT_EQ(tokens->encode("a<|im_end|>", true),
            (Tokens{first, 'a', first + 1}));
  // An added token always is one; padding never.
  EXPECT_EQ(tokens->encode("<x>a"), (Tokens{first, first + 2, 'a'}));
  EXPECT_EQ(tokens->encode("[PAD]", true).size(), 6u);
  EXPECT_TRUE(tokens->isEnd(first + 1));
  EXPECT_FALSE(tokens->isEnd(first));
  EXPECT_EQ(tokens->piece('a', first + 1), "");
  EXPECT_EQ(tokens->piece('a', first + 2), "<x>");
  EXPECT_EQ(tokens->piece('a', 9999), "");
  checkAnyBytes(*tokens, "bytes in a GGUF file");
}

TEST_F(VocabularyTest, AgreesWithASlowJoiner) {
  unsigned seed = test::drawnSeed();
  SCOPED_TRACE("AGT_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 40; ++round) {
    // Random merges of what is there already.
    Merges merges;
    std::vector<std::string> known = {"a", "b", "c"};
    for (int i = 0; i < 12; ++i) {
      std::pair<std::string, std::string> merge = {
          known[random() % known.size()], known[random() % known.size()]};
      if (std::find(merges.begin(), merges.end(), merge) != merges.end())
        continue;
      known.push_back(merge.first + merge.second);
      merges.push_back(merge);
    }
    std::shuffle(merges.begin(), merges.end(), random);
    std::vector<std::string> texts = byteVocabulary(merges);
    auto tokens = read(byteFile("gpt-2", merges).bytes());
    for (int i = 0; i < 50; ++i) {
      std::string text;
      for (size_t n = random() % 30; n > 0; --n)
        text += "abc"[random() % 3];
      ASSERT_EQ(tokens->encode(text), slowJoin(text, merges, texts)) << text;
    }
  }
}

TEST_F(VocabularyTest, LongTextsTakeNoLonger) {
  auto tokens = read(byteFile("gpt-2").bytes());
  std::string text(300000, 'a');
  for (size_t i = 0; i < text.size(); i += 3)
    text[i] = "bc "[i % 7 % 3];
  EXPECT_EQ(tokens->decode(tokens->encode(text)), text);
}

TEST_F(VocabularyTest, ByteFilesThatLieAreNamed) {
  auto with = [&](const std::function<void(GgufFile &)> &change) {
    GgufFile file;
    file.text("tokenizer.ggml.model", "gpt2");
    change(file);
    return refusal(file.bytes());
  };
  EXPECT_EQ(refusal(GgufFile().bytes()), "it has no tokenizer");
  EXPECT_EQ(refusal(GgufFile().text("tokenizer.ggml.model", "bert").bytes()),
            "its tokenizer is 'bert', expected 'llama' or 'gpt2'");
  EXPECT_EQ(with([](GgufFile &f) { f.flag("tokenizer.ggml.x", true); }),
            "its tokenizer has 'tokenizer.ggml.x', which is not known here");
  EXPECT_EQ(
      with([](GgufFile &f) { f.flag("tokenizer.ggml.add_eos_token", true); }),
      "its tokenizer has 'tokenizer.ggml.add_eos_token', which is not "
      "known here but as false");
  EXPECT_EQ(with([](GgufFile &f) { f.text("tokenizer.ggml.pre", "dbrx"); }),
            "its tokenizer splits texts as 'dbrx', expected 'default', "
            "'gpt-2', 'llama-bpe', 'llama3', 'llama-v3', 'qwen2', 'smollm' and "
            "'starcoder'");
  EXPECT_EQ(with([](GgufFile &) {}), "it has no tokens");
  auto tokens = [&](const std::vector<std::string> &list,
                    const std::vector<int32_t> &types) {
    return with([&](GgufFile &f) {
      f.texts("tokenizer.ggml.tokens", list);
      f.ints("tokenizer.ggml.token_type", types);
    });
  };
  EXPECT_EQ(tokens({"a"}, {1, 1}), "it has 1 tokens and 2 types of tokens");
  EXPECT_EQ(tokens({"a"}, {9}),
            "its token 0 has type 9, which is not known here");
  EXPECT_EQ(tokens({"a b"}, {1}),
            "its token 0, 'a b', has characters that stand for no bytes");
  EXPECT_EQ(tokens({"a"}, {1}), "it has no merges");
  auto merge = [&](const std::string &text) {
    return with([&](GgufFile &f) {
      f.texts("tokenizer.ggml.tokens", {"a", "b", "ab"});
      f.texts("tokenizer.ggml.merges", {"a b", text});
    });
  };
  EXPECT_EQ(merge("ab"),
            "its merge 1, 'ab', is not two tokens with a blank between them");
  EXPECT_EQ(merge("b a"), "its merge 1, 'b a', is about what is no token");
  EXPECT_EQ(merge("a b"), "no token stands for the byte <0x00>, so that not "
                          "every text could be written");
  GgufFile file = byteFile("gpt-2").number("tokenizer.ggml.eos_token_id", 9999);
  EXPECT_EQ(refusal(file.bytes()),
            "its 'tokenizer.ggml.eos_token_id' is 9999, it has " +
                std::to_string(bytesSize() + 4) + " tokens");
  EXPECT_EQ(refusal(byteFile("llama-bpe").bytes()),
            "it has no 'tokenizer.ggml.bos_token_id' to begin texts with");
}

// ---- GGUF, characters
// --------------------------------------------------------

TEST_F(VocabularyTest, JoinsByScore) {
  auto tokens =
      read(scoreFile({"\xe2\x96\x81", "a", "b", "c", "bc", "ab", "abc",
                      "\xe2\x96\x81"
                      "a",
                      "<x>"})
               .bytes());
  // As llama2.c's of the same texts: " a" is the best pair, then "bc".
  EXPECT_EQ(tokens->encode("abc"), (Tokens{1, 266, 263}));
  EXPECT_EQ(tokens->encode("ababab"), (Tokens{1, 266, 261, 264, 264}));
  EXPECT_EQ(tokens->encode(""), (Tokens{1}));
  EXPECT_EQ(tokens->encode("a\xff"), (Tokens{1, 266, 3 + 0xff}));
  // What stands for a blank is no blank in a text.
  EXPECT_EQ(tokens->encode("\xe2\x96\x81"),
            (Tokens{1, 259, 3 + 0xe2, 3 + 0x96, 3 + 0x81}));
  // Behind an added token texts begin anew.
  EXPECT_EQ(tokens->encode("a<x>a"), (Tokens{1, 266, 267, 266}));
  EXPECT_EQ(tokens->encode("</s>", true), (Tokens{1, 2}));
  EXPECT_EQ(tokens->piece(1, 266), "a");
  EXPECT_EQ(tokens->piece(261, 266), " a");
  EXPECT_TRUE(tokens->isEnd(2));
  EXPECT_FALSE(tokens->isEnd(1));
  checkAnyBytes(*tokens, "characters in a GGUF file");
}

TEST_F(VocabularyTest, CharactersThatAreNoTokenMayBePartOfOne) {
  auto tokens = read(scoreFile({"xy"})
                         .flag("tokenizer.ggml.add_space_prefix", false)
                         .flag("tokenizer.ggml.add_bos_token", false)
                         .bytes());
  EXPECT_EQ(tokens->encode("xyx"), (Tokens{259, 3 + 'x'}));
  EXPECT_EQ(tokens->encode(" xy"), (Tokens{3 + ' ', 259}));
  EXPECT_EQ(tokens->piece(-1, 3 + ' '), " ");
  checkAnyBytes(*tokens, "without a blank in front");
}

TEST_F(VocabularyTest, ScoreFilesThatLieAreNamed) {
  GgufFile file;
  file.text("tokenizer.ggml.model", "llama");
  file.texts("tokenizer.ggml.tokens", {"a", "b"});
  EXPECT_EQ(refusal(file.bytes()), "it has 2 tokens and 0 scores");
  file.floats("tokenizer.ggml.scores", {0, NAN});
  EXPECT_EQ(refusal(file.bytes()), "its token 1 has no number as its score");
  GgufFile byte;
  byte.text("tokenizer.ggml.model", "llama");
  byte.texts("tokenizer.ggml.tokens", {"<0xZZ>"});
  byte.ints("tokenizer.ggml.token_type", {6});
  EXPECT_EQ(refusal(byte.bytes()), "its token 0, '<0xZZ>', is to be a byte");
}

// ---- tokenizer.json
// ----------------------------------------------------------

TEST_F(VocabularyTest, JsonOfBytes) {
  auto tokens = read("\n " + byteJson().dump());
  auto gguf = read(byteFile("gpt-2").bytes());
  EXPECT_EQ(tokens->size(), bytesSize() + 3);
  for (const char *text :
       {"abc", "bcab", " aab b abc", "c12", "\xc3\xa4", "a<x>b", "ab  \n\n c"})
    EXPECT_EQ(tokens->encode(text), gguf->encode(text)) << text;
  EXPECT_EQ(tokens->encode("a<|im_end|>", true),
            (Tokens{'a', bytesSize() + 1}));
  EXPECT_TRUE(tokens->isEnd(bytesSize() + 1));
  checkAnyBytes(*tokens, "bytes in JSON");
}

TEST_F(VocabularyTest, JsonWithStages) {
  // As Llama 3's: a pattern of its own, whole pieces, <s> in front.
  Json json = byteJson();
  json["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "Split"},
                              {"pattern", {{"Regex", R"(\p{N}|[^\p{N}]+)"}}},
                              {"behavior", "Isolated"},
                              {"invert", false}},
                             {{"type", "ByteLevel"},
                              {"add_prefix_space", false},
                              {"trim_offsets", true},
                              {"use_regex", false}}}}};
  json["normalizer"] = {{"type", "NFC"}};
  json["post_processor"] = {
      {"type", "Sequence"},
      {"processors",
       {{{"type", "ByteLevel"}, {"trim_offsets", false}},
        {{"type", "TemplateProcessing"},
         {"single",
          {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
           {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
         {"pair", Json::array()},
         {"special_tokens",
          {{"<s>",
            {{"id", "<s>"}, {"ids", {bytesSize()}}, {"tokens", {"<s>"}}}}}}}}}};
  json["model"]["ignore_merges"] = true;
  Json pairs = Json::array();
  for (const auto &[a, b] : someMerges)
    pairs.push_back({characters(a), characters(b)});
  json["model"]["merges"] = pairs;
  auto tokens = read(json.dump());
  EXPECT_EQ(tokens->encode("12"), (Tokens{bytesSize(), '1', '2'}));
  EXPECT_EQ(tokens->encode(""), (Tokens{bytesSize()}));
  checkAnyBytes(*tokens, "bytes in JSON with stages");
}

/// Characters, as converted SentencePiece models have them.
Json characterJson() {
  Json vocab = {{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}};
  for (int byte = 0; byte < 256; ++byte)
    vocab[byteName(byte)] = 3 + byte;
  int next = 259;
  for (const char *text : {"\xe2\x96\x81", "a", "b", "c", "bc", "ab", "abc",
                           "\xe2\x96\x81"
                           "a",
                           "\xe2\x96\x81\xe2\x96\x81"})
    vocab[text] = next++;
  auto token = [](int id, const char *name, bool special) {
    return Json{
        {"id", id},          {"content", name},   {"single_word", false},
        {"lstrip", false},   {"rstrip", special}, {"normalized", false},
        {"special", special}};
  };
  return {
      {"version", "1.0"},
      {"added_tokens",
       {token(1, "<s>", true), token(2, "</s>", true),
        token(267, "\xe2\x96\x81\xe2\x96\x81", false),
        token(268, "<x>", false)}},
      {"normalizer",
       {{"type", "Sequence"},
        {"normalizers",
         {{{"type", "Prepend"}, {"prepend", "\xe2\x96\x81"}},
          {{"type", "Replace"},
           {"pattern", {{"String", " "}}},
           {"content", "\xe2\x96\x81"}}}}}},
      {"pre_tokenizer", nullptr},
      {"decoder",
       {{"type", "Sequence"},
        {"decoders",
         {{{"type", "Replace"},
           {"pattern", {{"String", "\xe2\x96\x81"}}},
           {"content", " "}},
          {{"type", "ByteFallback"}},
          {{"type", "Fuse"}},
          {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
      {"model",
       {{"type", "BPE"},
        {"unk_token", "<unk>"},
        {"fuse_unk", true},
        {"byte_fallback", true},
        {"vocab", vocab},
        {"merges",
         {"\xe2\x96\x81 a", "b c", "a b", "ab c",
          "\xe2\x96\x81 \xe2\x96\x81"}}}}};
}

TEST_F(VocabularyTest, JsonOfCharacters) {
  auto tokens = read(characterJson().dump());
  EXPECT_EQ(tokens->size(), 269);
  EXPECT_EQ(tokens->encode("abc"), (Tokens{266, 263}));
  EXPECT_EQ(tokens->encode("babc"), (Tokens{259, 261, 260, 263}));
  EXPECT_EQ(tokens->encode("z"), (Tokens{259, 3 + 'z'}));
  EXPECT_EQ(tokens->encode(" b"), (Tokens{267, 261}));
  EXPECT_EQ(tokens->encode("b<x>b"), (Tokens{259, 261, 268, 259, 261}));
  // </s> takes the blanks behind it along.
  EXPECT_EQ(tokens->encode("b</s>  b", true), (Tokens{259, 261, 2, 259, 261}));
  EXPECT_TRUE(tokens->isEnd(2));
  checkAnyBytes(*tokens, "characters in JSON");
  // An added token that takes blanks is asked for, special or not.
  Json json = characterJson();
  json["added_tokens"][3]["lstrip"] = true;
  tokens = read(json.dump());
  EXPECT_EQ(tokens->encode("b <x>b", true), (Tokens{259, 261, 268, 259, 261}));
  checkAnyBytes(*tokens, "an added token that takes blanks");
}

TEST_F(VocabularyTest, JsonOfMetaspace) {
  for (const char *scheme : {"first", "always", "never"})
    for (bool split : {true, false}) {
      Json json = characterJson();
      json["normalizer"] = nullptr;
      json["pre_tokenizer"] = {{"type", "Metaspace"},
                               {"replacement", "\xe2\x96\x81"},
                               {"prepend_scheme", scheme},
                               {"split", split}};
      json["decoder"] = {{"type", "Metaspace"},
                         {"replacement", "\xe2\x96\x81"},
                         {"prepend_scheme", scheme},
                         {"split", split}};
      auto tokens = read(json.dump());
      bool never = scheme == std::string("never");
      EXPECT_EQ(tokens->encode("b"),
                never ? (Tokens{261}) : (Tokens{259, 261}));
      EXPECT_EQ(tokens->encode("b<x>b"), never ? (Tokens{261, 268, 261})
                                         : scheme == std::string("always")
                                             ? (Tokens{259, 261, 268, 259, 261})
                                             : (Tokens{259, 261, 268, 261}));
      // Two blanks are one token only where nothing cuts between them.
      EXPECT_EQ(tokens->encode("b  b"),
                split ? (never ? (Tokens{261, 259, 259, 261})
                               : (Tokens{259, 261, 259, 259, 261}))
                      : (never ? (Tokens{261, 267, 261})
                               : (Tokens{259, 261, 267, 261})));
      checkAnyBytes(*tokens, scheme);
    }
}

TEST_F(VocabularyTest, JsonThatIsNotKnownIsNamed) {
  using Change = std::function<void(Json &)>;
  auto with = [&](const Change &change, Json json) {
    change(json);
    return refusal(json.dump());
  };
  auto bytes = [&](const Change &change) { return with(change, byteJson()); };
  auto text = [&](const Change &change) {
    return with(change, characterJson());
  };
  EXPECT_EQ(refusal("{"), "it is not JSON");
  EXPECT_EQ(refusal("{\"a\": \xff}"), "it is not JSON");
  EXPECT_EQ(refusal("{\"a\":" + std::string(100000, '[')),
            "its lists and objects nest deeper than 40");
  EXPECT_EQ(refusal("{}"), "its texts are neither bytes ('ByteLevel') nor have "
                           "'\xe2\x96\x81' for blanks");
  EXPECT_EQ(bytes([](Json &j) { j["extra"] = 1; }),
            "it has 'extra', which is not known here");
  EXPECT_EQ(bytes([](Json &j) { j["truncation"] = {{"max_length", 8}}; }),
            "it has a 'truncation', which is not known here");
  EXPECT_EQ(bytes([](Json &j) { j["normalizer"] = {{"type", "NFKC"}}; }),
            "its normalizer has 'NFKC' as 'type', which is not known here");
  EXPECT_EQ(bytes([](Json &j) { j["normalizer"] = 3; }),
            "its normalizer is not a JSON object");
  EXPECT_EQ(
      bytes([](Json &j) { j["normalizer"] = {{"type", "NFC"}, {"x", 1}}; }),
      "its normalizer has 'x', which is not known here");
  EXPECT_EQ(
      bytes([](Json &j) { j["pre_tokenizer"]["add_prefix_space"] = true; }),
      "its pre-tokenizer has 'true' as 'add_prefix_space', which is not "
      "known here");
  EXPECT_EQ(bytes([](Json &j) { j["pre_tokenizer"] = {{"type", "Bert"}}; }),
            "its pre-tokenizer has 'Bert' as 'type', which is not known here");
  auto split = [&](const char *regex, const char *behavior, bool invert) {
    return bytes([&](Json &j) {
      j["pre_tokenizer"] = {{"type", "Split"},
                            {"pattern", {{"Regex", regex}}},
                            {"behavior", behavior},
                            {"invert", invert}};
    });
  };
  EXPECT_EQ(split("(", "Isolated", false),
            "its pre-tokenizer has a pattern that is wrong at byte 1: missing "
            "closing parenthesis");
  EXPECT_EQ(split("a", "Removed", false),
            "its pre-tokenizer has 'Removed' as 'behavior', which is not known "
            "here");
  EXPECT_EQ(
      split("a", "Isolated", true),
      "its pre-tokenizer has 'true' as 'invert', which is not known here");
  EXPECT_EQ(bytes([](Json &j) { j["decoder"] = nullptr; }),
            "it has no decoder 'ByteLevel'");
  EXPECT_EQ(bytes([](Json &j) { j["decoder"]["type"] = "WordPiece"; }),
            "its decoder has 'WordPiece' as 'type', which is not known here");
  EXPECT_EQ(
      bytes([](Json &j) {
        j["post_processor"] = {{"type", "RobertaProcessing"}};
      }),
      "its post-processor has 'RobertaProcessing' as 'type', which is not "
      "known here");
  EXPECT_EQ(bytes([](Json &j) {
              Json mark = {{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}};
              Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
              j["post_processor"] = {{"type", "TemplateProcessing"},
                                     {"single", {text, mark}},
                                     {"special_tokens", Json::object()}};
            }),
            "its post-processor puts '<s>' behind texts, which then could not "
            "be gone on with");
  EXPECT_EQ(bytes([](Json &j) { j["model"]["type"] = "Unigram"; }),
            "its model has 'Unigram' as 'type', which is not known here");
  EXPECT_EQ(bytes([](Json &j) { j["model"]["dropout"] = 0.5; }),
            "its model has '0.5' as 'dropout', which is not known here");
  EXPECT_EQ(bytes([](Json &j) { j["model"]["more"] = 1; }),
            "its model has 'more', which is not known here");
  EXPECT_EQ(bytes([](Json &j) { j["model"]["merges"] = {"a"}; }),
            "its merge 0 is not two tokens");
  EXPECT_EQ(bytes([](Json &j) { j["model"]["merges"] = {"q z"}; }),
            "its merge 0, of 'q' and 'z', is about what is no token");
  EXPECT_EQ(text([](Json &j) { j["model"]["vocab"].erase("a"); }),
            "no token of it has number 260");
  EXPECT_EQ(bytes([](Json &j) { j["model"]["vocab"].erase("a"); }),
            "its token '<x>' has no number below " +
                std::to_string(bytesSize() + 2));
  EXPECT_EQ(bytes([](Json &j) { j["model"]["vocab"]["a"] = 98; }),
            "its tokens 'a' and 'b' have one number, 98");
  for (Json number : {Json(-1), Json(1u << 30), Json(~uint64_t(0)), Json("1")})
    EXPECT_EQ(bytes([&](Json &j) { j["model"]["vocab"]["a"] = number; }),
              "its token 'a' has no number below " +
                  std::to_string(bytesSize() + 3));
  auto added = [&](const char *key, Json value) {
    return bytes([&](Json &j) { j["added_tokens"][2][key] = value; });
  };
  EXPECT_EQ(added("id", 5), "its added token '<x>' has number 5, which is not "
                            "its own");
  EXPECT_EQ(
      added("single_word", true),
      "its added token '<x>' is a 'single_word', which is not known here");
  EXPECT_EQ(added("new", 1), "its added token has 'new', which is not known "
                             "here");
  EXPECT_EQ(
      text([](Json &j) { j["model"]["byte_fallback"] = false; }),
      "its model has no 'byte_fallback': not every text could be written");
  EXPECT_EQ(text([](Json &j) { j["decoder"] = {{"type", "Fuse"}}; }),
            "it has no decoder that makes blanks of '\xe2\x96\x81'");
  EXPECT_EQ(text([](Json &j) {
              j["pre_tokenizer"] = {{"type", "Digits"}};
              j["normalizer"] = nullptr;
            }),
            "its texts are neither bytes ('ByteLevel') nor have "
            "'\xe2\x96\x81' for blanks");
  EXPECT_EQ(text([](Json &j) {
              j["pre_tokenizer"] = {{"type", "Split"},
                                    {"pattern", {{"Regex", "a"}}},
                                    {"behavior", "Isolated"}};
            }),
            "its pre-tokenizer splits texts whose blanks are '\xe2\x96\x81', "
            "which is not known here");
  // As Gemma's, which cuts at blanks where there are none left.
  EXPECT_EQ(text([](Json &j) {
              j["pre_tokenizer"] = {{"type", "Split"},
                                    {"pattern", {{"String", " "}}},
                                    {"behavior", "MergedWithPrevious"},
                                    {"invert", false}};
            }),
            "");
}

} // namespace
