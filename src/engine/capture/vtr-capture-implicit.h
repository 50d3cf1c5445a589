/* The entry library for programs that Vitrine does not start: installed for the user, and loaded into
 * every program with VITRINE_CAPTURE=1 in its environment. */
#pragma once

#include "engine/api/vtr-host-api.h"

G_BEGIN_DECLS

/* The file that is installed. (transfer full) */
char *vtr_capture_implicit_get_path (void);

VtrHostInstallState vtr_capture_implicit_get_state (void);

/* Installs or replaces the entry libraries' manifests. Returns: FALSE with a sentence in @error.
 * Threading: any; all functions here block for a small file. */
gboolean vtr_capture_implicit_install (GError **error);
/* It is no error if there is nothing to remove. */
gboolean vtr_capture_implicit_remove (GError **error);

G_END_DECLS
