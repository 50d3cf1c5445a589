/* The application's GSettings. They also work where the schema is not installed (a build tree
 * without meson devenv). */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* (transfer full): never fails: without the installed schema, the build tree's is used, then defaults in memory. */
GSettings *vtr_settings_new (void);
/* The folder for captures, which may not exist. (transfer full) */
char *vtr_settings_dup_capture_folder (void);

G_END_DECLS
