/* Runs a program as on a kernel that lacks something: vtr-older-kernel LACK PROGRAM ARGUMENT…
 *
 * LACK: "landlock", "notification" (seccomp without user notification, before Linux 5.0), "gift"
 * (with it, but nobody can give files to who is waiting, before 5.9). Shares no code with the
 * product. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEW_LISTENER (1u << 3)
#define CREATE_RULESET 444
#define GIVE_FILE 0x40182103u /* SECCOMP_IOCTL_NOTIF_ADDFD */

#define LOAD(what) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, what))
#define ARGUMENT(i) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args[i]))
#define UNLESS(value, n) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, value, 0, n)
#define ANSWER(what) BPF_STMT (BPF_RET | BPF_K, what)
#define FAIL(why) ANSWER (SECCOMP_RET_ERRNO | (why))

static struct sock_filter no_landlock[] = {
  LOAD (nr),
  UNLESS (CREATE_RULESET, 1),
  FAIL (ENOSYS),
  ANSWER (SECCOMP_RET_ALLOW),
};

/* Neither the flag nor the action. */
static struct sock_filter no_notification[] = {
  LOAD (nr),
  UNLESS (SYS_seccomp, 6),
  ARGUMENT (0),
  UNLESS (SECCOMP_GET_ACTION_AVAIL, 1),
  FAIL (EOPNOTSUPP),
  ARGUMENT (1),
  BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, NEW_LISTENER, 0, 1),
  FAIL (EINVAL),
  ANSWER (SECCOMP_RET_ALLOW),
};

static struct sock_filter no_gift[] = {
  LOAD (nr),
  UNLESS (SYS_ioctl, 3),
  ARGUMENT (1),
  UNLESS (GIVE_FILE, 1),
  FAIL (EINVAL),
  ANSWER (SECCOMP_RET_ALLOW),
};

static int
lack (struct sock_filter *code,
      size_t              n)
{
  struct sock_fprog program = { (unsigned short)n, code };

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return (int)syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                       &program);
}

#define LACK(code) lack (code, sizeof (code) / sizeof *(code))

int
main (int    argc,
      char **argv)
{
  int done = -1;

  if (argc > 2 && strcmp (argv[1], "landlock") == 0)
    done = LACK (no_landlock);
  else if (argc > 2 && strcmp (argv[1], "notification") == 0)
    done = LACK (no_notification);
  else if (argc > 2 && strcmp (argv[1], "gift") == 0)
    done = LACK (no_gift);
  if (done != 0)
    {
      perror ("vtr-older-kernel");
      return 125;
    }
  execv (argv[2], argv + 2);
  perror (argv[2]);
  return 126;
}
