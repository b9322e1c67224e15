// See Postgres.h.
#include "runtime/Log/Postgres.h"

#include "runtime/Log/Pq.h"
#include "runtime/Support/Failure.h"

#include <cstring>
#include <poll.h>
#include <vector>

namespace agt::rt {

namespace {

constexpr int binary = 1;

void replaceAll(std::string &text, const std::string &what,
                const std::string &by) {
  for (size_t at = 0;
       !what.empty() && (at = text.find(what, at)) != std::string::npos;
       at += by.size())
    text.replace(at, what.size(), by);
}

// Messages of libpq go over several lines.
std::string onOneLine(const std::string &text) {
  std::string line;
  for (char letter : text) {
    bool blank = letter == '\n' || letter == '\t' || letter == ' ';
    if (!blank)
      line += letter;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line;
}

// Of a class of SQLSTATE: connections, shutdowns, sessions that were ended.
bool isLost(const std::string &state) {
  return state.substr(0, 2) == "08" || state == "57P01" || state == "57P02" ||
         state == "57P03" || state == "25P03" || state == "57P05";
}

// Serialization, deadlock, two who made the same row.
bool isCollision(const std::string &state) {
  return state == "40001" || state == "40P01" || state == "23505";
}

} // namespace

std::string withoutPassword(std::string text, const std::string &url) {
  size_t start = url.find("://");
  start = start == std::string::npos ? 0 : start + 3;
  size_t end = url.find_first_of("/?", start), at = url.rfind('@', end);
  size_t colon = url.find(':', start);
  if (at != std::string::npos && at > start && colon < at)
    replaceAll(text, url.substr(colon + 1, at - colon - 1), "***");
  size_t query = url.find("password=");
  if (query != std::string::npos) {
    query += std::strlen("password=");
    replaceAll(text, url.substr(query, url.find('&', query) - query), "***");
  }
  return text;
}

// Parameters wait here until step() sends them all.
class PqStatement : public Statement {
public:
  PqStatement(Postgres &database, std::string name)
      : database(database), name(std::move(name)) {}
  ~PqStatement() override {
    if (result)
      pq().PQclear(result);
  }

  Statement &bind(int64_t number) override {
    numbers.push_back(std::make_unique<std::string>(std::to_string(number)));
    return add(*numbers.back(), Kind::Text);
  }

  bool step() override {
    if (!result)
      send();
    return ++row < pq().PQntuples(result);
  }

  // Integers of 2, 4 and 8 bytes, most significant byte first.
  int64_t number(int column) override {
    auto *bytes = reinterpret_cast<const unsigned char *>(
        pq().PQgetvalue(result, row, column));
    int n = pq().PQgetlength(result, row, column);
    if (pq().PQgetisnull(result, row, column) || n == 0)
      return 0;
    uint64_t value = bytes[0] & 0x80 ? ~uint64_t(0) : 0;
    for (int i = 0; i < n; ++i)
      value = value << 8 | bytes[i];
    return int64_t(value);
  }

  std::string text(int column) override {
    return {pq().PQgetvalue(result, row, column),
            size_t(pq().PQgetlength(result, row, column))};
  }

private:
  // The protocol wants texts to end with a zero byte: views may not.
  Statement &add(std::string_view bytes, Kind kind) override {
    bool isBinary = kind == Kind::Raw || kind == Kind::Blob;
    if (kind == Kind::Text && bytes.find('\0') != std::string_view::npos)
      fail(AGT_BAD_INPUT, "a text with a zero byte cannot be kept");
    const char *data = nullptr;
    if (kind == Kind::Text) {
      texts.push_back(std::make_unique<std::string>(bytes));
      data = texts.back()->c_str();
    } else if (isBinary) {
      data = bytes.data() ? bytes.data() : "";
    }
    values.push_back(data);
    lengths.push_back(int(bytes.size()));
    formats.push_back(isBinary ? binary : 0);
    return *this;
  }

  void send() {
    result = database.checked(pq().PQexecPrepared(
        database.connection, name.c_str(), int(values.size()), values.data(),
        lengths.data(), formats.data(), binary));
  }

  Postgres &database;
  std::string name;
  std::vector<std::unique_ptr<std::string>> numbers, texts;
  std::vector<const char *> values;
  std::vector<int> lengths, formats;
  PGresult *result = nullptr;
  int row = -1;
};

Postgres::Postgres(const std::string &given) : url(given) {
  char *error = nullptr;
  PQconninfoOption *options = pq().PQconninfoParse(url.c_str(), &error);
  if (options) {
    pq().PQconninfoFree(options);
    return;
  }
  std::string why = error ? error : "out of memory";
  pq().PQfreemem(error);
  fail(AGT_BAD_INPUT, "cannot read the URL of the database: " +
                          onOneLine(withoutPassword(why, url)));
}

Postgres::~Postgres() { disconnect(); }

void Postgres::disconnect() {
  if (connection)
    pq().PQfinish(connection);
  connection = nullptr;
  prepared.clear();
}

bool Postgres::connected() const {
  return connection && pq().PQstatus(connection) == CONNECTION_OK;
}

bool Postgres::inTransaction() const {
  return connection && pq().PQtransactionStatus(connection) != PQTRANS_IDLE;
}

void Postgres::connect() {
  disconnect();
  // What stands before the URL is a default, what stands behind it is not. A
  // server that is cut off says nothing: what is sent is given up after 20 s,
  // and an answer that does not come is asked after (keepalives).
  const char *keys[] = {"connect_timeout",  "tcp_user_timeout",
                        "keepalives_idle",  "keepalives_interval",
                        "application_name", "dbname",
                        "client_encoding",  nullptr};
  const char *values[] = {"10",  "20000",     "10",   "5",
                          "agt", url.c_str(), "UTF8", nullptr};
  connection = pq().PQconnectdbParams(keys, values, 1);
  if (!connected()) {
    std::string why =
        connection ? pq().PQerrorMessage(connection) : "out of memory";
    throw LostConnection{onOneLine(why)};
  }
  pq().PQsetNoticeProcessor(connection, [](void *, const char *) {}, nullptr);
  // A client that is stopped in the middle must not hold its locks for ever,
  // and nobody may have switched the durability of commits off for us.
  execute("SET client_min_messages = warning;"
          "SET idle_in_transaction_session_timeout = '60s';"
          "SELECT set_config('synchronous_commit', 'on', false)"
          " WHERE current_setting('synchronous_commit') = 'off';"
          "SET search_path = agt");
  checkServer();
}

void Postgres::checkServer() {
  int version = pq().PQserverVersion(connection);
  if (version < 130000)
    fail(AGT_MISSING, "the step log needs PostgreSQL 13 or later, the server "
                      "is of version " +
                          std::to_string(version / 10000));
  const char *encoding = pq().PQparameterStatus(connection, "server_encoding");
  if (encoding && std::strcmp(encoding, "UTF8") != 0)
    fail(AGT_MISSING,
         std::string("the step log needs a database in UTF8, this one is in ") +
             encoding);
}

bool Postgres::awaitNotification(int64_t ns) {
  pollfd file = {pq().PQsocket(connection), POLLIN, 0};
  poll(&file, 1, int(ns / 1'000'000));
  if (!pq().PQconsumeInput(connection) || !connected())
    throw LostConnection{onOneLine(pq().PQerrorMessage(connection))};
  bool heard = false;
  while (PGnotify *notification = pq().PQnotifies(connection)) {
    heard = true;
    pq().PQfreemem(notification);
  }
  return heard;
}

pg_result *Postgres::checked(pg_result *result) {
  ExecStatusType status = pq().PQresultStatus(result);
  if (result && (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK ||
                 status == PGRES_EMPTY_QUERY))
    return result;
  const char *state =
      result ? pq().PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
  const char *primary =
      result ? pq().PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
             : nullptr;
  std::string code = state ? state : "";
  std::string why =
      onOneLine(primary ? primary : pq().PQerrorMessage(connection));
  if (result)
    pq().PQclear(result);
  if (!connected() || isLost(code))
    throw LostConnection{why};
  if (isCollision(code))
    throw Collision{why};
  fail(code == "42501" || code == "3F000" ? AGT_MISSING : AGT_FAILED,
       "cannot use the step log on PostgreSQL: " + why);
}

void Postgres::execute(const char *sql) {
  pq().PQclear(checked(pq().PQexec(connection, sql)));
}

std::unique_ptr<Statement> Postgres::prepare(const char *sql) {
  auto found = prepared.find(sql);
  if (found == prepared.end()) {
    std::string name = "s" + std::to_string(prepared.size());
    pq().PQclear(
        checked(pq().PQprepare(connection, name.c_str(), sql, 0, nullptr)));
    found = prepared.emplace(sql, name).first;
  }
  return std::make_unique<PqStatement>(*this, found->second);
}

} // namespace agt::rt
