/* The recently opened traces, which the start page shows as cards. They are kept between runs. */
#pragma once

#include <gdk/gdk.h>

G_BEGIN_DECLS

/* A trace that was opened. Immutable but for its thumbnail: property "texture". */
#define VTR_TYPE_RECENT (vtr_recent_get_type ())
G_DECLARE_FINAL_TYPE (VtrRecent, vtr_recent, VTR, RECENT, GObject)

GFile *vtr_recent_get_file (VtrRecent *self);
const char *vtr_recent_get_name (VtrRecent *self);
/* "llvmpipe · 60 frames · 2 520 commands" */
char *vtr_recent_describe (VtrRecent *self);
/* "Today 14:02 · 412 MB" */
char *vtr_recent_describe_file (VtrRecent *self);
gboolean vtr_recent_get_truncated (VtrRecent *self);
GdkTexture *vtr_recent_get_texture (VtrRecent *self);

/* The stored facts about a trace. */
typedef struct
{
  const char *device;
  guint64 n_frames;
  guint64 n_commands;
  guint64 bytes;
  gboolean truncated;
} VtrRecentFacts;

/**
 * VtrRecentStore:
 *
 * A GListModel of VtrRecent, the latest first. Kept in $XDG_STATE_HOME/vitrine/recent.ini, thumbnails in
 * $XDG_CACHE_HOME/vitrine/thumbnails. Threading: main.
 */
#define VTR_TYPE_RECENT_STORE (vtr_recent_store_get_type ())
G_DECLARE_FINAL_TYPE (VtrRecentStore, vtr_recent_store, VTR, RECENT_STORE, GObject)

/* The store of this process. (transfer none) */
VtrRecentStore *vtr_recent_store_get_default (void);
/* A store in @folder, which gets both the list and the thumbnails; for tests. (transfer full) */
VtrRecentStore *vtr_recent_store_new (const char *folder);

void vtr_recent_store_add (VtrRecentStore       *self,
                           GFile                *file,
                           const VtrRecentFacts *facts);
/* The thumbnail of @file, if it was made after @since (microseconds of real time): if the file was
   written later, an older thumbnail shows another trace. (transfer none) (nullable) */
GdkTexture *vtr_recent_store_get_thumbnail (VtrRecentStore *self,
                                            GFile          *file,
                                            guint64         since);
void vtr_recent_store_set_thumbnail (VtrRecentStore *self,
                                     GFile          *file,
                                     GdkTexture     *texture);
void vtr_recent_store_remove (VtrRecentStore *self,
                              GFile          *file);

G_END_DECLS
