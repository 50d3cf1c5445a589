/* Turns commands of any API into instructions of the replay machine. What becomes of a command, its API says
 * (VtrBuildApi).
 *
 * Volatile memory is laid out as
 *
 *   [0x100, 256 KiB)    scratch of the command being built: its argument tree, reused by the next
 *   [256 KiB, 2 GiB)    handle slots, 8 bytes each; the first 96 Ki are reached by one LOAD_V
 *   [2 GiB, 4 GiB)      scratch of commands whose arguments are larger
 *
 * A command becomes: what its API needs to enter another stream, LABEL, INLINE_RESOURCE (and RESOURCE for large contents) that lay its
 * argument tree into scratch with pointers and handles patched, its arguments in order, CALL, and
 * for every handle it made a load from scratch and a store to the handle's slot. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "engine/format/vtr-content-record.h"
#include "engine/replay-builder/vtr-plan.h"
#include "engine/replay/vtr-replay-backend.h"
#include "engine/state/vtr-identity.h"

G_BEGIN_DECLS

/**
 * VtrReplayBuilder:
 *
 * Threading: one at a time.
 */
typedef struct _VtrReplayBuilder VtrReplayBuilder;

/* Gets finished segments, valid during the call only. */
typedef gboolean (*VtrReplaySend) (const VtrReplaySegment *segment,
                                   gpointer data,
                                   GError **error);

typedef struct
{
  guint64 n_commands; /* replayed */
  guint64
    n_skipped;         /* not replayed: queries, failed calls, what belongs to the window system, … */
  guint64 n_unknown;   /* handles in arguments that no replayed command had made; passed as null */
  guint64 n_writes;    /* mapped writes */
  guint64 n_addresses; /* values that were taken for device addresses, and changed */
  guint64 n_words;
  guint64 n_segments;
} VtrReplayBuilderStats;

VtrReplayBuilder *vtr_replay_builder_new (VtrTrace      *trace,
                                          VtrReplaySend  send,
                                          gpointer       data);
/* A builder that continues where @base is now, with its own resources. @base may continue, too, but
 * must not make handles then. */
VtrReplayBuilder *vtr_replay_builder_fork (VtrReplayBuilder *base,
                                           VtrReplaySend     send,
                                           gpointer          data);
void vtr_replay_builder_free (VtrReplayBuilder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplayBuilder, vtr_replay_builder_free)

/* Builds for the devices of @plan. Without one, devices are taken to be the captured ones. */
void vtr_replay_builder_set_plan (VtrReplayBuilder *self,
                                  VtrPlan          *plan);
VtrPlan *vtr_replay_builder_get_plan (VtrReplayBuilder *self); /* (nullable) */

/**
 * vtr_replay_builder_add:
 *
 * Builds one command, or leaves it out when its rule (vtr-replay-rule.h) or its captured result
 * says so. Errors: VTR_REPLAY_ERROR_UNSUPPORTED with the reason when the command cannot be
 * replayed here, and those of the send function.
 */
gboolean vtr_replay_builder_add (VtrReplayBuilder  *self,
                                 const VtrCommand  *command,
                                 GError           **error);

/* Writes contents of memory and images from the trace: the @nth of those before command @index. */
gboolean vtr_replay_builder_write (VtrReplayBuilder        *self,
                                   guint64                  index,
                                   gsize                    nth,
                                   const VtrContentRecord  *write,
                                   GError                 **error);

/* The identity of a slot. Returns: FALSE if no object has it. */
gboolean vtr_replay_builder_find_identity (VtrReplayBuilder *self,
                                           guint64           slot,
                                           VtrIdentity      *identity);

/* Sends the rest. */
gboolean vtr_replay_builder_flush (VtrReplayBuilder  *self,
                                   GError           **error);

/* Returns: (transfer full): content of resource @number, read from the trace again. Errors: those
 * of the trace, VTR_REPLAY_ERROR_PAYLOAD when there is no such resource. */
GBytes *vtr_replay_builder_get_resource (VtrReplayBuilder  *self,
                                         guint64            number,
                                         GError           **error);

const VtrReplayBuilderStats *vtr_replay_builder_get_stats (VtrReplayBuilder *self);

G_END_DECLS
