// Random sentences of the grammar in section 10 of the language's description,
// written from that section and not from grammar/: what is tested is that the
// two agree.
#ifndef AGT_UNITTESTS_FRONTEND_SENTENCEGENERATOR_H
#define AGT_UNITTESTS_FRONTEND_SENTENCEGENERATOR_H

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace agt::test {

class SentenceGenerator {
public:
  explicit SentenceGenerator(uint64_t seed) : random(seed) {}

  /// A file as tokens; each string is one token.
  std::vector<std::string> file();

  /// Tokens as text, with blanks, line breaks and comments between them.
  std::string layOut(const std::vector<std::string> &tokens);

private:
  using Part = std::function<void()>;

  // Pieces of rules.
  unsigned pick(unsigned count) { return random() % count; }
  bool chance(unsigned percent) { return pick(100) < percent; }
  void put(const std::string &token) { out.push_back(token); }
  void words(std::initializer_list<const char *> tokens) {
    for (const char *token : tokens)
      put(token);
  }
  void option(const Part &part) {
    if (chance(40))
      part();
  }
  void list(const Part &part, const char *separator, bool trailing = false);
  void oneOf(std::initializer_list<Part> parts);
  bool shallow() const { return depth > 5 || out.size() > 400; }

  // Words and literals.
  void name();
  void nameBut(const std::string &excluded);
  void word();
  void string(bool constant = false);
  void number();
  void more();

  // Rules.
  void decl();
  void graph();
  void tool();
  void toolBody();
  void agent();
  void agentItem();
  void dim();
  void params();
  void type();
  void typeArg();
  void props();
  void prop();
  void value();
  void block();
  void stmt();
  void simpleStmt();
  void ifStmt();
  void shard();
  void pattern();
  void expr();
  void arith();
  void sum();
  void unary();
  void operand();
  void fork();
  void join();
  void args();

  std::mt19937_64 random;
  std::vector<std::string> out;
  unsigned depth = 0;
};

} // namespace agt::test

#endif
