/* Finds the objects and initial commands that the calls of a program need, so that the others can be trimmed. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/**
 * VtrTrimReach:
 *
 * Begins with the objects that the program's calls name, and those whose device address the program queried.
 * From each of these it follows: the objects from which it was created; the initial commands about it
 * (bindings, contents of sets, recorded commands, signals); and the objects that these name. An initial
 * command is about its first handle below the device; if it names none, it belongs to the command before it.
 *
 * The recorder's own command buffer sets layouts, queries and events of many objects, so each of its
 * commands is looked at by itself.
 *
 * Threading: one at a time; any once built.
 */
typedef struct
{
  VtrTrace *trace;
  VtrHistory *history;
  guint64 n_initial;     /* number of initial commands */
  GHashTable *by_handle; /* type and value → GArray of ids */
  guint8 *kept;          /* for each initial command: it is needed; borrowed */
  guint8 *needed;        /* for each object, by id: it is needed */
  guint8 *whole;         /* for each object, by id: memory to which the program may bind new resources */
  guint8 *settings;      /* for each object, by id: it is a command buffer of the recorder */
  gboolean everything;   /* the program reaches objects in ways that cannot be followed; keep all */
} VtrTrimReach;

/* Sets the elements of @kept for Vulkan's initial commands. @kept: must outlive the result. Returns: (transfer full); NULL with
 * @error. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrTrimReach *vtr_trim_reach_new (VtrTrace      *trace,
                                  VtrHistory    *history,
                                  guint8        *kept,
                                  GCancellable  *cancellable,
                                  GError       **error);
void vtr_trim_reach_free (VtrTrimReach *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTrimReach, vtr_trim_reach_free)

/* Whether any object that @handle may mean to command @index is needed; several objects may have the same handle. TRUE also if
 * no such object is known. */
gboolean vtr_trim_reach_needs (const VtrTrimReach *self,
                               guint32             type,
                               guint64             handle,
                               guint64             index);

/* Calls @each with the id of every object that @handle may mean to command @index. @made: also for objects that this command
 * creates. */
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
