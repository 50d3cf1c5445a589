/* The images of a trace: their properties and their users. */
#pragma once

#include "engine/state/vtr-analysis.h"
#include "engine/model/vtr-fixed-list.h"
#include "engine/model/vtr-uses.h"
#include "engine/state/vtr-image-facts.h"
#include "pixels/vtr-pixel-format.h"

G_BEGIN_DECLS

/**
 * VtrTexture:
 *
 * An image, those of windows included. Immutable. Threading: main (made on a worker and handed
 * over).
 */
#define VTR_TYPE_TEXTURE (vtr_texture_get_type ())
G_DECLARE_FINAL_TYPE (VtrTexture, vtr_texture, VTR, TEXTURE, GObject)

guint32 vtr_texture_get_object (VtrTexture *self);
/* "image 213", or the program's name for it. */
const char *vtr_texture_get_name (VtrTexture *self);
const VtrImageFacts *vtr_texture_get_facts (VtrTexture *self);
const VtrImageUses *vtr_texture_get_uses (VtrTexture *self);
/* Width, height, depth of 3D images, and layers if there are several: "1920 × 1080",
   "64 × 64 × 32", "256 × 256 × 6". */
const char *vtr_texture_get_extent_text (VtrTexture *self);
/* The extent, then mips and samples if there are several: "1920 × 1080 · 12 mips · 4 samples". */
const char *vtr_texture_get_size_text (VtrTexture *self);
/* "R8G8B8A8_SRGB" */
const char *vtr_texture_get_format_text (VtrTexture *self);
/* "W 648", "R 212", "C 1", "—": what matters most; the tooltip says the rest. */
const char *vtr_texture_get_uses_text (VtrTexture *self);
/* "Written by 648 draws. Read by 1 dispatch." (transfer full) */
char *vtr_texture_dup_uses_sentence (VtrTexture *self);
/* Commands between which it lives; destroyed may be VTR_COMMAND_NO_INDEX. */
guint64 vtr_texture_get_created (VtrTexture *self);
guint64 vtr_texture_get_destroyed (VtrTexture *self);
/* Texels of all mips and layers; for sorting by size. */
guint64 vtr_texture_get_n_texels (VtrTexture *self);
/* All uses together; for sorting. */
guint64 vtr_texture_get_n_uses (VtrTexture *self);

/**
 * VtrTextureList:
 *
 * A GListModel of VtrTexture, of each API in order of creation. Immutable. Threading: main (made on a worker).
 */
#define VTR_TYPE_TEXTURE_LIST (vtr_texture_list_get_type ())
G_DECLARE_FINAL_TYPE (VtrTextureList, vtr_texture_list, VTR, TEXTURE_LIST, VtrFixedList)

/* Blocks; any thread. */
VtrTextureList *vtr_texture_list_new (VtrHistory    *history,
                                      VtrUses       *uses,
                                      GCancellable  *cancellable,
                                      GError       **error);
/* (transfer none) */
VtrTexture *vtr_texture_list_get (VtrTextureList *self,
                                  guint           nth);
/* By object id. (transfer none) (nullable) */
VtrTexture *vtr_texture_list_find (VtrTextureList *self,
                                   guint32         object);

/* "Colour", "Depth", "Plane 0". Translated. */
const char *vtr_pixel_aspect_get_label (VtrPixelAspect aspect);

G_END_DECLS
