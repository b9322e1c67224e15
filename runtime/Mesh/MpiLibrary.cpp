// See MpiLibrary.h. It is opened with RTLD_GLOBAL: Open MPI opens its parts as
// plugins, which look for its symbols.
#include "runtime/Mesh/MpiLibrary.h"

#include "runtime/Support/Failure.h"

#include <cstdlib>
#include <dlfcn.h>

namespace agt::rt {

static const char *libraryName() {
  const char *name = std::getenv("AGT_MPI_LIBRARY");
  return name && *name ? name : "libmpi.so.40";
}

MpiLibrary::MpiLibrary() {
  const char *name = libraryName();
  void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  auto missing = [&] {
    fail(AGT_MISSING, std::string("cannot open '") + name +
                          "', which a run under mpirun needs: install the "
                          "package libopenmpi3");
  };
  if (!library)
    missing();
  auto find = [&](const char *symbol) {
    void *address = dlsym(library, symbol);
    if (!address)
      missing();
    return address;
  };
  world = find("ompi_mpi_comm_world");
  byte = find("ompi_mpi_byte");
#define AGT_FIND(NAME)                                                         \
  NAME = reinterpret_cast<decltype(NAME)>(find("MPI_" #NAME))
  AGT_FIND(Init_thread);
  AGT_FIND(Finalize);
  AGT_FIND(Comm_rank);
  AGT_FIND(Comm_size);
  AGT_FIND(Isend);
  AGT_FIND(Irecv);
  AGT_FIND(Test);
  AGT_FIND(Cancel);
  AGT_FIND(Wait);
#undef AGT_FIND
}

} // namespace agt::rt
