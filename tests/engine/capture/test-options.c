/* Tests which options of a capture are accepted, and how its files are named. */
#include "engine/capture/vtr-capture-hindrance.h"
#include "engine/api/vtr-capture-error.h"
#include "engine/capture/vtr-capture-options.h"

#include <elf.h>
#include <linux/capability.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static void
check_path (const char *path,
            guint       nth,
            const char *expected)
{
  g_autofree char *got = vtr_capture_number_path (path, nth);

  g_assert_cmpstr (got, ==, expected);
}

static void
test_paths (void)
{
  check_path ("/a/cube.gfxtrace", 1, "/a/cube.gfxtrace");
  check_path ("/a/cube.gfxtrace", 2, "/a/cube-2.gfxtrace");
  check_path ("/a/cube", 1, "/a/cube");
  check_path ("/a/cube", 3, "/a/cube-3.gfxtrace");
  check_path ("/a/c%dube.gfxtrace", 1, "/a/c1ube.gfxtrace");
  check_path ("/a/c%d.gfxtrace", 12, "/a/c12.gfxtrace");
  /* Only in the name, only the first, and nothing else is a directive. */
  check_path ("/a%d/c.gfxtrace", 2, "/a%d/c-2.gfxtrace");
  check_path ("/a/%s%d%d%n.gfxtrace", 2, "/a/%s2%d%n.gfxtrace");
}

static VtrCaptureHindrance
find (const char *folder,
      const char *name,
      const void *bytes,
      gsize       size,
      guint       mode)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  VtrCaptureHindrance found = VTR_CAPTURE_HINDRANCE_RIGHTS;

  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
  /* Another's, where that can be said. */
  if ((mode & S_ISUID) == 0 || chown (path, 65534, (gid_t)-1) == 0)
    {
      g_assert_cmpint (chmod (path, mode), ==, 0);
      found = vtr_capture_find_hindrance (path);
    }
  g_assert_cmpint (unlink (path), ==, 0);
  return found;
}

/* Whether a file has capabilities cannot be read otherwise; only root can test this. */
static int
find_as_nobody (const char *path)
{
  const struct vfs_cap_data capability = {
    .magic_etc = GUINT32_TO_LE (VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE),
    .data = { { .permitted = GUINT32_TO_LE (1u << CAP_SYS_NICE) } },
  };
  int status = -1;
  pid_t child;

  if (setxattr (path, "security.capability", &capability, sizeof capability, 0) != 0)
    return VTR_CAPTURE_HINDRANCE_RIGHTS;
  child = fork ();
  if (child == 0)
    _exit (setresuid (65534, 65534, 65534) == 0 ? (int)vtr_capture_find_hindrance (path) : 99);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

static void
check_capabilities (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "capable", NULL);

  g_assert_true (g_file_set_contents (path, "#!/bin/sh\n", -1, NULL));
  g_assert_cmpint (chmod (path, 0755) | chmod (folder, 0755), ==, 0);
  g_assert_cmpint (vtr_capture_find_hindrance (path), ==, VTR_CAPTURE_HINDRANCE_NONE);
  g_assert_cmpint (find_as_nobody (path), ==, VTR_CAPTURE_HINDRANCE_RIGHTS);
  g_assert_cmpint (unlink (path), ==, 0);
}

/* The reasons why no layer can be loaded are found in the program's file, and nothing else is
 * mistaken for one. */
static void
test_hindrances (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hindrance-XXXXXX", NULL);
  struct
  {
    Elf64_Ehdr head;
    Elf64_Phdr segments[2];
  } elf = { .head = { .e_phoff = sizeof (Elf64_Ehdr),
                      .e_phentsize = sizeof (Elf64_Phdr),
                      .e_phnum = 2 },
            .segments = { { .p_type = PT_LOAD }, { .p_type = PT_DYNAMIC } } };

  memcpy (elf.head.e_ident, ELFMAG, SELFMAG);
  elf.head.e_ident[EI_CLASS] = ELFCLASS64;
  elf.head.e_ident[EI_DATA] =
    G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
  g_assert_cmpint (vtr_capture_find_hindrance ("/proc/self/exe"), ==, VTR_CAPTURE_HINDRANCE_NONE);
  g_assert_cmpint (vtr_capture_find_hindrance ("/nowhere"), ==, VTR_CAPTURE_HINDRANCE_NONE);
  g_assert_cmpint (vtr_capture_find_hindrance (folder), ==, VTR_CAPTURE_HINDRANCE_NONE);
  g_assert_cmpint (find (folder, "script", "#!/bin/sh\n", 10, 0755), ==,
                   VTR_CAPTURE_HINDRANCE_NONE);
  g_assert_cmpint (find (folder, "static", &elf, sizeof elf, 0755), ==,
                   VTR_CAPTURE_HINDRANCE_STATIC);
  /* A truncated file: no reason is found. */
  g_assert_cmpint (find (folder, "cut", &elf, sizeof elf - 60, 0755), ==,
                   VTR_CAPTURE_HINDRANCE_NONE);
  elf.segments[1].p_type = PT_INTERP;
  g_assert_cmpint (find (folder, "dynamic", &elf, sizeof elf, 0755), ==,
                   VTR_CAPTURE_HINDRANCE_NONE);
  g_assert_cmpint (find (folder, "rights", &elf, sizeof elf, 04755), ==,
                   VTR_CAPTURE_HINDRANCE_RIGHTS);
  elf.head.e_machine = EM_NONE + 1;
  g_assert_cmpint (find (folder, "foreign", &elf, sizeof elf, 0755), ==,
                   VTR_CAPTURE_HINDRANCE_MACHINE);
  check_capabilities (folder);
  g_assert_cmpint (rmdir (folder), ==, 0);
}

static void
check (const VtrCaptureOptions *options,
       gboolean                 good)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (vtr_capture_options_check (options, &error), ==, good);
  if (good)
    g_assert_no_error (error);
  else
    g_assert_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_OPTIONS);
}

static void
test_combinations (void)
{
  check (&(VtrCaptureOptions){ 0 }, TRUE);
  check (&(VtrCaptureOptions){ .n_frames = 60, .times = 1 }, TRUE);
  check (&(VtrCaptureOptions){ .every = 10 }, FALSE);
  check (&(VtrCaptureOptions){ .times = 2 }, FALSE);
  check (&(VtrCaptureOptions){ .n_frames = (guint64)G_MAXUINT32 + 1 }, FALSE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AT_FRAME, .every = 2, .n_frames = 2 }, TRUE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AT_FRAME, .every = 2, .n_frames = 3 },
         FALSE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AT_FRAME, .times = 2 }, FALSE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_BY_HAND, .times = 2 }, TRUE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AFTER_SECONDS, .seconds = 0.5 }, TRUE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AFTER_SECONDS, .seconds = -1 }, FALSE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AFTER_SECONDS, .seconds = NAN }, FALSE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/capture/options/paths", test_paths);
  g_test_add_func ("/engine/capture/options/combinations", test_combinations);
  g_test_add_func ("/engine/capture/options/hindrances", test_hindrances);
  return g_test_run ();
}
