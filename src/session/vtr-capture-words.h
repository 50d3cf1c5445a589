/* Applies capture options that a script gives as text, such as "at-frame=1000&frames=3&trim".
 * “vitrine-cli capture --help” describes them: idle, at-frame, after, frames, every, times,
 * trim, wait, only, not (several names with "," between), tracker, keep-running, crash-mode.
 *
 * Threading: main. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Shows the options @words on the capture page; options that are not named get their defaults.
 * Returns: FALSE with @error, and changes nothing. */
gboolean vtr_capture_words_apply (const char  *words,
                                  GSettings   *settings,
                                  GError     **error);

G_END_DECLS
