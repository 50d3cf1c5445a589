/* What the commands of a recording do to objects when it runs, decoded once for all its runs. */
#pragma once

#include "engine/vulkan/state/vtr-vulkan-shared.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_EFFECT_LAYOUT,     /* barrier on an image */
  VTR_EFFECT_USE,        /* the command wants the image in a layout; changes nothing */
  VTR_EFFECT_OWNER,      /* barrier that hands a buffer over */
  VTR_EFFECT_PASS_BEGIN, /* render pass or dynamic rendering */
  VTR_EFFECT_PASS_NEXT,
  VTR_EFFECT_PASS_END,
  VTR_EFFECT_EVENT, /* set or reset */
  VTR_EFFECT_QUERY_RESET,
  VTR_EFFECT_QUERY_BEGIN,
  VTR_EFFECT_QUERY_END,
  VTR_EFFECT_QUERY_WRITE,
  VTR_EFFECT_QUERY_COPY,
  VTR_EFFECT_BUILD,   /* acceleration structure or micromap */
  VTR_EFFECT_EXECUTE, /* secondaries: VtrRun's children */
} VtrEffectKind;

typedef struct
{
  guint32 offset; /* of the command from its recording's first */
  guint8 kind;    /* VtrEffectKind */
  guint8 set;     /* events: set, not reset */
  guint32 object; /* id; 0: the handle means nothing */
  union
  {
    struct
    {
      VkImageSubresourceRange range; /* clamped */
      guint32 old_layout, new_layout;
      guint32 source, destination; /* queue families */
      gboolean fits;               /* the range was inside the image */
    } image;
    struct
    {
      guint32 first, count;
    } query;
    struct
    {
      guint32 source, destination;
    } owner;
    guint64 stages;     /* events */
    guint32 from;       /* builds: object id it is copied from, or 0 */
    VtrStatePass *pass; /* counted */
  };
} VtrEffect;

/* A command reads or writes @range of @image (an object id) in @layout. @first_slice, @n_slices: of a 3D image, as for
 * vtr_image_fact_name_slices (). Returns: FALSE if nothing is known of the image; *@self is untouched then. */
gboolean vtr_effect_init_use (VtrEffect                     *self,
                              VtrStateFacts                 *facts,
                              guint32                        image,
                              const VkImageSubresourceRange *range,
                              guint32                        first_slice,
                              guint32                        n_slices,
                              VkImageLayout                  layout);
/* A barrier that hands nothing over: no queue families. Returns: as vtr_effect_init_use (). */
gboolean vtr_effect_init_layout (VtrEffect                     *self,
                                 VtrStateFacts                 *facts,
                                 guint32                        image,
                                 const VkImageSubresourceRange *range,
                                 VkImageLayout                  old_layout,
                                 VkImageLayout                  new_layout);

/* Commands of a recording that one chunk covers. */
#define VTR_EFFECT_CHUNK 4096

typedef struct
{
  gatomicrefcount refs;
  guint32 n;
  guint32 decoded; /* commands that were decoded for it */
  VtrEffect *effects;
} VtrEffectChunk;

void vtr_effect_chunk_unref (VtrEffectChunk *self);

/**
 * VtrEffectCache:
 *
 * The chunks used last, up to some megabytes. Threading: any.
 */
/* @shared: borrowed; it owns the cache (VtrVulkanShared). */
VtrEffectCache *vtr_effect_cache_new (VtrStateShared *shared);
void vtr_effect_cache_free (VtrEffectCache *self);
/* Commands [nth × VTR_EFFECT_CHUNK, …) of @recording. *@made: it was not there yet.
   (transfer full) */
VtrEffectChunk *vtr_effect_cache_get (VtrEffectCache *self,
                                      guint32         recording,
                                      guint32         nth,
                                      gboolean       *made);

/* --- For the makers --- */

typedef struct
{
  VtrStateShared *shared;
  VtrCommand command; /* .id canonical */
  guint32 offset;
  GArray *effects; /* of VtrEffect */
} VtrEffectMaker;

guint32 vtr_effect_find (VtrEffectMaker *self,
                         guint32         type,
                         guint64         handle);
VtrEffect *vtr_effect_add (VtrEffectMaker *self,
                           VtrEffectKind   kind,
                           guint32         object);
/* Adds what vtr_effect_init_use () makes. */
void vtr_effect_add_use (VtrEffectMaker                *self,
                         VkImage                        image,
                         const VkImageSubresourceRange *range,
                         guint32                        first_slice,
                         guint32                        n_slices,
                         VkImageLayout                  layout);
/* vtr-state-effects-pass.c */
void vtr_effect_begin_pass (VtrEffectMaker              *self,
                            const VkRenderPassBeginInfo *info);
void vtr_effect_begin_rendering (VtrEffectMaker        *self,
                                 const VkRenderingInfo *info);
/* vtr-state-effects-transfer.c. Returns: FALSE when the command is no transfer with images. */
gboolean vtr_effect_add_transfer (VtrEffectMaker *self);

G_END_DECLS
