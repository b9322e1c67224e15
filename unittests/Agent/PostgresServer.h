// A PostgreSQL server for the tests of this process (scripts/postgres.py),
// started when the first one asks for it.
#ifndef AGT_UNITTESTS_AGENT_POSTGRESSERVER_H
#define AGT_UNITTESTS_AGENT_POSTGRESSERVER_H

#include <string>

namespace agt::rt::test {

class PostgresServer {
public:
  static PostgresServer &get();

  /// As another role, or of another database.
  std::string url(const std::string &role = "agt",
                  const std::string &database = "postgres") const;
  void fresh(); // no log in the database
  void stop();
  void start();
  void kill(); // as a crash

private:
  PostgresServer();
  ~PostgresServer();
  std::string readLine();
  void say(const std::string &command);

  int to = -1, from = -1;
  int process = 0;
  std::string folder; // of the socket, as URLs have it
};

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_AGENT_POSTGRESSERVER_H
