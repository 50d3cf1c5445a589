/* Runs payloads: a subprocess, or nothing (tests). */
#pragma once

#include "engine/replay/vtr-replay-device.h"
#include "wire/vtr-replay-functions.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define VTR_REPLAY_ERROR (vtr_replay_error_quark ())
GQuark vtr_replay_error_quark (void);

typedef enum
{
  VTR_REPLAY_ERROR_START,       /* the replayer is missing or does not start */
  VTR_REPLAY_ERROR_DRIVER,      /* no driver, or none that can run the trace */
  VTR_REPLAY_ERROR_DIED,        /* the replayer ended while running a command */
  VTR_REPLAY_ERROR_LOST,        /* it ended before, with the state that a request was to go on from:
                                   nothing has run, and a request from the beginning may */
  VTR_REPLAY_ERROR_CALL,        /* a call failed that succeeded in the capture */
  VTR_REPLAY_ERROR_PAYLOAD,     /* the instructions broke a rule of the machine */
  VTR_REPLAY_ERROR_TRACE,       /* the trace lacks what the replay needs */
  VTR_REPLAY_ERROR_UNSUPPORTED, /* the request cannot be answered for this command */
  VTR_REPLAY_ERROR_ADDRESS,     /* a buffer cannot be where the program knows it to be */
  VTR_REPLAY_ERROR_UNWRITTEN,   /* the image to read holds nothing yet */
} VtrReplayError;

/* A content the payload refers to by number (RESOURCE n counts over all segments of a request). */
typedef struct
{
  guint64 hash[2]; /* XXH3-128 of the content: key of the replayer's cache */
  guint64 size;
} VtrReplayResource;

/* A piece of payload. Segments run in the order they are sent, while later ones are still being
 * built. */
typedef struct
{
  const guint8 *constants; /* appended to constant memory */
  gsize constants_size;
  const guint32 *opcodes;
  gsize n_opcodes;
  const VtrReplayResource *resources; /* appended to the resource list */
  gsize n_resources;
} VtrReplaySegment;

/* A rule that a validated request broke. */
typedef struct
{
  int level;      /* VtrLogLevel: error or warning */
  guint64 label;  /* command that was running: low 26 bits of its flat index */
  const char *id; /* "VUID-vkCmdDraw-None-02700" */
  const char *text;
  const guint64 *slots;   /* volatile addresses of the handles it is about */
  const guint64 *handles; /* what they hold: the replay's own, as .text has them */
  gsize n_slots;
} VtrReplayComplaint;

/* Callbacks of one request, made on the thread that runs it. */
typedef struct
{
  /* Returns: (transfer full): content of resource @number, or NULL with @error. */
  GBytes *(*get_resource) (guint64    number,
                           gpointer   data,
                           GError   **error);
  /* @bytes is valid during the call only (it lies in shared memory); copy bytes to keep them. */
  void (*posted) (guint64 post,
                  const guint8 *bytes,
                  gsize size,
                  gpointer data);
  void (*progress) (guint64 label,
                    gpointer data); /* command now running; at most every 50 ms */
  void (*message) (int level,       /* VtrLogLevel */
                   guint64 label,
                   const char *text,
                   gpointer data);
  void (*complaint) (const VtrReplayComplaint *complaint,
                     gpointer data);
} VtrReplayEvents;

/* How a request ended. */
typedef struct
{
  gboolean failed;
  guint64 label;          /* command that was running when it failed: low 26 bits of its flat index */
  guint64 n_calls;        /* API calls made */
  guint64 n_addresses;    /* that the program asked for and that are as captured */
  guint64 n_groups;       /* handles of shader groups that are as captured */
  guint64 n_other_groups; /* handles of shader groups that differ here, and were changed where the program has them */
  gint64 microseconds;    /* time in the machine */
  gboolean kept;          /* a state is kept for requests with VTR_REPLAY_RESUME */
} VtrReplayOutcome;

typedef struct _VtrReplayBackend VtrReplayBackend;

/* A backend's functions. One request at a time: begin, send…, finish. All block; run them on a
 * worker. */
typedef struct
{
  /* @cancellable: (nullable): stops the machine at the next call; then send() fails. */
  gboolean (*begin) (VtrReplayBackend *self,
                     guint32 flags,
                     const VtrReplayEvents *events,
                     gpointer data,
                     GCancellable *cancellable,
                     GError **error);
  gboolean (*send) (VtrReplayBackend *self,
                    const VtrReplaySegment *segment,
                    GError **error);
  /* Runs the rest, tears down what the request made, reports. @cancellable: stops at the next
   * call. On the replayer's death: FALSE with VTR_REPLAY_ERROR_DIED, outcome->label set; the
   * next begin() starts a new one. */
  gboolean (*finish) (VtrReplayBackend *self,
                      VtrReplayOutcome *outcome,
                      GCancellable *cancellable,
                      GError **error);
  /* The devices there are, by API and in the order of its drivers; between requests. Returns: (transfer full): of
   * VtrReplayDevice, at least one. Errors: START, DRIVER, DIED, G_IO_ERROR_CANCELLED. */
  GPtrArray *(*describe) (VtrReplayBackend  *self,
                          GCancellable      *cancellable,
                          GError           **error);
  /* Asks the replayer's half of @api a question in the API's own words (vtr-replay.proto), which fits in a packet;
   * between requests. @answer gets the @answer_size bytes of the answer. Errors: as of describe; DRIVER where there
   * is no such answer. */
  gboolean (*ask) (VtrReplayBackend *self,
                   const VtrApi *api,
                   gconstpointer question,
                   gsize question_size,
                   gpointer answer,
                   gsize answer_size,
                   GCancellable *cancellable,
                   GError **error);
  void (*free) (VtrReplayBackend *self);
  /* Whether the state that the last request kept is still there. NULL: never. begin() with
   * VTR_REPLAY_RESUME fails without one. */
  gboolean (*is_kept) (VtrReplayBackend *self);
} VtrReplayBackendClass;

struct _VtrReplayBackend
{
  const VtrReplayBackendClass *klass;
};

/* The subprocess; started at the first begin(), kept alive between requests. @driver:
 * VkPhysicalDevice to use, by name, or NULL for the best fit. */
VtrReplayBackend *vtr_replay_process_new (const char *driver);

/* Like vtr_replay_process_new (), for the trace in the file with @version (vtr-file-version.h).
 * Files that drivers keep for one trace are not visible to replays of other traces, nor to
 * replayers without a trace. */
VtrReplayBackend *vtr_replay_process_new_for_trace (const char *version);

/* Starts a replayer for the next backend of this process that needs one for the trace at @path, so
 * that it loads the drivers while the trace is opened. Any thread; runs in a thread of its own.
 * Errors are reported by the first request that needs it. */
void vtr_replay_process_prepare (const char *path);
/* Ends it if no backend has taken it, because the trace could not be opened. */
void vtr_replay_process_drop_prepared (void);

/* The devices that @backend describes, asked once per process. Blocks. Returns: (transfer full): as
 * of .describe. */
GPtrArray *vtr_replay_device_list (VtrReplayBackend  *backend,
                                   GCancellable      *cancellable,
                                   GError           **error);

/* The devices that a program would find which has @environment ("NAME=value"; (nullable)) besides ours;
 * asked of a replayer of its own, each time. Blocks. (transfer full): as of .describe. */
GPtrArray *vtr_replay_process_list_devices (const char *const *environment,
                                            GError           **error);

/* Counts and checks instructions, calls nothing. For tests. */
VtrReplayBackend *vtr_replay_null_new (void);
/* Says that @devices (VtrReplayDevice) are there. */
void vtr_replay_null_set_devices (VtrReplayBackend *backend,
                                  GPtrArray        *devices);
/* The answer to every question whose answer is of this size. */
void vtr_replay_null_set_answer (VtrReplayBackend *backend,
                                 gconstpointer     answer,
                                 gsize             size);

G_END_DECLS
