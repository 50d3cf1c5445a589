/* Tests memory that can be read, cannot be read, or ends in between, with and without
 * process_vm_readv (). */
#include "base/vtr-readable.h"

#include <errno.h>
#include <glib.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u
#define N_PAGES 200u

static void
check_places (void)
{
  uint8_t *place = mmap (NULL, N_PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true (place != MAP_FAILED);
  errno = 17;
  g_assert_true (vtr_memory_is_readable (place, N_PAGES * PAGE));
  g_assert_true (vtr_memory_is_readable (place + 5, 1));
  g_assert_true (vtr_memory_is_readable (NULL, 0));
  g_assert_cmpint (mprotect (place + 150 * PAGE, PAGE, PROT_NONE), ==, 0);
  g_assert_true (vtr_memory_is_readable (place, 150 * PAGE));
  g_assert_false (vtr_memory_is_readable (place, 150 * PAGE + 1));
  g_assert_false (vtr_memory_is_readable (place + 150 * PAGE + 100, 4));
  g_assert_true (vtr_memory_is_readable (place + 151 * PAGE, PAGE));
  g_assert_false (vtr_memory_is_readable (NULL, 1));
  g_assert_false (vtr_memory_is_readable ((const void *)(uintptr_t)-16, 8));
  g_assert_false (vtr_memory_is_readable ((const void *)(uintptr_t)-16, 64));
  g_assert_false (vtr_memory_is_readable ((const void *)(uintptr_t)0xdeadbeefdeadbeef, 8));
  g_assert_cmpint (munmap (place, N_PAGES * PAGE), ==, 0);
  g_assert_false (vtr_memory_is_readable (place, 1));
  g_assert_cmpint (errno, ==, 17);
}

static void
forbid_peeking (void)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { G_N_ELEMENTS (code), code };

  g_assert_cmpint (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
  g_assert_cmpint (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), ==, 0);
}

static void
test_forbidden (void)
{
  if (g_test_subprocess ())
    {
      forbid_peeking ();
      check_places ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/readable/places", check_places);
  g_test_add_func ("/readable/forbidden", test_forbidden);
  return g_test_run ();
}
