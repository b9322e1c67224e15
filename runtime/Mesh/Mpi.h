// The transport between processes: MPI, a rank for each position.
//
// One thread makes all calls of MPI. The others post requests and wait; that
// thread keeps testing what is under way, which is also what moves the bytes of
// large messages. A request of a rank that fails reaches the others as a
// message of its own, so that nobody waits for ever; a rank that dies is
// mpirun's to notice, which ends the rest and names it.
#ifndef AGT_RUNTIME_MESH_MPI_H
#define AGT_RUNTIME_MESH_MPI_H

#include "runtime/Mesh/MpiLibrary.h"
#include "runtime/Mesh/Transport.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace agt::rt {

class MpiWorld : public Transport {
public:
  /// Joins the ranks that mpirun has started. Fails with AGT_MISSING where Open
  /// MPI is not installed.
  MpiWorld();
  /// Takes leave of the other ranks, unless it was stopped.
  ~MpiWorld() override;
  /// From here on nothing is sent or received, what is under way stays as it
  /// is, and the process is to end soon.
  void stop();

  int64_t rank() const { return self; }
  int64_t ranks() const { return count; }

  Request postSend(int64_t to, const void *data, uint64_t bytes,
                   Link link) override;
  Request postReceive(int64_t from, void *data, uint64_t bytes,
                      Link link) override;
  Span wait(Request request) override;
  void cancel() override;
  bool isCancelled() override;

  /// Every rank's text, by rank; all ranks call it in the same order. Works
  /// after a cancellation as well.
  std::vector<std::string> gatherAll(const std::string &text);

private:
  // What a message is about. Ready notices tell the receiver that the sender
  // has posted, so that both know when a transfer began.
  enum Tag { dataTag = 1, readyTag = 2, cancelTag = 3, textTag = 4 };

  // One direction of a transfer, or some text.
  struct Message {
    bool sends;
    int64_t peer;
    unsigned char *data;
    uint64_t bytes;
    Link link;
    int tag;
    std::vector<void *> parts; // requests, NULL when done
    void *notice = nullptr;    // the request of the ready notice
    char noticeByte = 0;
    bool noticed = false; // the other side is ready
    bool arrived = false; // all bytes are there
    Span span{0, 0};
    bool done = false;
  };
  using MessagePtr = std::shared_ptr<Message>;

  void serve();
  void join();
  void listen();
  void start(const MessagePtr &message);
  bool test(void *&request);
  void notice(Message &message);
  bool advance(Message &message);
  void checkCancelled();
  Request post(const MessagePtr &message);
  Span waitFor(Request request, bool heedCancel);
  MessagePtr newMessage(bool sends, int64_t peer, const void *data,
                        uint64_t bytes, int tag);
  void sendText(int64_t to, const std::string &text);
  std::string receiveText(int64_t from);

  std::unique_ptr<MpiLibrary> mpi;
  int64_t self = 0;
  int64_t count = 1;

  std::mutex lock;
  std::condition_variable posted;  // for the thread that serves
  std::condition_variable changed; // for those who wait
  bool joined = false;
  bool leaving = false;
  bool stopped = false;
  bool cancelled = false;
  bool cancelSent = false;
  std::exception_ptr failure; // of joining
  Request lastRequest = 0;
  std::map<Request, MessagePtr> requests;
  std::deque<MessagePtr> arriving; // posted, not started

  // Of the thread that serves.
  std::vector<MessagePtr> underWay;
  std::map<std::pair<int64_t, uint32_t>, double> busyUntil; // by from and axis
  // Senders of whom nothing more is heard in this round.
  std::set<int64_t> unnoticed;
  void *cancelRequest = nullptr;
  char cancelByte = 0;
  std::thread server; // last: it uses all of the above
};

/// The ranks that mpirun has started, of which this process is one; 1 where
/// there is no mpirun.
int64_t ranksFromEnvironment();
int64_t rankFromEnvironment();

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_MPI_H
