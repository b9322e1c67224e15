// See PostgresServer.h. The helper takes the server away when its input ends,
// so that nothing is left of a test that crashes either.
#include "unittests/Agent/PostgresServer.h"

#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace agt::rt::test {

PostgresServer &PostgresServer::get() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes");
  const char *source = std::getenv("AGT_SOURCE");
  std::string script =
      (source ? std::string(source) : ".") + "/scripts/postgres.py";
  process = fork();
  if (process == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execlp("python3", "python3", script.c_str(), "serve", nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to = in[1];
  from = out[0];
  std::string made = readLine();
  size_t at = made.find('@');
  if (at == std::string::npos)
    throw std::runtime_error("the PostgreSQL server did not start");
  folder = made.substr(at + 1, made.rfind('/') - at - 1);
}

PostgresServer::~PostgresServer() {
  close(to);
  close(from);
  waitpid(process, nullptr, 0);
}

std::string PostgresServer::readLine() {
  std::string line;
  char letter;
  while (read(from, &letter, 1) == 1 && letter != '\n')
    line += letter;
  return line;
}

void PostgresServer::say(const std::string &command) {
  std::string line = command + "\n";
  if (write(to, line.data(), line.size()) != ssize_t(line.size()) ||
      readLine() != "ok")
    throw std::runtime_error("the PostgreSQL server did not " + command);
}

std::string PostgresServer::url(const std::string &role,
                                const std::string &database) const {
  return "postgres://" + role + "@" + folder + "/" + database;
}

void PostgresServer::fresh() { say("fresh"); }
void PostgresServer::stop() { say("stop"); }
void PostgresServer::start() { say("start"); }
void PostgresServer::kill() { say("kill"); }

} // namespace agt::rt::test
