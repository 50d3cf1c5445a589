/* The options of a capture: which program, and when. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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
  gboolean wait;                  /* .argv is not used: waits for a program that is started
                                     elsewhere with VITRINE_CAPTURE=1 */
  const char *directory;          /* working directory; NULL: ours */
  const char *const *environment; /* extra "NAME=value"; NULL: none */
  const char *output;             /* .gfxtrace to write; NULL: a fresh name in the default folder.
                                     Later captures: see vtr_capture_number_path () */
  VtrCaptureTrigger trigger;
  guint64 frame;         /* AT_FRAME */
  double seconds;        /* AFTER_SECONDS */
  guint64 n_frames;      /* of a capture; 0: until stop or exit, and 1 if not from launch */
  guint64 every;         /* frames between the beginnings of two captures; 0: do not repeat */
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

/* The path of capture @nth (from 1) of a run: "%d" in the name of @path is replaced by @nth;
 * without it, the second one is called NAME-2.gfxtrace, and so on. (transfer full) */
char *vtr_capture_number_path (const char *path,
                               guint       nth);

G_END_DECLS
