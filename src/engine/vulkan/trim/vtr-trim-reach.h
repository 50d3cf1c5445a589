/* Which objects and initial commands the calls of a program reach. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/**
 * VtrTrimReach:
 *
 * Begins with what the program's calls name and with objects whose address the program was told, and
 * goes on with what these were made from, what is said of them (bindings, contents of sets, recorded
 * commands, signals), and what that names. A command says something of its first handle below the
 * device; what names none belongs to the command before it.
 *
 * The recorder's own command buffer, which sets layouts, queries and events, says something of many
 * objects: its commands are taken one by one.
 *
 * Threading: one at a time; any once built.
 */
typedef struct
{
  VtrTrace *trace;
  VtrHistory *history;
  guint64 n_initial;
  GHashTable *by_handle; /* type and value → GArray of ids */
  guint8 *kept;          /* of initial commands; borrowed */
  guint8 *needed;        /* of objects, by id */
  guint8 *whole;         /* of objects, by id: memory that the program may look at in new ways */
  guint8 *settings;      /* of objects, by id: the recorder's own command buffers */
  gboolean everything;   /* objects are reached in ways that nobody can follow */
} VtrTrimReach;

/* Sets @kept, which outlives the result, for Vulkan's initial commands. Returns: NULL with @error. */
VtrTrimReach *vtr_trim_reach_new (VtrTrace      *trace,
                                  VtrHistory    *history,
                                  guint8        *kept,
                                  GCancellable  *cancellable,
                                  GError       **error);
void vtr_trim_reach_free (VtrTrimReach *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTrimReach, vtr_trim_reach_free)

/* Whether an object that @handle may mean to call @index is needed. A driver may give several
 * objects one value. Returns: TRUE also when none is known. */
gboolean vtr_trim_reach_needs (const VtrTrimReach *self,
                               guint32             type,
                               guint64             handle,
                               guint64             index);

/* The ids of objects that @handle may mean to call @index; @made: those too that this call makes.
 * Calls @each for each of them. */
typedef void (*VtrTrimEach) (gpointer data,
                             guint32 id);
void vtr_trim_reach_look_up (const VtrTrimReach *self,
                             guint32             type,
                             guint64             handle,
                             guint64             index,
                             gboolean            made,
                             VtrTrimEach         each,
                             gpointer            data);

G_END_DECLS
