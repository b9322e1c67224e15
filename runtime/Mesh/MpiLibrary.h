// Open MPI, opened at first use: a program starts without it and only needs it
// when mpirun has started several ranks. The few functions that are used are
// declared here, so that building needs no header of it either. Handles of Open
// MPI are pointers, those that it defines are addresses of exported objects.
#ifndef AGT_RUNTIME_MESH_MPILIBRARY_H
#define AGT_RUNTIME_MESH_MPILIBRARY_H

namespace agt::rt {

struct MpiStatus; // NULL: not wanted

class MpiLibrary {
public:
  using Handle = void *; // communicators, datatypes, requests

  /// Opens it. Fails with AGT_MISSING and the name of Debian's package.
  MpiLibrary();

  Handle world;
  Handle byte;
  int anySource = -1;

  int (*Init_thread)(int *, char ***, int required, int *provided);
  int (*Finalize)();
  int (*Comm_rank)(Handle communicator, int *rank);
  int (*Comm_size)(Handle communicator, int *size);
  int (*Isend)(const void *, int count, Handle type, int to, int tag,
               Handle communicator, Handle *request);
  int (*Irecv)(void *, int count, Handle type, int from, int tag,
               Handle communicator, Handle *request);
  int (*Test)(Handle *request, int *done, MpiStatus *);
  int (*Cancel)(Handle *request);
  int (*Wait)(Handle *request, MpiStatus *);
};

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_MPILIBRARY_H
