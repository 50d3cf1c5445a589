/* An opened .gfxtrace: immutable, shared by all threads. */
#pragma once

#include <gio/gio.h>

#include "engine/format/vtr-command.h"
#include "engine/format/vtr-trace-error.h"
#include "vulkan/vtr-vulkan.h"

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
  const char *apis;           /* "Vulkan" */
  const char *application;    /* name of the program; "" unknown */
  const char *command_line;   /* space-separated, quoted */
  const char *device;         /* VkPhysicalDeviceProperties.deviceName; "" unknown */
  const char *driver;         /* driver name and version; "" unknown */
  guint32 api_version;        /* Vulkan version of the device */
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
/* The call after which @frame is complete: its present, or its last call where it has none. What the
 * program destroys before it exits is still there then. */
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
 * all but the first, as numbers of their own (vtr-shared-handles.h). Returns: the value of the driver,
 * for people; @handle itself where nothing was replaced. */
guint64 vtr_trace_get_driver_handle (VtrTrace *self,
                                     guint64   handle);

/* For text, JSON and properties of decoded commands: handles are shown as the driver's. Valid as
 * long as @self. */
VtrApiEnv vtr_trace_get_env (VtrTrace *self);

/* What texels of an image are of, for APIs whose contents are neutral: vitrine.TexelContents (FORMAT.md §5). Rows have no
 * gaps and stand in the order in which the API counts them. */
typedef struct
{
  guint32 namespace; /* of the image's name: its number */
  guint64 name;
  const char *format; /* "RGBA8_UNORM" */
  guint32 level, layer;
  guint32 width, height, depth; /* 1 at least */
  guint32 word;                 /* what only the API reads */
} VtrTexelContents;

/* Contents that became visible to the API just before a command: CPU writes to mapped memory, or what objects held where the
 * recording begins. */
typedef struct _VtrMappedWrite
{
  guint64 device;     /* VkDevice */
  guint64 memory;     /* VkDeviceMemory */
  guint64 offset;     /* in the memory object, bytes */
  guint64 address;    /* where the program had it mapped */
  const guint8 *data; /* in the arena */
  gsize size;

  /* Of the content of an image, which only initial state has; .memory is 0 then. */
  guint64 image;  /* VkImage; 0: this is about memory */
  guint32 aspect; /* one VkImageAspectFlagBits */
  guint32 mip;
  guint32 layer;
  VkImageLayout layout; /* that it is in, before and after */
  VkFormat format;      /* of the image */
  VkExtent3D extent;    /* of what is here, texels of the image */
  guint64 row_pitch;    /* bytes from row to row; 0: no gaps */
  guint64 depth_pitch;  /* bytes from slice to slice; 0: no gaps */
  guint32 x, y, z;      /* first column, row and slice */
  guint32 sample;       /* of a multisampled image */

  /* Of a part of what an acceleration structure was serialised to, which only initial state has. */
  guint64 structure; /* VkAccelerationStructureKHR; 0: this is not about one */
  guint64 whole;     /* bytes of all parts; .offset is this one's */

  /* VtrHandleId of the object whose contents these are: its API builds the write. VTR_HANDLE_NONE: unknown to this build. */
  guint32 kind;
  const VtrTexelContents *texels; /* (nullable): then only .kind, .data and .size have a meaning beside it */
} VtrMappedWrite;

/* Whether it is about memory, not about an object whose bytes are the driver's business. */
static inline gboolean
vtr_mapped_write_is_memory (const VtrMappedWrite *self)
{
  return self->image == 0 && self->structure == 0 && self->texels == NULL;
}

/* Visits the writes that precede command @index, in order; @nth counts them from 0. @load: with
 * .data, which is valid until the visitor returns. Returns: FALSE with @error, the visitor's or its
 * own. */
typedef gboolean (*VtrTraceWriteVisitor) (const VtrMappedWrite *write,
                                          gsize nth,
                                          gpointer data,
                                          GError **error);
gboolean vtr_trace_each_mapped_write (VtrTrace              *self,
                                      guint64                index,
                                      gboolean               load,
                                      VtrTraceWriteVisitor   visit,
                                      gpointer               data,
                                      GError               **error);

/* The end of a search, so that the next one, for a later write, can continue there.
 * Zero-initialised. */
typedef struct
{
  guint64 index;
  guint mark;
  gsize nth;
} VtrMappedWriteCursor;

/* Finds the @nth of them, with .data in @arena. Returns: FALSE (without @error: there is none). */
gboolean vtr_trace_find_mapped_write (VtrTrace              *self,
                                      guint64                index,
                                      gsize                  nth,
                                      VtrMappedWriteCursor  *cursor,
                                      VtrArena              *arena,
                                      VtrMappedWrite        *out,
                                      GError               **error);

/* Lists them all, contents in @arena: not for what may be large. Returns: how many; G_MAXSIZE with
 * @error. */
gsize vtr_trace_get_mapped_writes (VtrTrace              *self,
                                   guint64                index,
                                   VtrArena              *arena,
                                   const VtrMappedWrite **out,
                                   GError               **error);

/* The data that the layer recorded about each VkDevice at its creation (native structures, transfer
 * none). */
typedef struct
{
  guint64 device;          /* VkDevice handle at that time */
  guint64 physical_device; /* VkPhysicalDevice */
  guint64 command;         /* flat index of its vkCreateDevice */
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  guint32 n_queue_families;
  const VkQueueFamilyProperties *queue_families;
} VtrTraceDevice;

guint vtr_trace_get_n_devices (VtrTrace *self);
const VtrTraceDevice *vtr_trace_get_device (VtrTrace *self,
                                            guint     nth);

G_END_DECLS
