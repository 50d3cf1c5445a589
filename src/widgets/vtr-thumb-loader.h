/* Loads thumbnails of images for lists, with lower priority than all other replays. */
#pragma once

#include "session/vtr-session.h"
#include "widgets/vtr-thumb.h"

G_BEGIN_DECLS

/* Finds the image of @key. @query: initialised with VTR_IMAGE_QUERY_INIT. Returns: FALSE if there
 * is none. */
typedef gboolean (*VtrThumbQuery) (guint64 key,
                                   VtrImageQuery *query,
                                   gpointer data);

/**
 * VtrThumbLoader:
 *
 * A thumbnail that stays in view for a moment is requested with the lowest priority, scaled down in
 * a thread, and kept. Threading: main.
 */
#define VTR_TYPE_THUMB_LOADER (vtr_thumb_loader_get_type ())
G_DECLARE_FINAL_TYPE (VtrThumbLoader, vtr_thumb_loader, VTR, THUMB_LOADER, GObject)

/* @width, @height: of the thumbnails, in pixels. */
VtrThumbLoader *vtr_thumb_loader_new (int           width,
                                      int           height,
                                      VtrThumbQuery query,
                                      gpointer      data);
/* Drops all thumbnails and follows @session; NULL: no trace. Thumbnails in view are requested again
 * when the session's edits change. */
void vtr_thumb_loader_set_session (VtrThumbLoader *self,
                                   VtrSession     *session);
/* Shows the thumbnail of @key in @thumb, if it is loaded. @ask: otherwise loads it, if @thumb stays
 * in view. */
void vtr_thumb_loader_show (VtrThumbLoader *self,
                            VtrThumb       *thumb,
                            guint64         key,
                            gboolean        ask);
/* @thumb left the view or is about to be destroyed: stops loading for it. */
void vtr_thumb_loader_drop (VtrThumbLoader *self,
                            VtrThumb       *thumb);
/* Stores a thumbnail that another part of the window loaded. @texture NULL: the image cannot be
 * shown. */
void vtr_thumb_loader_put (VtrThumbLoader *self,
                           guint64         key,
                           GdkTexture     *texture);

G_END_DECLS
