/* Shared by the files that make up VtrReplayBuilder, and what the APIs' rules of their own build with. */
#pragma once

#include "engine/api/vtr-build-api.h"
#include "engine/replay-builder/vtr-replay-builder.h"
#include "engine/replay-builder/vtr-replay-rule.h"
#include "engine/replay-builder/vtr-replay-slots.h"
#include "wire/vtr-replay-asm.h"
#include "wire/vtr-replay-functions.h"

G_BEGIN_DECLS

/* Contents of at least this size travel as resources, which the replayer keeps between requests. */
#define VTR_REPLAY_RESOURCE_FROM 4096

#define SCRATCH_BASE G_GUINT64_CONSTANT (0x100)
#define SCRATCH_END ((guint64)VTR_REPLAY_FIRST_SLOT)

/* What a builder keeps for one API. The API fills all but the first two (VtrBuildApi.part_new). */
typedef struct _VtrReplayPart
{
  const VtrBuildApi *build; /* NULL: no command of this API can be replayed */
  guint32 number;           /* under which the machine calls its functions */
  gpointer data;
  VtrApiEnv env; /* that the walkers ask about its commands */
  /* Commands of VTR_CLASS_PLACES are asked for these places (VtrFlat.places). */
  gboolean wants_places;
  /* (nullable): what was laid out from @first on, at volatile @address, may be changed. */
  gboolean (*change_tree) (VtrReplayBuilder *builder,
                           guint32 first,
                           guint64 address,
                           GError **error);
  /* (nullable): the device address @value is on top of the stack, and may be changed. */
  void (*change_address) (VtrReplayBuilder *builder,
                          guint64 value);
} VtrReplayPart;

struct _VtrReplayBuilder
{
  VtrTrace *trace;
  VtrPlan *plan;                        /* (nullable) */
  VtrReplayPart parts[VTR_API_N_PAGES]; /* each API's, by its first page */
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
  GArray *narrow;  /* likewise, of names of 4 bytes */
  GArray *targets; /* guint32 offsets where pieces of the tree start, sorted */
  guint64 scratch; /* next free address of small scratch, within a command */
  guint64 large;   /* and of the large one */

  const VtrCommand *command; /* being built */
  VtrHandleId ending;        /* what it destroys; VTR_HANDLE_NONE: nothing, or .ends_any */
  gboolean ends_any;         /* it destroys all that it names in arrays */
  guint64 label;
  guint32 n_large; /* large pieces of the command so far */
  gboolean full;   /* no slot or scratch was left */
  VtrReplayBuilderStats stats;
};

/* The destination of the tree of a call's arguments. */
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

/* The part of the API that the known @id belongs to. */
static inline VtrReplayPart *
vtr_replay_builder_get_part (VtrReplayBuilder *self,
                             guint32           id)
{
  return &self->parts[vtr_api_pages[id >> VTR_API_PAGE_BITS]->first_id >> VTR_API_PAGE_BITS];
}

/* The identity that the command being built means by @name of @kind. */
VtrIdentity vtr_replay_builder_identify (VtrReplayBuilder *self,
                                         VtrHandleId       kind,
                                         guint64           name);

/* --- A call, in three steps; or all of them at once: vtr_replay_builder_call () -------------- */

/* Lays out the arguments of @id, as self->flat. */
gboolean vtr_replay_builder_flatten (VtrReplayBuilder  *self,
                                     VtrCmdId           id,
                                     const void        *args,
                                     GError           **error);

/* Writes the data that was laid out behind the arguments of @id into scratch. @placement: (out) */
gboolean vtr_replay_builder_place (VtrReplayBuilder    *self,
                                   VtrCmdId             id,
                                   VtrReplayPlacement  *placement,
                                   GError             **error);

/* Calls @function with the arguments that were laid out and placed. Names it makes get slots. */
void vtr_replay_builder_finish_call (VtrReplayBuilder         *self,
                                     VtrCmdId                  id,
                                     guint32                   function,
                                     const VtrReplayPlacement *placement);

/* Calls @id with @args (its VtrArgs_…), as machine function @function (@id itself, or a synthetic one that takes the
 * same arguments). Handles it makes get slots. */
gboolean vtr_replay_builder_call (VtrReplayBuilder  *self,
                                  VtrCmdId           id,
                                  const void        *args,
                                  guint32            function,
                                  GError           **error);

/* --- Parts of it ----------------------------------------------------------------------------- */

/* Writes the tree that was laid out: pointers and handles patched, large pieces as resources. */
void vtr_replay_builder_write_tree (VtrReplayBuilder         *self,
                                    const VtrReplayPlacement *placement);

/* Handles that the call made go from scratch to their slots. */
void vtr_replay_builder_store_outputs (VtrReplayBuilder         *self,
                                       VtrCmdId                  id,
                                       const VtrReplayPlacement *placement);

/* Whether @command destroys an object that is dead, or whose pool or device is. Drivers must not
 * see such a call: a trace may have it although no program does. */
gboolean vtr_replay_builder_is_too_late (VtrReplayBuilder *self,
                                         const VtrCommand *command);

/* Notes that the objects that @command destroys are dead, except those in arrays. */
void vtr_replay_builder_note_ends (VtrReplayBuilder *self,
                                   const VtrCommand *command);

/* Notes that the object in @slot is destroyed. Returns: FALSE when it was dead. */
gboolean vtr_replay_builder_end (VtrReplayBuilder *self,
                                 guint64           slot);

/* The slot of @identity for a command that makes the object if it is not there (VTR_HOW_USE). Of a new one, its API
 * is asked for a name (VtrBuildApi.reserve); the slot else holds the program's. Returns: 0 if there is no room. */
guint64 vtr_replay_builder_use (VtrReplayBuilder *self,
                                VtrIdentity       identity);

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

/* Pushes the replay's name for a captured one; 0 when unknown. */
void vtr_replay_builder_push_name (VtrReplayBuilder *self,
                                   VtrIdentity       identity);

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

/* The content of the @nth write before command @index. Returns: where it lies in the machine's memory once what this
 * emits has run. */
guint64 vtr_replay_builder_place_content (VtrReplayBuilder *self,
                                          guint64           index,
                                          gsize             nth,
                                          gconstpointer     data,
                                          guint64           size);

VtrBuffer *vtr_replay_builder_get_code (VtrReplayBuilder *self);
VtrReplaySlots *vtr_replay_builder_get_slots (VtrReplayBuilder *self);
VtrTrace *vtr_replay_builder_get_trace (VtrReplayBuilder *self);

G_END_DECLS
