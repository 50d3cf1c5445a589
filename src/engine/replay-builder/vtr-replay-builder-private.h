/* The fields of VtrReplayBuilder, and the steps from which the builder and the rules of APIs (vtr-replay-rule.h) build words of
 * the replay machine. Threading: one at a time. */
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

/* The data of one API in a builder. VtrBuildApi.part_new fills all but the first two fields. */
typedef struct _VtrReplayPart
{
  const VtrBuildApi *build; /* NULL: no command of this API can be replayed */
  guint32 number;           /* by which the machine calls the functions of the API */
  gpointer data;
  VtrApiEnv env; /* for walkers over commands of the API */
  /* Whether VtrFlat.places is filled for commands of VTR_CLASS_PLACES. */
  gboolean wants_places;
  /* (nullable): called when the data from offset @first on lies at volatile @address, to change it. */
  gboolean (*change_tree) (VtrReplayBuilder *builder,
                           guint32 first,
                           guint64 address,
                           GError **error);
  /* (nullable): called when the device address @value is on top of the stack, to change it. */
  void (*change_address) (VtrReplayBuilder *builder,
                          guint64 value);
} VtrReplayPart;

struct _VtrReplayBuilder
{
  VtrTrace *trace;
  VtrPlan *plan;                           /* (nullable) */
  VtrReplayPart parts[VTR_API_N_PAGES];    /* by the first page of the API */
  VtrReplayPart *part_of[VTR_API_N_PAGES]; /* each page's; NULL: no API has the page */
  VtrReplaySend send;
  gpointer send_data;

  VtrBuffer code;      /* of the segment being built */
  GArray *resources;   /* VtrReplayResource, of the segment being built */
  GPtrArray *sources;  /* VtrReplaySource, of all segments */
  GHashTable *numbers; /* VtrReplaySource (by hash and size) → number + 1 */

  /* The mapped write last read: a replayer asks for many of one command in a row. */
  VtrContentCursor mapped;

  VtrReplaySlots slots;
  VtrFlat flat;
  GArray *patches; /* guint32 pairs for the piece being written: pointers */
  GArray *copies;  /* guint32 pairs for the piece being written: names of 8 bytes */
  GArray *narrow;  /* guint32 pairs for the piece being written: names of 4 bytes */
  GArray *targets; /* guint32 offsets where pieces of the tree start, sorted */
  guint64 scratch; /* next free address of small scratch, within a command */
  guint64 large;   /* next free address of large scratch */

  const VtrCommand *command; /* the command being built */
  VtrHandleId ending;        /* kind of the object that it destroys; VTR_HANDLE_NONE: none, or .ends_any */
  gboolean ends_any;         /* it destroys all objects that it names in arrays */
  guint64 label;
  guint32 n_large; /* large pieces of the command so far */
  gboolean full;   /* no slot or scratch was left */
  VtrReplayBuilderStats stats;
};

/* Where the data that a call's arguments point to is placed. */
typedef struct
{
  guint32 first;   /* offset in the blob of the first byte that is placed: the end of the VtrArgs_… */
  guint64 address; /* volatile address of .first */
} VtrReplayPlacement;

/* Returns: the volatile address of the byte at @offset in the blob. */
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

/* The data of the API of command @id, which must be known. */
static inline VtrReplayPart *
vtr_replay_builder_get_part (VtrReplayBuilder *self,
                             guint32           id)
{
  return self->part_of[id >> VTR_API_PAGE_BITS];
}

/* The identity that @name of @kind has in the command being built. */
VtrIdentity vtr_replay_builder_identify (VtrReplayBuilder *self,
                                         VtrHandleId       kind,
                                         guint64           name);

/* --- A call, in three steps, or at once by vtr_replay_builder_call () -------------------------
 * All return FALSE with @error if the command cannot be built: VTR_REPLAY_ERROR_TRACE, _UNSUPPORTED. */

/* Lays out the arguments of @id in self->flat. */
gboolean vtr_replay_builder_flatten (VtrReplayBuilder  *self,
                                     VtrCmdId           id,
                                     const void        *args,
                                     GError           **error);

/* Writes the data that was laid out behind the arguments of @id into scratch. @placement: (out) */
gboolean vtr_replay_builder_place (VtrReplayBuilder    *self,
                                   VtrCmdId             id,
                                   VtrReplayPlacement  *placement,
                                   GError             **error);

/* Calls @function with the arguments that were laid out and placed. Names of new objects get slots. */
void vtr_replay_builder_finish_call (VtrReplayBuilder         *self,
                                     VtrCmdId                  id,
                                     guint32                   function,
                                     const VtrReplayPlacement *placement);

/* Calls @id with @args (its VtrArgs_…), as machine function @function (@id itself, or a synthetic one that takes the
 * same arguments). Names of new objects get slots. */
gboolean vtr_replay_builder_call (VtrReplayBuilder  *self,
                                  VtrCmdId           id,
                                  const void        *args,
                                  guint32            function,
                                  GError           **error);

/* --- Parts of these steps -------------------------------------------------------------------- */

/* Writes the data that was laid out: patches pointers and names, makes large pieces resources. */
void vtr_replay_builder_write_tree (VtrReplayBuilder         *self,
                                    const VtrReplayPlacement *placement);

/* Copies the names that the call returns from scratch to their slots. */
void vtr_replay_builder_store_outputs (VtrReplayBuilder         *self,
                                       VtrCmdId                  id,
                                       const VtrReplayPlacement *placement);

/* Whether @command, which is of VTR_CLASS_DESTROY, destroys an object that is already destroyed, or whose pool or device is. Such commands are not given to
 * the driver. Valid programs make none, but a trace may contain one. */
gboolean vtr_replay_builder_is_too_late (VtrReplayBuilder *self,
                                         const VtrCommand *command);

/* Notes that the objects that @command, which is of VTR_CLASS_DESTROY, destroys no longer exist, except those in arrays. */
void vtr_replay_builder_note_ends (VtrReplayBuilder *self,
                                   const VtrCommand *command);

/* Notes that the object in @slot no longer exists. Returns: FALSE if that was noted before. */
gboolean vtr_replay_builder_end (VtrReplayBuilder *self,
                                 guint64           slot);

/* The slot of @identity for a command that creates the object by using its name (VTR_HOW_USE). For a new object, the API is
 * asked for a name (VtrBuildApi.reserve); without one, the slot holds the captured name. Returns: 0 if no slot is left. */
guint64 vtr_replay_builder_use (VtrReplayBuilder *self,
                                VtrIdentity       identity);

/* Returns: the slot of the pool from which the laid-out command @id allocates its objects; 0: none. */
guint64 vtr_replay_builder_find_pool (VtrReplayBuilder *self,
                                      VtrCmdId          id);

/* Returns: (transfer full) (nullable): large piece @nth of @command, counted as vtr_replay_builder_write_tree () does. */
GBytes *vtr_replay_builder_find_piece (VtrReplayBuilder    *self,
                                       const VtrApiCommand *command,
                                       guint32              nth);

void vtr_replay_builder_init_resources (VtrReplayBuilder *self);

/* Makes a resource of @size bytes of @data. @index, @nth, @mapped: where the replayer's request for the bytes finds them again:
 * large piece @nth of command @index, or (@mapped) its mapped write @nth. Returns: the number of the resource; equal contents
 * have the same number. */
guint32 vtr_replay_builder_add_resource (VtrReplayBuilder *self,
                                         const void       *data,
                                         gsize             size,
                                         guint64           index,
                                         guint32           nth,
                                         gboolean          mapped);

/* Pushes the name that @identity has in the replay; 0 if it has none. */
void vtr_replay_builder_push_name (VtrReplayBuilder *self,
                                   VtrIdentity       identity);

/* Takes @size bytes of scratch. Returns: their volatile address. Sets .full if none is left. */
guint64 vtr_replay_builder_take_scratch (VtrReplayBuilder *self,
                                         gsize             size);

/* Begins a command, write or read: empties the scratch and sets the label to @index. */
void vtr_replay_builder_begin_item (VtrReplayBuilder *self,
                                    guint64           index);

/* Ends a command, write or read: sends the segment if it is long enough. Errors: those of .send. */
gboolean vtr_replay_builder_flush_if_long (VtrReplayBuilder  *self,
                                           GError           **error);

/* Puts @size (< 1 MiB) bytes of @data into scratch. Returns: their volatile address. */
guint64 vtr_replay_builder_scratch (VtrReplayBuilder *self,
                                    gconstpointer     data,
                                    guint32           size);

/* Puts the content of mapped write @nth before command @index into the machine's memory. Returns: its address there, valid
 * once the emitted words have run. */
guint64 vtr_replay_builder_place_content (VtrReplayBuilder *self,
                                          guint64           index,
                                          gsize             nth,
                                          gconstpointer     data,
                                          guint64           size);

VtrBuffer *vtr_replay_builder_get_code (VtrReplayBuilder *self);
VtrReplaySlots *vtr_replay_builder_get_slots (VtrReplayBuilder *self);
VtrTrace *vtr_replay_builder_get_trace (VtrReplayBuilder *self);

G_END_DECLS
