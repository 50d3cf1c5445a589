/* Identifies a version of a file, to notice that it was changed or replaced. */
#include "engine/format/vtr-file-version.h"

char *
vtr_file_version_from_stat (const struct stat *info)
{
  return g_strdup_printf ("%" G_GINT64_MODIFIER "x.%" G_GINT64_MODIFIER "x.%" G_GINT64_MODIFIER
                          "x.%" G_GINT64_MODIFIER "x.%lx",
                          (guint64)info->st_dev, (guint64)info->st_ino, (guint64)info->st_size,
                          (guint64)info->st_ctim.tv_sec, (unsigned long)info->st_ctim.tv_nsec);
}

char *
vtr_file_version_get (const char *path)
{
  struct stat info;

  return stat (path, &info) == 0 ? vtr_file_version_from_stat (&info) : NULL;
}
