/* An opened .gfxtrace: immutable, shared by all threads. */
#pragma once

#include <gio/gio.h>

#include "engine/format/vtr-command.h"
#include "engine/format/vtr-trace-error.h"

G_BEGIN_DECLS

/**
 * VtrTrace:
 *
 * An immutable view of a trace file: the mapping, a cache of decompressed frames, and per-command
 * arrays (at most 24 bytes per command).
 *
 * Threading: any (immutable; the frame cache locks inside). Atomically reference-counted.
 */
typedef struct _VtrTrace VtrTrace;

/* Opens @path. Blocks. A file whose end is missing opens with everything up to its last complete
 * chunk; vtr_trace_get_warning() then says so. Returns: (transfer full): or NULL with @error. */
VtrTrace *vtr_trace_open (const char        *path,
                          VtrTraceProgress   progress,
                          gpointer           progress_data,
                          GCancellable      *cancellable,
                          GError           **error);
VtrTrace *vtr_trace_ref (VtrTrace *self);
void vtr_trace_unref (VtrTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTrace, vtr_trace_unref)

const char *vtr_trace_get_path (VtrTrace *self);

/* The header of the file. */
typedef struct
{
  const char *producer;       /* "Vitrine 0.1.0", "GAPID 3", … */
  const char *container;      /* "zstd" or "proto-pack" */
  const char *apis;           /* "Vulkan"; those that this build lacks come last */
  const char *const *missing; /* those that this build lacks, as their types are called; NULL-terminated */
  const char *application;    /* name of the program; "" unknown */
  const char *command_line;   /* space-separated, quoted */
  const char *device;         /* its name; "" unknown */
  const char *driver;         /* driver name and version; "" unknown */
  guint32 api_version;        /* of the device, as its API numbers versions; 0 unknown */
  gint64 start_time;          /* Unix time in µs; 0 unknown */
  VtrAbi abi;                 /* layout of the captured process' structures */
  guint64 bytes;              /* size of the file */
  gboolean truncated;         /* the file, or the recording, ends early */
  const char *const *changes; /* what the layer changed in the application; NULL-terminated */
  const char *const *hidden_extensions;
  const char *const *trackers; /* how mapped memory was watched */
  const char *const *notices;  /* what the layer warns of: contents that are not there */
} VtrTraceInfo;

const VtrTraceInfo *vtr_trace_get_info (VtrTrace *self);

/* A sentence for the banner when the file ends early or is partly damaged; NULL when whole. */
const char *vtr_trace_get_warning (VtrTrace *self);

guint64 vtr_trace_get_n_commands (VtrTrace *self);
/* The flat index counts commands that re-create what was there before the recording first. People
 * count from the program's first call: its number is 0 (initial commands keep theirs). */
guint64 vtr_trace_get_n_initial_commands (VtrTrace *self);
/* The number of the program's own commands, which is the number shown to users. */
guint64 vtr_trace_get_n_program_commands (VtrTrace *self);
guint64 vtr_trace_get_number (VtrTrace *self,
                              guint64   index);

/* The path of a command: "commands/12" by its number, or "initial/3". (transfer full) */
char *vtr_trace_format_command (VtrTrace *self,
                                guint64   index);

/* Like vtr_trace_format_command (), for a sentence: "12", or "initial/3". (transfer full) */
char *vtr_trace_format_number (VtrTrace *self,
                               guint64   index);
guint64 vtr_trace_get_n_resources (VtrTrace *self);
guint64 vtr_trace_get_n_observations (VtrTrace *self);

/* The file as it was when it was opened (vtr-file-version.h). (transfer none) */
const char *vtr_trace_get_file_version (VtrTrace *self);

/* XXH3-128 of the whole file: files with the same value are the same trace, at any path. Reads the
 * whole file. */
void vtr_trace_get_identity (VtrTrace *self,
                             guint64   identity[2]);

/* Frames: a frame ends with its present and starts after the one before. A trace with commands has
 * at least one: without a present, all of it is one. Initial commands come before the first one,
 * and calls after the last present that give a queue work come after the last one; both count as
 * part of it where a frame must be named. Other calls at the end belong to the last one. */
guint64 vtr_trace_get_n_frames (VtrTrace *self);
void vtr_trace_get_frame (VtrTrace *self,
                          guint64   frame,
                          guint64  *first, /* (out) flat index */
                          guint64  *last); /* (out) inclusive */
/* The call after which @frame is complete: its present, or its last call if it has none. Objects
 * that the program destroys before it exits still exist then. */
guint64 vtr_trace_get_frame_end (VtrTrace *self,
                                 guint64   frame);
guint64 vtr_trace_get_frame_of (VtrTrace *self,
                                guint64   index);
/* Frames, and one more for the calls after them if there are any: part n_frames, of which
 * vtr_trace_get_frame () tells the commands. */
guint64 vtr_trace_get_n_parts (VtrTrace *self);
guint64 vtr_trace_get_part_of (VtrTrace *self,
                               guint64   index);

/* Cheap per-command facts, no decoding. @index must be < n_commands. */
VtrCmdId vtr_trace_get_command_id (VtrTrace *self,
                                   guint64   index);
/* Its name, also of an API that this build lacks: such commands have ids from VTR_CMD_FOREIGN on, which
 * are this trace's. (transfer none) */
const char *vtr_trace_get_command_name (VtrTrace *self,
                                        guint64   index);
const char *vtr_trace_get_id_name (VtrTrace *self,
                                   VtrCmdId  id);
/* How many ids from VTR_CMD_FOREIGN on the trace has. */
guint vtr_trace_get_n_foreign (VtrTrace *self);
guint64 vtr_trace_get_thread (VtrTrace *self,
                              guint64   index);
/* Whether the trace has @id, or a command that one stands for. O(1): ask before looking for such commands. */
gboolean vtr_trace_has_command (VtrTrace *self,
                                VtrCmdId  id);
/* The namespace in which the command's names are looked up. Returns: (nullable) */
const VtrNamespaceInfo *vtr_trace_get_namespace (VtrTrace *self,
                                                 guint64   index);
guint32 vtr_trace_get_flags (VtrTrace *self,
                             guint64   index); /* VtrCommandStateFlags */

/* All namespaces, by rising number: what is around one comes before it. Returns: NULL beyond the last. */
guint vtr_trace_get_n_namespaces (VtrTrace *self);
const VtrNamespaceInfo *vtr_trace_get_nth_namespace (VtrTrace *self,
                                                     guint     nth);

/* Decodes one command into @arena. Errors: RANGE, DAMAGED, and I/O. */
gboolean vtr_trace_decode (VtrTrace    *self,
                           guint64      index,
                           VtrArena    *arena,
                           VtrCommand  *out,
                           GError     **error);

/* Handles that two devices or instances of the program have for different objects are decoded, for
 * all but the first, as numbers of their own (VtrReadApi.find_names). Returns: the value of the driver,
 * for people; @handle itself where nothing was replaced. */
guint64 vtr_trace_get_driver_handle (VtrTrace *self,
                                     guint64   handle);

/* For text, JSON and properties of decoded commands: handles are shown as the driver's. Valid as
 * long as @self. */
VtrApiEnv vtr_trace_get_env (VtrTrace *self);

G_END_DECLS
