/* Shared by the files that make up VtrReplayBuilder, and what the rules with a meaning of their own
 * (vtr-replay-custom.c) build with. */
#pragma once

#include "engine/replay-builder/vtr-replay-slots.h"
#include "engine/vulkan/replay-builder/vtr-replay-builder.h"
#include "engine/vulkan/replay-builder/vtr-replay-rule.h"
#include "engine/vulkan/replay-builder/vtr-token-plan.h"
#include "engine/vulkan/state/vtr-state.h"
#include "wire/vtr-replay-asm.h"

G_BEGIN_DECLS

/* Contents of at least this size travel as resources, which the replayer keeps between requests. */
#define VTR_REPLAY_RESOURCE_FROM 4096

#define SCRATCH_BASE G_GUINT64_CONSTANT (0x100)
#define SCRATCH_END ((guint64)VTR_REPLAY_FIRST_SLOT)

struct _VtrReplayBuilder
{
  VtrTrace *trace;
  VtrReplayPlan *plan;                /* (nullable) */
  struct _VtrAddressPatcher *patcher; /* (nullable): addresses are as captured */
  /* By VtrTokenKind (nullable): the program was told none. */
  struct _VtrTokenPatcher *tokens[VTR_N_TOKEN_KINDS];
  VtrReplaySend send;
  gpointer send_data;

  VtrBuffer code;      /* of the segment being built */
  GArray *resources;   /* VtrReplayResource, of the segment being built */
  GPtrArray *sources;  /* VtrReplaySource, of all segments */
  GHashTable *numbers; /* VtrReplaySource (by hash and size) → number + 1 */

  /* The mapped write last read: a replayer asks for many of one command in a row. */
  VtrMappedWriteCursor mapped;

  VtrReplaySlots slots;
  VtrFlat flat;
  GArray *patches; /* guint32 pairs of the piece being written */
  GArray *copies;
  GArray *targets; /* guint32 offsets where pieces of the tree start, sorted */
  guint64 scratch; /* next free address of small scratch, within a command */

  VtrApiEnv env;
  GHashTable *templates; /* handle → GArray of VkDescriptorUpdateTemplateEntry */

  const VtrCommand *command; /* being built */
  VtrHandleId ending;        /* what it destroys; VTR_HANDLE_NONE: nothing */
  guint64 label;
  guint32 n_large; /* large pieces of the command so far */
  gboolean full;   /* no slot or scratch was left */
  VtrReplayBuilderStats stats;
};

/* Where the tree of a call's arguments goes. */
typedef struct
{
  guint32 first;   /* offset in the blob of what goes to scratch: the end of the VtrArgs_… */
  guint64 address; /* volatile address of .first */
} VtrReplayPlacement;

/* Returns: the volatile address of what is at @offset in the blob. */
static inline guint32
vtr_replay_placed (const VtrReplayPlacement *placement,
                   guint32                   offset)
{
  return (guint32)(placement->address + (offset - placement->first));
}

static inline void
vtr_replay_add_pair (GArray  *array,
                     guint32  a,
                     guint32  b)
{
  const guint32 pair[2] = { a, b };

  g_array_append_vals (array, pair, 2);
}

/* Lays out the arguments of @id, as self->flat. */
gboolean vtr_replay_builder_flatten (VtrReplayBuilder  *self,
                                     VtrCmdId           id,
                                     const void        *args,
                                     GError           **error);

/* Writes the tree that was laid out: pointers and handles patched, large pieces as resources. */
void vtr_replay_builder_write_tree (VtrReplayBuilder         *self,
                                    const VtrReplayPlacement *placement);

/* Handles that the call made go from scratch to their slots. */
void vtr_replay_builder_store_outputs (VtrReplayBuilder         *self,
                                       VtrCmdId                  id,
                                       const VtrReplayPlacement *placement);

/* Whether @command destroys what is dead, or something of a pool or a device that is. Drivers must
 * not see it: a trace may do it although no program does. */
gboolean vtr_replay_builder_is_too_late (VtrReplayBuilder *self,
                                         const VtrCommand *command);

/* Notes that what @command destroys is dead, but for what stands in arrays. */
void vtr_replay_builder_note_ends (VtrReplayBuilder *self,
                                   const VtrCommand *command);

/* Notes that the object in @slot is destroyed. Returns: FALSE when it was dead. */
gboolean vtr_replay_builder_end (VtrReplayBuilder *self,
                                 guint64           slot);

/* Returns: the slot of the pool that @id, which was laid out, takes its objects from; 0: none. */
guint64 vtr_replay_builder_find_pool (VtrReplayBuilder *self,
                                      VtrCmdId          id);

/* Returns: (nullable): the @nth large piece of the tree that was laid out, found as
 * vtr_replay_builder_write_tree() does. */
GBytes *vtr_replay_builder_find_piece (VtrReplayBuilder    *self,
                                       const VtrApiCommand *command,
                                       guint32              nth);

void vtr_replay_builder_init_resources (VtrReplayBuilder *self);

/* @nth, @mapped: where in command @index the content is: its @nth large piece, or its @nth mapped
 * write. Returns: the number of the resource with this content; a new one is remembered by where it
 * came from. */
guint32 vtr_replay_builder_add_resource (VtrReplayBuilder *self,
                                         const void       *data,
                                         gsize             size,
                                         guint64           index,
                                         guint32           nth,
                                         gboolean          mapped);

/* Calls @id with @args (its VtrArgs_…), as machine function @function (the id itself, or a
 * synthetic one that takes the same arguments). Handles it makes get slots. */
gboolean vtr_replay_builder_call (VtrReplayBuilder  *self,
                                  VtrCmdId           id,
                                  const void        *args,
                                  guint32            function,
                                  GError           **error);

/* Pushes the replay's handle for a captured one; null when unknown. */
void vtr_replay_builder_push_handle (VtrReplayBuilder *self,
                                     VtrHandleId       type,
                                     guint64           value);

/* Calls a synthetic function with what was pushed. */
void vtr_replay_builder_call_synthetic (VtrReplayBuilder  *self,
                                        VtrReplayFunction  function);

/* Writes bytes that lie at volatile @source to captured memory. */
void vtr_replay_builder_write_laid_out (VtrReplayBuilder *self,
                                        guint64           memory,
                                        guint64           offset,
                                        guint64           source,
                                        guint64           size);

guint64 vtr_replay_builder_take_scratch (VtrReplayBuilder *self,
                                         gsize             size);

/* Begins a command, write or read: its scratch is empty, and its label is set. */
void vtr_replay_builder_begin_item (VtrReplayBuilder *self,
                                    guint64           index);

/* Ends one: sends the segment when it is long. */
gboolean vtr_replay_builder_flush_if_long (VtrReplayBuilder  *self,
                                           GError           **error);

/* Lays @size (< 1 MiB) bytes into scratch. Returns: their volatile address. */
guint64 vtr_replay_builder_scratch (VtrReplayBuilder *self,
                                    gconstpointer     data,
                                    guint32           size);

VtrBuffer *vtr_replay_builder_get_code (VtrReplayBuilder *self);
VtrReplaySlots *vtr_replay_builder_get_slots (VtrReplayBuilder *self);
VtrTrace *vtr_replay_builder_get_trace (VtrReplayBuilder *self);

/* Remembers the entries of a descriptor update template, for vkUpdateDescriptorSetWithTemplate
 * and its kin. */
void vtr_replay_builder_add_template (VtrReplayBuilder                           *self,
                                      guint64                                     handle,
                                      const VkDescriptorUpdateTemplateCreateInfo *info);

typedef struct
{
  VtrCmdId id; /* canonical: aliases share the rule */
  VtrReplayRule rule;
} VtrReplayCustomEntry;

/* The table of commands with a meaning of their own. */
const VtrReplayCustomEntry *vtr_replay_custom_table (gsize *n);

G_END_DECLS
