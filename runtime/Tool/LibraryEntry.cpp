// Where a library of agents begins when it is run: it is its own supervisor, as
// a program is (Process.h). The program that has loaded it may be anybody's, so
// the dynamic linker executes the library's own file, and comes here.
#include "runtime/Tool/Process.h"
#include "runtime/Tool/Spawn.h"

#include <cstring>
#include <unistd.h>

// Asked for when it is loaded: a relative path means something then.
[[maybe_unused]] static const bool isKnown = !agt::rt::ownCommand().empty();

extern "C" [[noreturn]] void agt_library_main(long argc, char **argv) {
  agt::rt::superviseIfAsked(int(argc), argv);
  static const char text[] =
      "error: this is a library, for programs to link (see its header)\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(2);
}

// The stack holds argc, then argv, as the kernel leaves them.
asm(R"(
.text
.globl agt_library_entry
.type agt_library_entry, @function
agt_library_entry:
  xorl %ebp, %ebp
  movq (%rsp), %rdi
  leaq 8(%rsp), %rsi
  andq $-16, %rsp
  call agt_library_main@PLT
  hlt
.size agt_library_entry, .-agt_library_entry
)");
