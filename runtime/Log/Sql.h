// What the step log needs of an SQL database: prepared statements. SQLite and
// PostgreSQL understand the same text, with parameters $1, $2, ... that first
// occur in this order (to SQLite they are names, numbered as they come).
#ifndef AGT_RUNTIME_LOG_SQL_H
#define AGT_RUNTIME_LOG_SQL_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace agt::rt {

/// A prepared statement in use. What is bound stays where it is until the
/// statement has run; databases fail by throwing Failure.
class Statement {
public:
  virtual ~Statement() = default;

  Statement &bind(std::string_view text) { return add(text, Kind::Text); }
  Statement &bind(const std::string &text) { return add(text, Kind::Text); }
  Statement &bind(const char *text) { return add(text, Kind::Text); }
  virtual Statement &bind(int64_t number) = 0;
  /// "" is NULL.
  Statement &bindOrNull(std::string_view text) {
    return add(text, text.empty() ? Kind::Null : Kind::Text);
  }
  /// A column of texts that may hold any bytes; "" is NULL.
  Statement &bindRawOrNull(std::string_view bytes) {
    return add(bytes, bytes.empty() ? Kind::Null : Kind::Raw);
  }
  Statement &bindBlob(std::string_view bytes) { return add(bytes, Kind::Blob); }

  /// False at the end.
  virtual bool step() = 0;
  void run() {
    while (step())
      ;
  }
  virtual int64_t number(int column) = 0;
  virtual std::string text(int column) = 0; // NULL is ""

protected:
  enum class Kind { Null, Text, Raw, Blob };
  virtual Statement &add(std::string_view bytes, Kind kind) = 0;
};

class Sql {
public:
  virtual ~Sql() = default;
  /// Prepared once for each address of a literal.
  virtual std::unique_ptr<Statement> prepare(const char *sql) = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_SQL_H
