/* Finds the bytes of memory at any command: of the program as observed, and of byte spaces as
 * written. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/format/vtr-trace.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

typedef struct _VtrAnalysis VtrAnalysis;

#define VTR_MEMORY_ERROR (vtr_memory_error_quark ())
GQuark vtr_memory_error_quark (void);

typedef enum
{
  VTR_MEMORY_ERROR_SPACE,   /* no such byte space, or it does not exist at this command */
  VTR_MEMORY_ERROR_RANGE,   /* empty, beyond the end, or too large */
  VTR_MEMORY_ERROR_NOTHING, /* the command never ran */
} VtrMemoryError;

/* The program's own memory, by address. Other byte spaces are objects, by offset, such as
 * each VkDeviceMemory. In paths and for people they are memory pools. */
#define VTR_SPACE_PROGRAM 0

/* Most bytes that can be asked for at once. */
#define VTR_MEMORY_MAX_READ ((guint64)1 << 30)

/**
 * VtrMemory:
 *
 * Gives the contents of memory after a command. It keeps no copies: an index of observations and
 * writes (VtrIntervalIndex) is made by one pass over the trace, on first use, and contents are read
 * from the trace when needed. For a command in a list the bytes of spaces are those of a run: with
 * all that ran before, up to this command in this run.
 *
 * What commands write the APIs say (src/engine/api/vtr-memory-api.h): exactly, or as "may be written". Work of the GPU
 * counts as done in the order in which it was submitted.
 *
 * Threading: any (the index is made under a lock, then immutable), but for its end.
 */
typedef struct _VtrMemory VtrMemory;

/* Cheap. @analysis: outlives it; usually its own (vtr_analysis_get_memory ()). */
VtrMemory *vtr_memory_new (VtrAnalysis *analysis);
void vtr_memory_free (VtrMemory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrMemory, vtr_memory_free)

/* Makes the index if there is none; waits if another thread is making it. Blocks. @progress:
 * (nullable):
   in thousandths, from this thread. Errors: cancelled. */
gboolean vtr_memory_prepare (VtrMemory         *self,
                             VtrTraceProgress   progress,
                             gpointer           data,
                             GCancellable      *cancellable,
                             GError           **error);
gboolean vtr_memory_is_ready (VtrMemory *self);
/* How far it is, in thousandths; 1000: ready. */
guint vtr_memory_get_progress (VtrMemory *self);
/* Bytes that the index takes; 0 before it is made. */
gsize vtr_memory_get_index_bytes (VtrMemory *self);

typedef enum
{
  VTR_MEMORY_UNKNOWN,     /* never observed; the bytes show as 0 */
  VTR_MEMORY_OBSERVED,    /* the trace holds them */
  VTR_MEMORY_GPU_WRITTEN, /* the GPU wrote them since; only a replay knows; they show as 0 */
  VTR_MEMORY_GPU_MAYBE,   /* the GPU may have written them since they were observed as shown */
  VTR_MEMORY_REPLAYED,    /* a replay read them; vtr_memory_read() never says so */
} VtrMemoryKind;

typedef struct
{
  guint64 offset, size; /* in the space */
  VtrMemoryKind kind;
  gboolean known; /* the bytes shown mean something; GPU_MAYBE: they were observed before */
  guint64 index;  /* flat index of the command that they come from, or that (may have) written them;
                     mapped writes: the command they precede; VTR_COMMAND_NO_INDEX: none */
} VtrMemorySpan;

typedef enum
{
  VTR_MEMORY_READ = 1 << 0,
  VTR_MEMORY_WRITE = 1 << 1,
  VTR_MEMORY_BY_GPU = 1 << 2,   /* else by the CPU */
  VTR_MEMORY_POSSIBLY = 1 << 3, /* may touch any part of it, or none */
} VtrMemoryAccess;

/* Something that a command reads or writes. */
typedef struct
{
  guint32 space;
  guint64 offset, size;
  guint access;           /* VtrMemoryAccess */
  guint32 object;         /* id of the buffer, image, … it belongs to; 0: none */
  char *label;            /* "vertex buffer 0", "pCreateInfo", … */
  char *type;             /* hint for a typed view, as vtr_memory_type_parse() reads it; NULL: none */
  JsonObject *descriptor; /* how shaders see the range, as the API says it in answers; NULL: not through a descriptor */
} VtrMemoryRange;

void vtr_memory_range_clear (VtrMemoryRange *self);

/* An answer; immutable, reference-counted. */
typedef struct
{
  gatomicrefcount refs;
  guint32 space;
  guint64 offset, size;
  GBytes *bytes;    /* .size of them */
  GArray *spans;    /* VtrMemorySpan: ascending, all of the range */
  GArray *accesses; /* VtrMemoryRange of this command that meet the range */
} VtrMemoryView;

VtrMemoryView *vtr_memory_view_ref (VtrMemoryView *self);
void vtr_memory_view_unref (VtrMemoryView *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrMemoryView, vtr_memory_view_unref)

/**
 * vtr_memory_read:
 * @index: flat index; the state is that after this command
 * @run: which run (vtr_timeline_get_run()) of the recording that holds @index; VTR_NO_RUN:
 *   its first one, or it is in none
 *
 * Makes the index first if need be. O(log n) for each piece of the answer. Errors: SPACE, RANGE,
 * NOTHING (a space at a command that never ran), cancelled, and the trace's.
 */
VtrMemoryView *vtr_memory_read (VtrMemory     *self,
                                guint64        index,
                                guint32        run,
                                guint32        space,
                                guint64        offset,
                                guint64        size,
                                GCancellable  *cancellable,
                                GError       **error);

/* The memory that the command reads and writes: its own arguments in space 0, mapped writes just
   before it, and the bytes that the GPU touches when it runs. A submission lists the writes of its
   command lists.
   Returns: (transfer full): of VtrMemoryRange, cleared with the array. */
GArray *vtr_memory_list_ranges (VtrMemory     *self,
                                guint64        index,
                                guint32        run,
                                GCancellable  *cancellable,
                                GError       **error);

/* The memory of an object (a buffer, an image, a byte space) at command @index. Returns:
   FALSE when it has no memory. */
gboolean vtr_memory_locate_object (VtrMemory *self,
                                   guint64    index,
                                   guint32    object,
                                   guint32   *space,
                                   guint64   *offset,
                                   guint64   *size);

/* Where the object lies that a person means by @name, the number that the program uses. */
gboolean vtr_memory_locate_name (VtrMemory *self,
                                 guint64    index,
                                 guint64    name,
                                 guint32   *space,
                                 guint64   *offset,
                                 guint64   *size);

/* Size of a space; 0: no limit (the program's memory). Errors: SPACE. @index: where it is asked for;
   VTR_COMMAND_NO_INDEX: any. */
gboolean vtr_memory_get_space_size (VtrMemory  *self,
                                    guint32     space,
                                    guint64     index,
                                    guint64    *size,
                                    GError    **error);

/* "observed", "gpu-written", … (static) */
const char *vtr_memory_kind_get_name (VtrMemoryKind kind);

G_END_DECLS
