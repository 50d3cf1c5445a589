/* Finds drivers outside of the system's folders: through manifests, which are JSON files with the
 * path of a library, and through the linker's own list of folders. */
#include "vtr-driver-files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_MANIFEST (1 << 20)

typedef struct
{
  VtrSandboxAllow allow;
  void *data;
  const char *kind; /* folder below those of settings and data */
} Visit;

static bool
is_folder (const char *path)
{
  struct stat info;

  return stat (path, &info) == 0 && S_ISDIR (info.st_mode);
}

/* Whether @folder is for libraries: not the home folder, nor one above it, nor one in which
 * everybody keeps files. */
static bool
is_place_of_libraries (const char *folder)
{
  const char *home = getenv ("VITRINE_SANDBOX_HOME");
  size_t size = strlen (folder);
  struct stat info;

  if (stat (folder, &info) != 0 || !S_ISDIR (info.st_mode) || (info.st_mode & S_IWOTH) != 0)
    return false;
  if (size <= 1)
    return false;
  return home == NULL || strncmp (home, folder, size) != 0 ||
         (home[size] != '/' && home[size] != '\0');
}

/* A folder on the way to libraries. */
static void
visit_libraries (Visit      *self,
                 const char *path)
{
  char real[PATH_MAX];

  if (realpath (path, real) != NULL && is_place_of_libraries (real))
    self->allow (self->data, real, true);
}

static void
visit_library (Visit      *self,
               const char *path)
{
  char real[PATH_MAX], *slash;

  if (realpath (path, real) == NULL)
    return;
  self->allow (self->data, real, false);
  slash = strrchr (real, '/');
  *slash = '\0';
  visit_libraries (self, real); /* what it needs itself */
}

/* Reads the string that begins at @text, behind the quote. Returns: whether it ends. */
static bool
read_string (const char *text,
             char       *out,
             size_t      size)
{
  size_t n = 0;

  for (; *text != '\0' && n + 1 < size; text++)
    {
      if (*text == '"')
        {
          out[n] = '\0';
          return true;
        }
      if (*text == '\\' && *++text == '\0')
        return false;
      out[n++] = *text;
    }
  return false;
}

/* Every "library_path" in @text, a manifest's at @path. Manifests are as trusted as the
 * libraries. */
static void
visit_names (Visit      *self,
             const char *path,
             const char *text)
{
  static const char key[] = "\"library_path\"";
  const char *slash = strrchr (path, '/');
  int folder = slash != NULL ? (int)(slash - path) : 0;
  char name[PATH_MAX], whole[2 * PATH_MAX];

  while ((text = strstr (text, key)) != NULL)
    {
      text += sizeof key - 1;
      text += strspn (text, " \t\r\n:");
      if (*text != '"' || !read_string (text + 1, name, sizeof name))
        continue;
      if (name[0] == '/')
        visit_library (self, name);
      else if (strchr (name, '/') != NULL && slash != NULL)
        {
          snprintf (whole, sizeof whole, "%.*s/%s", folder, path, name);
          visit_library (self, whole);
        }
    }
}

static void
visit_manifest (Visit      *self,
                const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  char *text = malloc (MAX_MANIFEST);
  ssize_t size = fd >= 0 && text != NULL ? read (fd, text, MAX_MANIFEST - 1) : -1;

  if (size > 0)
    {
      text[size] = '\0';
      self->allow (self->data, path, false);
      visit_names (self, path, text);
    }
  free (text);
  if (fd >= 0)
    close (fd);
}

static void
visit_manifests (Visit      *self,
                 const char *path)
{
  DIR *folder = opendir (path);
  struct dirent *entry;
  char whole[2 * PATH_MAX];

  if (folder == NULL)
    return;
  self->allow (self->data, path, true);
  while ((entry = readdir (folder)) != NULL)
    {
      size_t size = strlen (entry->d_name);

      if (size < 5 || strcmp (entry->d_name + size - 5, ".json") != 0)
        continue;
      snprintf (whole, sizeof whole, "%s/%s", path, entry->d_name);
      visit_manifest (self, whole);
    }
  closedir (folder);
}

/* --- Where to look --------------------------------------------------------------------------- */

static void
visit_named (Visit      *self,
             const char *path)
{
  if (is_folder (path))
    visit_manifests (self, path);
  else
    visit_manifest (self, path);
}

/* Calls the visitor for each part of a list like PATH. @otherwise: the value if the variable is
 * unset. */
static void
visit_list (Visit *self,
            const char *variable,
            const char *otherwise,
            void (*visit) (Visit *, const char *))
{
  const char *value = getenv (variable);
  char *copy, *rest = NULL;

  if (value == NULL || *value == '\0')
    value = otherwise;
  copy = value != NULL ? strdup (value) : NULL;
  if (copy == NULL)
    return;
  for (char *part = strtok_r (copy, ":", &rest); part != NULL; part = strtok_r (NULL, ":", &rest))
    visit (self, part);
  free (copy);
}

void
vtr_driver_files_visit_named (const char      *variable,
                              VtrSandboxAllow  allow,
                              void            *data)
{
  Visit self = { allow, data };

  visit_list (&self, variable, NULL, visit_named);
}

/* Below a folder of settings or data. */
static void
visit_kind (Visit      *self,
            const char *path)
{
  char whole[2 * PATH_MAX];

  snprintf (whole, sizeof whole, "%s/%s", path, self->kind);
  visit_manifests (self, whole);
}

void
vtr_driver_files_visit_kind (const char      *kind,
                             VtrSandboxAllow  allow,
                             void            *data)
{
  Visit self = { allow, data, kind };

  visit_list (&self, "XDG_CONFIG_HOME", NULL, visit_kind);
  visit_list (&self, "XDG_CONFIG_DIRS", "/etc/xdg", visit_kind);
  visit_list (&self, "XDG_DATA_HOME", NULL, visit_kind);
  visit_list (&self, "XDG_DATA_DIRS", "/usr/local/share:/usr/share", visit_kind);
  visit_kind (&self, "/etc");
}

void
vtr_driver_files_visit_libraries (VtrSandboxAllow  allow,
                                  void            *data)
{
  Visit self = { allow, data };

  visit_list (&self, "LD_LIBRARY_PATH", NULL, visit_libraries);
}
