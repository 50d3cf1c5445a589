/* A capture on this computer: launches a program with the layer, drains its ring into a trace. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VTR_CAPTURE_ERROR (vtr_capture_error_quark ())
GQuark vtr_capture_error_quark (void);

typedef enum
{
  VTR_CAPTURE_ERROR_PROGRAM,   /* not found, not executable, could not be started */
  VTR_CAPTURE_ERROR_NO_VULKAN, /* ended without ever loading the layer */
  VTR_CAPTURE_ERROR_ENDED,     /* a signal ended it before it loaded the layer */
  VTR_CAPTURE_ERROR_NO_DRIVER, /* no Vulkan driver is installed, or the instance/device could not be made */
  VTR_CAPTURE_ERROR_NOTHING,   /* ended before any call was recorded */
  VTR_CAPTURE_ERROR_LAYER,     /* the layer is missing or of another version */
  VTR_CAPTURE_ERROR_SPACE,     /* no space for the ring or the trace; what was written is kept */
  VTR_CAPTURE_ERROR_OPTIONS,   /* options that do not go together */
  VTR_CAPTURE_ERROR_DECLINED,  /* the program's state could not be taken in the middle of its run */
  VTR_CAPTURE_ERROR_FAILED,
} VtrCaptureError;

/* When a capture begins. */
typedef enum
{
  VTR_CAPTURE_FROM_LAUNCH,
  VTR_CAPTURE_AT_FRAME,      /* with the frame of that number, presents counted from 0 */
  VTR_CAPTURE_AFTER_SECONDS, /* with the first frame that begins so long after the launch */
  VTR_CAPTURE_BY_HAND,       /* vtr_capture_session_trigger () */
} VtrCaptureTrigger;

/* What to capture. Copied. */
typedef struct
{
  const char *const *argv;        /* NULL-terminated; argv[0] is looked up in PATH */
  gboolean wait;                  /* .argv is not used: a program that somebody else starts with
                                     VITRINE_CAPTURE=1 */
  const char *directory;          /* working directory; NULL: ours */
  const char *const *environment; /* extra "NAME=value"; NULL: none */
  const char *output;             /* .gfxtrace to write; NULL: a fresh name in the default folder.
                                     Later captures: see vtr_capture_number_path () */
  VtrCaptureTrigger trigger;
  guint64 frame;         /* AT_FRAME */
  double seconds;        /* AFTER_SECONDS */
  guint64 n_frames;      /* of a capture; 0: until stop or exit, and 1 if not from launch */
  guint64 every;         /* begin again so many frames after each beginning; 0: do not */
  guint64 times;         /* captures to make; 0: 1, without limit with .every or by hand */
  gboolean trim;         /* leave out what the frames of a capture do not need; not FROM_LAUNCH */
  gboolean keep_running; /* leave the program alone when the recording ends */
  gboolean crash_mode;
  const char *const *only;   /* record only processes with one of these names; "*" and "?" stand for
                              anything; NULL: all */
  const char *const * not ;  /* never record processes with one of these names; NULL: none */
  gboolean stdout_to_stderr; /* what the program prints goes to our standard error */
} VtrCaptureOptions;

/* Whether the options make sense together. FALSE with a sentence, VTR_CAPTURE_ERROR_OPTIONS. */
gboolean vtr_capture_options_check (const VtrCaptureOptions  *options,
                                    GError                  **error);

/* Where the @nth capture (from 1) of a run goes: "%d" in the name of @path is replaced by @nth,
 * else the second is called NAME-2.gfxtrace, and so on. (transfer full) */
char *vtr_capture_number_path (const char *path,
                               guint       nth);

typedef enum
{
  VTR_CAPTURE_STATE_LAUNCHING, /* the process runs, the layer has not said hello */
  VTR_CAPTURE_STATE_WAITING,   /* the layer is in; no call recorded yet */
  VTR_CAPTURE_STATE_IDLE,      /* the program runs, nothing is recorded until the trigger */
  VTR_CAPTURE_STATE_RECORDING,
  VTR_CAPTURE_STATE_FINISHING, /* recording ended; the file is being completed */
  VTR_CAPTURE_STATE_DONE,
  VTR_CAPTURE_STATE_FAILED,
} VtrCaptureState;

typedef enum
{
  VTR_CAPTURE_RUNG_PENDING,
  VTR_CAPTURE_RUNG_DONE,
  VTR_CAPTURE_RUNG_TRIED, /* attempted, failed */
} VtrCaptureRungState;

typedef struct
{
  VtrCaptureRungState state;
  gint64 time;      /* µs since launch */
  const char *fact; /* "Vulkan 1.3, 4 extensions"; never NULL */
} VtrCaptureRungInfo;

typedef struct
{
  VtrCaptureState state;
  GPid pid;          /* of the captured process; the launched one until a layer registers */
  guint64 presented; /* frames that the program has presented since its launch */
  guint64 frames;    /* recorded, in all traces of the process; likewise: */
  guint64 commands;
  guint64 draws;
  guint64 bytes;
  guint64 current_frames;   /* in the trace that is being recorded */
  guint n_captures;         /* complete ones, of all processes */
  double frames_per_second; /* over the last second; 0 unknown */
  gint64 elapsed;           /* µs since launch */
  guint n_processes;        /* processes that loaded the layer */
  guint n_missed;           /* those that were to be recorded and are not */
} VtrCaptureStats;

typedef enum
{
  VTR_CAPTURE_PROCESS_IDLE, /* runs; nothing is recorded yet */
  VTR_CAPTURE_PROCESS_RECORDING,
  VTR_CAPTURE_PROCESS_RECORDED,    /* all that was asked for */
  VTR_CAPTURE_PROCESS_PASSED_OVER, /* is not to be recorded */
  VTR_CAPTURE_PROCESS_ENDED,
  VTR_CAPTURE_PROCESS_MISSED, /* was to be recorded and is not */
} VtrCaptureProcessState;

/* A process that loaded the layer. */
typedef struct
{
  guint pid;
  guint parent_pid;
  char *name; /* of its executable */
  VtrCaptureProcessState state;
  gboolean has_device;
  guint64 presented; /* frames */
} VtrCaptureProcessInfo;

/* A trace that is complete. */
typedef struct
{
  char *path;
  guint pid;
  guint nth;           /* of its process, from 1 */
  guint64 first_frame; /* its first frame's number in the run of the program, from 0 */
  guint64 frames;
  guint64 commands;
  guint64 draws;
  guint64 bytes;
} VtrCaptureTrace;

VtrCaptureTrace *vtr_capture_trace_copy (const VtrCaptureTrace *self);
void vtr_capture_trace_free (VtrCaptureTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrCaptureTrace, vtr_capture_trace_free)

/**
 * VtrCaptureSession:
 *
 * Signals: "changed" (state, rungs, statistics: at most every 50 ms), "notice" (gchar *text),
 * "captured" (VtrCaptureTrace *trace): one more is complete; before the session is done.
 * Property: "state". Threading: main (all work happens on its own threads; signals come in the
 * creator's main context).
 */
#define VTR_TYPE_CAPTURE_SESSION (vtr_capture_session_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureSession, vtr_capture_session, VTR, CAPTURE_SESSION, GObject)

/* Starts the program. Returns: (transfer full): or NULL with a sentence in @error. */
VtrCaptureSession *vtr_capture_session_start (const VtrCaptureOptions  *options,
                                              GError                  **error);

/* Begins a capture with one of the next frames of every process that has a device (Capture Frame
 * button, signal): it is prepared in some frames before. One that is being made is completed first.
 * FALSE with a sentence when none can be made now. */
gboolean vtr_capture_session_trigger (VtrCaptureSession  *self,
                                      GError            **error);

VtrCaptureTrigger vtr_capture_session_get_trigger (VtrCaptureSession *self);

/* Waits until all is complete. Result: path of the first trace (transfer full). */
void vtr_capture_session_wait_async (VtrCaptureSession   *self,
                                     GCancellable        *cancellable,
                                     GAsyncReadyCallback  callback,
                                     gpointer             data);
char *vtr_capture_session_wait_finish (VtrCaptureSession  *self,
                                       GAsyncResult       *result,
                                       GError            **error);

/* Ends the recording (Capture/Stop button, SIGINT). @end_program: then SIGTERM, after 2 s
 * SIGKILL. */
void vtr_capture_session_stop (VtrCaptureSession *self,
                               gboolean           end_program);

void vtr_capture_session_get_stats (VtrCaptureSession *self,
                                    VtrCaptureStats   *out);
/* Of VtrCaptureProcessInfo: who loaded the layer, in that order. (transfer full) */
GPtrArray *vtr_capture_session_list_processes (VtrCaptureSession *self);
/* @rung: VtrCaptureRungKind of wire/vtr-capture-proto.h */
void vtr_capture_session_get_rung (VtrCaptureSession  *self,
                                   guint               rung,
                                   VtrCaptureRungInfo *out);
/* One sentence naming the first missing rung and its likely cause; NULL when nothing is missing. */
char *vtr_capture_session_explain (VtrCaptureSession *self);
/* What the driver offers and the program was not told of: extensions, "Vulkan 1.4". (transfer full) */
char **vtr_capture_session_dup_withheld (VtrCaptureSession *self);
const char *vtr_capture_session_get_path (VtrCaptureSession *self);
/* When all is done and there is a trace: a sentence on the signal that ended the program, which is also
 * the last of the notices; NULL: none did, or it was ours. */
const char *vtr_capture_session_get_ending (VtrCaptureSession *self);
/* Of VtrCaptureTrace, in order of completion. (transfer none) */
GPtrArray *vtr_capture_session_get_traces (VtrCaptureSession *self);
const char *vtr_capture_session_get_program (VtrCaptureSession *self);

/* What became of a recovery. */
typedef struct
{
  GStrv paths;        /* of the traces that were completed */
  GPtrArray *notices; /* of char *: sentences about the rest */
  guint n_failed;     /* recordings that are still there and could not be completed */
} VtrCaptureRecovery;

void vtr_capture_recovery_free (VtrCaptureRecovery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrCaptureRecovery, vtr_capture_recovery_free)

/* Completes what earlier runs left behind. Only files are touched whose recording a ring or the
 * journal of this user names, and that nobody else has open; an existing trace is kept, and a name
 * beside it is taken. Blocks. */
VtrCaptureRecovery *vtr_capture_recover (GError **error);

/* Completes these unfinished files (strv), whoever made them, as far as they are Vitrine's. */
VtrCaptureRecovery *vtr_capture_recover_files (const char *const *files,
                                               GError           **error);

G_END_DECLS
