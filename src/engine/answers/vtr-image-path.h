/* Questions for pictures, as paths and as keys. Threading: any. */
#pragma once

#include "engine/replay-session/vtr-picture.h"
#include "engine/replay-session/vtr-replay-session.h"

G_BEGIN_DECLS

/* Reads a path as of vtr_document_get_image(). */
gboolean vtr_picture_parse (VtrReplaySession  *session,
                            const char        *path,
                            VtrPicture        *out,
                            GError           **error);

VtrPicture vtr_picture_of_attachment (VtrReplaySession  *session,
                                      const VtrPlace    *address,
                                      VtrAttachmentKind  kind);
/* Errors: VTR_RESOLVE_ERROR_PATH, when there is no such image or command. */
gboolean vtr_picture_of_query (VtrReplaySession     *session,
                               const VtrImageQuery  *query,
                               VtrPicture           *out,
                               GError              **error);

/* Equal for equal questions. (transfer full) */
char *vtr_picture_key (const VtrPicture *self);

G_END_DECLS
