/* Tries to read and write files of the user and of the system. */
#include "vtr-intruder-acts.h"
#include "vtr-intruder-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *
in_folder (const char *name)
{
  static char path[4096];

  snprintf (path, sizeof path, "%s/%s", vtr_intruder_setting ("INTRUDER_FOLDER"), name);
  return path;
}

static bool
read_secret (void)
{
  char byte;
  int fd = open (vtr_intruder_setting ("INTRUDER_SECRET"), O_RDONLY);
  bool done = fd >= 0 && read (fd, &byte, 1) == 1;

  if (fd >= 0)
    close (fd);
  return done;
}

/* The same file by another path. */
static bool
read_secret_by_root (void)
{
  char path[4096];

  snprintf (path, sizeof path, "/proc/self/root%s", vtr_intruder_setting ("INTRUDER_SECRET"));
  return vtr_intruder_opened (open (path, O_RDONLY));
}

static bool
list_home (void)
{
  char path[4096], *slash;
  DIR *folder;

  snprintf (path, sizeof path, "%s", vtr_intruder_setting ("INTRUDER_SECRET"));
  slash = strrchr (path, '/');
  if (slash == NULL)
    return false;
  *slash = '\0';
  folder = opendir (path);
  if (folder == NULL)
    return false;
  closedir (folder);
  return true;
}

static bool
read_passwords (void)
{
  return vtr_intruder_opened (open ("/etc/passwd", O_RDONLY));
}

static bool
make_file (void)
{
  return vtr_intruder_opened (open (in_folder ("made"), O_WRONLY | O_CREAT, 0600));
}

static bool
overwrite_file (void)
{
  int fd = open (in_folder ("there"), O_WRONLY);
  bool done = fd >= 0 && write (fd, "x", 1) == 1;

  if (fd >= 0)
    close (fd);
  return done;
}

static bool
truncate_file (void)
{
  return truncate (in_folder ("there"), 0) == 0;
}

static bool
truncate_on_open (void)
{
  return vtr_intruder_opened (open (in_folder ("there"), O_RDONLY | O_TRUNC));
}

static bool
make_folder (void)
{
  return mkdir (in_folder ("folder"), 0700) == 0 || errno == EEXIST;
}

static bool
make_temporary (void)
{
  char path[64];

  snprintf (path, sizeof path, "/tmp/vtr-intruder-%d", (int)getpid ());
  if (!vtr_intruder_opened (open (path, O_WRONLY | O_CREAT, 0600)))
    return false;
  unlink (path);
  return true;
}

/* In the home: where the driver may make files. */
static bool
make_nameless (void)
{
  return vtr_intruder_opened (open (vtr_intruder_setting ("HOME"), O_TMPFILE | O_RDWR, 0600));
}

static bool
make_shared_memory (void)
{
  if (!vtr_intruder_opened (open ("/dev/shm/vtr-intruder", O_WRONLY | O_CREAT, 0600)))
    return false;
  unlink ("/dev/shm/vtr-intruder");
  return true;
}

static bool
unlink_file (void)
{
  return unlink (in_folder ("unlinked")) == 0;
}

static bool
rename_file (void)
{
  char from[4096];

  snprintf (from, sizeof from, "%s", in_folder ("renamed"));
  return rename (from, in_folder ("renamed-again")) == 0;
}

static bool
link_file (void)
{
  return symlink ("/", in_folder ("link")) == 0;
}

static bool
change_mode (void)
{
  return chmod (in_folder ("there"), 0666) == 0;
}

static bool
change_time (void)
{
  return utimensat (AT_FDCWD, in_folder ("there"), NULL, 0) == 0;
}

static bool
write_to_system (void)
{
  int fd = open ("/proc/self/oom_score_adj", O_WRONLY);
  bool done = fd >= 0 && write (fd, "0", 1) == 1;

  if (fd >= 0)
    close (fd);
  return done;
}

void
vtr_intruder_plant (void)
{
  char path[4096];
  bool there;
  int fd;

  snprintf (path, sizeof path, "%s/%s", vtr_intruder_setting ("HOME"),
            vtr_intruder_setting ("INTRUDER_PLANT"));
  there = access (path, F_OK) == 0;
  fd = open (path, O_WRONLY | O_CREAT, 0600);
  fprintf (stderr, "intruder finds %s: %s\n", vtr_intruder_setting ("INTRUDER_PLANT"),
           there ? "yes" : fd >= 0 ? "no"
                                   : strerror (errno));
  if (fd >= 0)
    close (fd);
}

const VtrIntruderAct vtr_intruder_files[] = {
  ACT (read_secret),
  ACT (read_secret_by_root),
  ACT (list_home),
  ACT (read_passwords),
  ACT (make_file),
  ACT (overwrite_file),
  ACT (truncate_file),
  ACT (truncate_on_open),
  ACT (make_folder),
  ACT (make_temporary),
  ACT (make_shared_memory),
  ACT (make_nameless),
  ACT (unlink_file),
  ACT (rename_file),
  ACT (link_file),
  ACT (change_mode),
  ACT (change_time),
  ACT (write_to_system),
  { 0 },
};
