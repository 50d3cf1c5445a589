/* Loads thumbnails of images for lists, with lower priority than all other replays. */
#pragma once

#include "session/vtr-session.h"
#include "widgets/vtr-thumb.h"

G_BEGIN_DECLS

/* Which image @key means. Returns: FALSE when there is none. @query: VTR_IMAGE_QUERY_INIT
 * before. */
typedef gboolean (*VtrThumbQuery) (guint64 key,
                                   VtrImageQuery *query,
                                   gpointer data);

/**
 * VtrThumbLoader:
 *
 * A thumbnail that stays in view for a moment is asked for behind everything else that is replayed,
 * shrunk on a thread, and kept. Threading: main.
 */
#define VTR_TYPE_THUMB_LOADER (vtr_thumb_loader_get_type ())
G_DECLARE_FINAL_TYPE (VtrThumbLoader, vtr_thumb_loader, VTR, THUMB_LOADER, GObject)

/* @width, @height: of the thumbnails, in pixels. */
VtrThumbLoader *vtr_thumb_loader_new (int           width,
                                      int           height,
                                      VtrThumbQuery query,
                                      gpointer      data);
/* Forgets everything; NULL: no trace. What is in view is asked for again when the session's edits
 * change. */
void vtr_thumb_loader_set_session (VtrThumbLoader *self,
                                   VtrSession     *session);
/* Shows in @thumb what is known of @key. @ask: also loads it, if @thumb stays until then. */
void vtr_thumb_loader_show (VtrThumbLoader *self,
                            VtrThumb       *thumb,
                            guint64         key,
                            gboolean        ask);
/* @thumb is out of view, or about to go. */
void vtr_thumb_loader_drop (VtrThumbLoader *self,
                            VtrThumb       *thumb);
/* Somebody else loaded it. @texture NULL: there is nothing to show. */
void vtr_thumb_loader_put (VtrThumbLoader *self,
                           guint64         key,
                           GdkTexture     *texture);

G_END_DECLS
