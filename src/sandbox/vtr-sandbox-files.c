/* Limits access to files by Landlock to those that drivers read and write. */
#include "sandbox/vtr-sandbox-private.h"

#include <fcntl.h>
#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/landlock.h: newer than the headers that we build with. */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define CREATE_RULESET_VERSION 1
#define RULE_PATH_BENEATH 1

#define EXECUTE (1ull << 0)
#define WRITE_FILE (1ull << 1)
#define READ_FILE (1ull << 2)
#define READ_DIR (1ull << 3)
#define REMOVE_DIR (1ull << 4)
#define REMOVE_FILE (1ull << 5)
#define MAKE_DIR (1ull << 7)
#define MAKE_REG (1ull << 8)
#define MAKE_SYM (1ull << 12)
#define REFER (1ull << 13)     /* version 2 */
#define TRUNCATE (1ull << 14)  /* 3 */
#define IOCTL_DEV (1ull << 15) /* 5 */
#define NET_BIND (1ull << 0)   /* 4 */
#define NET_CONNECT (1ull << 1)
#define SCOPE_SOCKET (1ull << 0) /* 6: abstract UNIX sockets */
#define SCOPE_SIGNAL (1ull << 1)

#define OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)
#define READING (READ_FILE | READ_DIR)
#define WRITING \
  (READING | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER)
#define DEVICE (READING | WRITE_FILE | IOCTL_DEV)

typedef struct
{
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
} Attributes;

typedef struct
{
  uint64_t access;
  int32_t parent;
} __attribute__ ((packed)) PathBeneath;

typedef struct
{
  int fd;
  uint64_t known; /* rights */
} Rules;

/* Patterns of files, where they exist. Nothing is executable: libraries are mapped, not
 * executed. */
static const struct
{
  uint64_t access;
  const char *pattern;
} places[] = {
  /* Libraries, and the data that come with drivers. */
  { READING, "/usr" },
  { READING, "/lib" },
  { READING, "/lib32" },
  { READING, "/lib64" },
  { READING, "/libx32" },
  { READING, "/opt" },
  { READING, "/app" },       /* Flatpak */
  { READING, "/nix/store" }, /* NixOS */
  { READING, "/gnu/store" }, /* Guix */
  { READING, "/run/opengl-driver" },
  { READING, "/run/opengl-driver-32" },
  { READING, "/etc/ld.so.*" },
  { READING, "/etc/alternatives" },
  { READING, "/etc/glvnd" },
  { READING, "/etc/drirc" },
  { READING, "/etc/nvidia" },
  { READING, "/etc/amd" },
  { READING, "/etc/localtime" },
  /* Files that describe the machine. */
  { READING, "/proc/self" },
  { READING, "/proc/cpuinfo" },
  { READING, "/proc/meminfo" },
  { READING, "/proc/stat" },
  { READING, "/proc/version" },
  { READING, "/proc/devices" },
  { READING, "/proc/modules" },
  { READING, "/proc/filesystems" },
  { READING, "/proc/driver" },
  { READING, "/proc/sys/kernel" },
  { READING, "/proc/sys/vm" },
  { READING, "/proc/sys/dev" },
  { READING, "/sys/bus" },
  { READING, "/sys/class" },
  { READING, "/sys/dev" },
  { READING, "/sys/devices" },
  { READING, "/sys/module" },
  { READING, "/sys/kernel/mm" },
  /* Device nodes: DRM, NVIDIA, AMD's compute, memory to share, and what is in telephones. */
  { DEVICE, "/dev/null" },
  { DEVICE, "/dev/zero" },
  { DEVICE, "/dev/full" },
  { DEVICE, "/dev/random" },
  { DEVICE, "/dev/urandom" },
  { DEVICE, "/dev/dri" },
  { DEVICE, "/dev/nvidia*" },
  { DEVICE, "/dev/nvhost-*" },
  { DEVICE, "/dev/nvmap" },
  { DEVICE, "/dev/kfd" },
  { DEVICE, "/dev/udmabuf" },
  { DEVICE, "/dev/dma_heap" },
  { DEVICE, "/dev/dxg" },
  { DEVICE, "/dev/mali*" },
  { DEVICE, "/dev/kgsl-3d0" },
  { DEVICE, "/dev/pvr*" },
  { DEVICE, "/dev/galcore" },
};

static void
allow (Rules      *self,
       const char *path,
       uint64_t    access)
{
  PathBeneath rule = { access & self->known, open (path, O_PATH | O_CLOEXEC) };
  struct stat info;

  if (rule.parent < 0)
    return;
  if (fstat (rule.parent, &info) == 0 && !S_ISDIR (info.st_mode))
    rule.access &= OF_FILES;
  syscall (ADD_RULE, self->fd, RULE_PATH_BENEATH, &rule, 0);
  close (rule.parent);
}

static void
allow_library (void       *data,
               const char *path,
               bool        folder)
{
  (void)folder;
  allow (data, path, READING);
}

static void
allow_places (Rules           *self,
              VtrSandboxVisit  visit)
{
  const char *cache = getenv ("VITRINE_SANDBOX_CACHE");

  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    {
      glob_t found;

      if (glob (places[i].pattern, GLOB_NOSORT, NULL, &found) != 0)
        continue;
      for (size_t path = 0; path < found.gl_pathc; path++)
        allow (self, found.gl_pathv[path], places[i].access);
      globfree (&found);
    }
  allow (self, "/proc/self/exe", READING); /* sanitizers name functions */
  if (cache != NULL && cache[0] == '/')
    allow (self, cache, WRITING);
  visit (allow_library, self);
}

uint32_t
vtr_sandbox_guard_files (VtrSandboxVisit visit)
{
  long version = syscall (CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
  Attributes attributes = { .files = (MAKE_SYM << 1) - 1 };
  size_t size = version >= 6   ? sizeof attributes
                : version >= 4 ? offsetof (Attributes, scopes)
                               : offsetof (Attributes, network);
  Rules self;
  bool locked;

  if (version < 1)
    return 0;
  if (version >= 2)
    attributes.files |= REFER;
  if (version >= 3)
    attributes.files |= TRUNCATE;
  if (version >= 4)
    attributes.network = NET_BIND | NET_CONNECT;
  if (version >= 5)
    attributes.files |= IOCTL_DEV;
  if (version >= 6)
    attributes.scopes = SCOPE_SOCKET | SCOPE_SIGNAL;
  self.known = attributes.files;
  self.fd = (int)syscall (CREATE_RULESET, &attributes, size, 0);
  if (self.fd < 0)
    return 0;
  if (visit != NULL)
    allow_places (&self, visit);
  locked = syscall (RESTRICT_SELF, self.fd, 0) == 0;
  close (self.fd);
  return locked ? (uint32_t)version : 0;
}
