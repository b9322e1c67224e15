// A connection to PostgreSQL as an object: statements are prepared once a
// connection, results come in binary, and errors are told apart by what can be
// done about them.
#ifndef AGT_RUNTIME_LOG_POSTGRES_H
#define AGT_RUNTIME_LOG_POSTGRES_H

#include "runtime/Log/Sql.h"

#include <map>

struct pg_conn; // libpq's
struct pg_result;

namespace agt::rt {

/// The server, or the way to it, is gone: connect again.
struct LostConnection {
  std::string why;
};

/// Another transaction was in the way: make the transaction again.
struct Collision {
  std::string why;
};

class Postgres : public Sql {
public:
  /// Checks the URL (AGT_BAD_INPUT); does not connect.
  explicit Postgres(const std::string &url);
  ~Postgres() override;
  Postgres(const Postgres &) = delete;

  /// A new connection in place of the old one. Throws LostConnection when the
  /// server is starting up or cannot be reached, Failure when it will not have
  /// us.
  void connect();
  bool connected() const;

  /// Statements without parameters, several separated by semicolons.
  void execute(const char *sql);
  std::unique_ptr<Statement> prepare(const char *sql) override;
  bool inTransaction() const;
  /// After LISTEN: whether something was heard within `ns`. Throws
  /// LostConnection.
  bool awaitNotification(int64_t ns);

private:
  friend class PqStatement;
  /// Takes over a result; returns it when the statement has worked.
  pg_result *checked(pg_result *result);
  void disconnect();
  void checkServer();

  std::string url;
  pg_conn *connection = nullptr;
  std::map<const char *, std::string> prepared; // by the literal's address
};

/// What libpq says of a URL quotes it: without the password in it.
std::string withoutPassword(std::string text, const std::string &url);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_POSTGRES_H
