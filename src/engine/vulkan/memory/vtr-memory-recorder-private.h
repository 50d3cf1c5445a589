/* VtrMemoryDraft itself: the writes of a command buffer, while it is recorded. */
#pragma once

#include "engine/vulkan/memory/vtr-memory-recorder.h"

G_BEGIN_DECLS

/* Where an entry's bytes are. */
typedef struct
{
  enum
  {
    VTR_REF_BUFFER,    /* .object, .offset, .size */
    VTR_REF_IMAGE,     /* .object */
    VTR_REF_ROW,       /* bytes .offset, .size of the memory of image .object */
    VTR_REF_SET,       /* what shaders of .stages may store to, bound as .set; dynamic offsets from .offset
                          on, .size of them */
    VTR_REF_ADDRESSES, /* any buffer with a device address; .object: and any storage image */
    VTR_REF_CHILD,     /* recording .object */
  } kind;
  guint32 object;
  guint64 offset, size;
  VkShaderStageFlags stages;
  guint32 set;
  const GArray *writes; /* to which bindings; NULL: any. Of VtrMemoryWrites */
} VtrMemoryRef;

typedef struct
{
  VtrMemoryEventKind kind;
  guint64 first, last;
  guint first_ref, n_refs;
} VtrMemoryEntry;

typedef struct
{
  guint32 binding, element;
  VtrMemorySlot slot;
} VtrMemoryPushed;

typedef struct
{
  guint32 set; /* position; VTR_MEMORY_NONE: nothing that shaders may store to */
  guint first_dynamic, n_dynamic;
  GArray *pushed; /* VtrMemoryPushed; NULL: not pushed */
} VtrMemoryBoundSet;

typedef struct
{
  VtrMemoryBoundSet sets[VTR_MAX_SETS];
  gboolean addressing;  /* the pipeline or a shader object uses device addresses */
  gboolean buffers;     /* descriptors are in buffers, and could be any */
  gboolean rebound;     /* another program was bound since .writes was found */
  const GArray *writes; /* what the program may store to; NULL: anything. Of VtrMemoryWrites */
  gboolean dirty;       /* something changed since the entry of its last draw or dispatch */
  guint entry;          /* of that, + 1 */
} VtrMemoryPoint;

struct _VtrMemoryDraft
{
  GArray *entries; /* VtrMemoryEntry */
  GArray *refs;    /* VtrMemoryRef */
  GArray *dynamic; /* guint32: dynamic offsets */
  VtrMemoryPoint points[3];
  GArray *attachments;          /* guint32: images of the pass; empty outside */
  guint pass_exact, pass_maybe; /* entries of the pass, + 1 */
  struct
  {
    guint32 buffer;
    guint64 offset, size;
  } feedback[4];
  gboolean feeding; /* transform feedback is active */
  guint64 pipelines[3], shaders[VTR_MAX_SHADERS];

  guint32 events;  /* last resolved; VTR_NO_EVENTS: not yet */
  guint64 clock;   /* then */
  guint64 checked; /* when it was last found to hold still */
  GArray *exact, *maybe;
};

void vtr_memory_draft_begin_entry (VtrMemoryDraft     *self,
                                   VtrMemoryEventKind  kind,
                                   guint64             index);
/* @nth: counted from 1. */
VtrMemoryEntry *vtr_memory_draft_get_entry (VtrMemoryDraft *self,
                                            guint           nth);
void vtr_memory_draft_add_ref (VtrMemoryDraft *self,
                               VtrMemoryRef    ref);
void vtr_memory_draft_add_buffer (VtrMemoryDraft   *self,
                                  VtrMemoryObjects *objects,
                                  VkBuffer          buffer,
                                  guint64           offset,
                                  guint64           size);
/* The pass' attachments are written until @index. */
void vtr_memory_draft_extend_pass (VtrMemoryDraft *self,
                                   guint64         index);
void vtr_memory_draft_begin_render_pass (VtrMemoryDraft              *self,
                                         VtrMemoryObjects            *objects,
                                         guint64                      index,
                                         const VkRenderPassBeginInfo *info);
void vtr_memory_draft_begin_rendering (VtrMemoryDraft        *self,
                                       VtrMemoryObjects      *objects,
                                       guint64                index,
                                       const VkRenderingInfo *info);
void vtr_memory_draft_end_pass (VtrMemoryDraft *self,
                                guint64         index);
/* Transfers, clears outside of passes, builds. Returns: FALSE for other commands. */
gboolean vtr_memory_draft_transfer (VtrMemoryDraft   *self,
                                    VtrMemoryObjects *objects,
                                    const VtrCommand *command);

G_END_DECLS
