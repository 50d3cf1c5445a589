/* The effects that the commands of a recording have on objects when it runs, decoded once for all its runs. */
#pragma once

#include "engine/vulkan/state/vtr-vulkan-shared.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_EFFECT_LAYOUT,     /* barrier on an image */
  VTR_EFFECT_USE,        /* the command requires the image to be in a layout; changes nothing */
  VTR_EFFECT_OWNER,      /* barrier that transfers the ownership of a buffer */
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
  VTR_EFFECT_EXECUTE, /* executes secondaries: the children of the VtrRun */
} VtrEffectKind;

typedef struct
{
  guint32 offset; /* of the command from its recording's first */
  guint8 kind;    /* VtrEffectKind */
  guint8 set;     /* events: TRUE if set, FALSE if reset */
  guint32 object; /* id; 0: the handle is not valid */
  union
  {
    struct
    {
      VkImageSubresourceRange range; /* clamped */
      guint32 old_layout, new_layout;
      guint32 source, destination; /* queue families */
      gboolean fits;               /* the range was inside the image before it was clamped */
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
    guint32 from;       /* builds: id of the object it is copied from; 0: none */
    VtrStatePass *pass; /* holds a reference */
  };
} VtrEffect;

/* Makes the effect of a command that reads or writes @range of @image (an object id) in @layout. @first_slice, @n_slices: of a
 * 3D image, as for vtr_image_fact_name_slices (). Returns: FALSE if the image is unknown; *@self is unchanged then. */
gboolean vtr_effect_init_use (VtrEffect                     *self,
                              VtrStateFacts                 *facts,
                              guint32                        image,
                              const VkImageSubresourceRange *range,
                              guint32                        first_slice,
                              guint32                        n_slices,
                              VkImageLayout                  layout);
/* Makes the effect of a barrier without a transfer of ownership. Returns: as vtr_effect_init_use (). */
gboolean vtr_effect_init_layout (VtrEffect                     *self,
                                 VtrStateFacts                 *facts,
                                 guint32                        image,
                                 const VkImageSubresourceRange *range,
                                 VkImageLayout                  old_layout,
                                 VkImageLayout                  new_layout);

/* The number of commands in one chunk of a recording. */
#define VTR_EFFECT_CHUNK 4096

typedef struct
{
  gatomicrefcount refs;
  guint32 n;
  guint32 decoded; /* number of commands that were decoded for it */
  VtrEffect *effects;
} VtrEffectChunk;

void vtr_effect_chunk_unref (VtrEffectChunk *self);

/**
 * VtrEffectCache:
 *
 * Keeps the chunks that were used last, up to some megabytes. Threading: any.
 */
/* @shared: borrowed; it owns the cache (VtrVulkanShared). */
VtrEffectCache *vtr_effect_cache_new (VtrStateShared *shared);
void vtr_effect_cache_free (VtrEffectCache *self);
/* The chunk of commands [@nth × VTR_EFFECT_CHUNK, …) of @recording. *@made: set if it had to be made. (transfer full) */
VtrEffectChunk *vtr_effect_cache_get (VtrEffectCache *self,
                                      guint32         recording,
                                      guint32         nth,
                                      gboolean       *made);

/* --- For the files that make effects from commands --- */

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
