// How bytes get from one position of a mesh to another.
//
// A transfer takes place when both its ends have been posted (a rendezvous):
// nothing is buffered in between, so memory stays what the plans say. Between
// two positions sends and receives match in the order in which they are
// posted. Posting never waits. unittests/Runtime/TransportConformanceTest.cpp
// is run on every implementation.
#ifndef AGT_RUNTIME_MESH_TRANSPORT_H
#define AGT_RUNTIME_MESH_TRANSPORT_H

#include "runtime/Device/Device.h"

#include <cstdint>
#include <exception>

namespace agt::rt {

/// Thrown where another position has failed; that one has the message.
class Cancelled : public std::exception {
public:
  const char *what() const noexcept override { return "cancelled"; }
};

/// What a transfer goes over. Transfers of one axis from one position to
/// another go one after the other.
struct Link {
  uint32_t axis = 0;
  double rate = 0; // at most so many bytes a second; 0: as fast as it goes
};

/// One position's end.
class Transport {
public:
  using Request = uint64_t;

  virtual ~Transport() = default;
  /// The memory stays as it is until the request has been waited for, or the
  /// transport is gone.
  virtual Request postSend(int64_t to, const void *data, uint64_t bytes,
                           Link link) = 0;
  virtual Request postReceive(int64_t from, void *data, uint64_t bytes,
                              Link link) = 0;
  /// Returns when the transfer is over: from when on both ends were ready and
  /// it had its link, and until when it took, on monotonicSeconds' clock. Each
  /// request is waited for at most once. Throws Cancelled.
  virtual Span wait(Request request) = 0;
  /// From here on waiting throws Cancelled, at every position.
  virtual void cancel() = 0;
  virtual bool isCancelled() = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_TRANSPORT_H
