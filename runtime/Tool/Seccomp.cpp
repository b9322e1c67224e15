// See Seccomp.h. Everything is allowed but what opens the kernel further than
// a command needs: making namespaces and mounts, looking into other processes,
// loading code into the kernel, keys, io_uring, typing into terminals. They
// fail with EPERM (clone3 with ENOSYS: its flags lie in memory, where a filter
// cannot look, and the C library falls back to clone).
#include "runtime/Tool/Seccomp.h"

#include "runtime/Support/Failure.h"

#include <cerrno>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace agt::rt {

static const int refusedCalls[] = {SCMP_SYS(mount),
                                   SCMP_SYS(umount2),
                                   SCMP_SYS(pivot_root),
                                   SCMP_SYS(chroot),
                                   SCMP_SYS(move_mount),
                                   SCMP_SYS(open_tree),
                                   SCMP_SYS(fsopen),
                                   SCMP_SYS(fsconfig),
                                   SCMP_SYS(fsmount),
                                   SCMP_SYS(fspick),
                                   SCMP_SYS(mount_setattr),
                                   SCMP_SYS(unshare),
                                   SCMP_SYS(setns),
                                   SCMP_SYS(ptrace),
                                   SCMP_SYS(process_vm_readv),
                                   SCMP_SYS(process_vm_writev),
                                   SCMP_SYS(kcmp),
                                   SCMP_SYS(bpf),
                                   SCMP_SYS(perf_event_open),
                                   SCMP_SYS(userfaultfd),
                                   SCMP_SYS(add_key),
                                   SCMP_SYS(request_key),
                                   SCMP_SYS(keyctl),
                                   SCMP_SYS(io_uring_setup),
                                   SCMP_SYS(io_uring_enter),
                                   SCMP_SYS(io_uring_register),
                                   SCMP_SYS(init_module),
                                   SCMP_SYS(finit_module),
                                   SCMP_SYS(delete_module),
                                   SCMP_SYS(kexec_load),
                                   SCMP_SYS(kexec_file_load),
                                   SCMP_SYS(reboot),
                                   SCMP_SYS(swapon),
                                   SCMP_SYS(swapoff),
                                   SCMP_SYS(settimeofday),
                                   SCMP_SYS(clock_settime),
                                   SCMP_SYS(adjtimex),
                                   SCMP_SYS(clock_adjtime),
                                   SCMP_SYS(sethostname),
                                   SCMP_SYS(setdomainname),
                                   SCMP_SYS(open_by_handle_at),
                                   SCMP_SYS(name_to_handle_at),
                                   SCMP_SYS(quotactl),
                                   SCMP_SYS(acct),
                                   SCMP_SYS(syslog),
                                   SCMP_SYS(nfsservctl),
                                   SCMP_SYS(iopl),
                                   SCMP_SYS(ioperm),
                                   SCMP_SYS(vhangup)};

static std::string build() {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  bool made = filter != nullptr;
  auto refuse = [&](int error, int call, unsigned n, scmp_arg_cmp argument) {
    made =
        made && seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(uint32_t(error)),
                                       call, n, &argument) == 0;
  };
  scmp_arg_cmp none = {};
  for (int call : refusedCalls)
    refuse(EPERM, call, 0, none);
  refuse(ENOSYS, SCMP_SYS(clone3), 0, none);
  refuse(EPERM, SCMP_SYS(clone), 1,
         SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER));
  for (unsigned long request : {TIOCSTI, TIOCLINUX})
    refuse(EPERM, SCMP_SYS(ioctl), 1,
           SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, request));
  int file = memfd_create("seccomp", MFD_CLOEXEC);
  made = made && file >= 0 && seccomp_export_bpf(filter, file) == 0;
  std::string bytes;
  if (made) {
    bytes.resize(size_t(lseek(file, 0, SEEK_END)));
    made = pread(file, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size());
  }
  if (file >= 0)
    close(file);
  if (filter)
    seccomp_release(filter);
  if (!made)
    fail(AGT_MISSING, "the filter of system calls for sandboxes cannot be made "
                      "on this machine");
  return bytes;
}

std::string seccompFilter() {
  static const std::string filter = build();
  return filter;
}

} // namespace agt::rt
