/* The options of a path that edit a picture (replay-session/vtr-picture-edit.h). Threading: any. */
#pragma once

#include "engine/replay-session/vtr-replay-session.h"

G_BEGIN_DECLS

/* Whether @name is an option of an edit. */
gboolean vtr_edit_path_knows (const char *name);

/* Adds the option to @draft. @value: as in the path, escaped. Errors: VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_edit_path_parse_option (VtrReplaySession  *session,
                                     const char        *name,
                                     const char        *value,
                                     VtrEditDraft      *draft,
                                     GError           **error);

/* Reads all options of an edit: "disable=12,15&shader=41:…". *@out: NULL when they change nothing. Errors:
 * VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_edit_path_parse (VtrReplaySession      *session,
                              const char            *options,
                              const VtrPictureEdit **out,
                              GError               **error);

G_END_DECLS
