/* A small capture host for the tests of the layer: answers its hello, drains its ring, and keeps
 * all records.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-test-ring.h"

#include "wire/vtr-capture-proto.h"

typedef enum
{
  VTR_TEST_HOST_WELCOME,
  VTR_TEST_HOST_DECLINE,
  VTR_TEST_HOST_BUSY,   /* answers late, and says that it will */
  VTR_TEST_HOST_SILENT, /* accepts and never answers */
  VTR_TEST_HOST_ABSENT, /* there is no socket */
  /* Welcomes that are none: */
  VTR_TEST_HOST_NO_FILE,  /* nothing comes along */
  VTR_TEST_HOST_DEVICE,   /* no file comes along, but a device */
  VTR_TEST_HOST_CUT_FILE, /* the ring is shorter than it says */
  VTR_TEST_HOST_SHORT,    /* the message is */
} VtrTestHostManner;

typedef struct
{
  VtrTestHostManner manner;
  VtrRingMode mode;
  guint32 frame_limit;
  guint32 trigger;       /* number of the request that is there from the beginning; 0: none */
  guint64 trigger_frame; /* that it is for */
  guint32 n_segments;
  guint64 vanish_after; /* frames after which the host goes away; 0: never */
  /* Asked every millisecond or so; once it says so the program gets SIGKILL. NULL: never. */
  gboolean (*kill_now) (gpointer data);
  gpointer kill_data;
  gboolean release;
  gboolean discard;   /* keep no records; implies release */
  gboolean no_layer;  /* run the program without the layer */
  const char *layers; /* more layers, in front of ours, separated by ':' */
} VtrTestHostOptions;

typedef struct
{
  VtrTestRing *ring;
  VtrCaptureHello hello; /* of the last process that said it */
  guint n_hellos;
  guint rungs; /* bit per VtrCaptureRungKind that was reached */
  char facts[VTR_CAPTURE_N_RUNGS][256];
  GPtrArray *notices;
  gboolean bye;
  gboolean timed_out; /* the program had to be killed */
  int status;         /* as of waitpid() */
  char *output;       /* standard output and error of the program */
} VtrTestHost;

/**
 * vtr_test_host_run:
 * @argv: NULL-terminated
 * @milliseconds: after which the program gets SIGTERM
 *
 * Runs a program under the layer and waits for its end.
 */
VtrTestHost *vtr_test_host_run (const VtrTestHostOptions        *options,
                                const char               *const *argv,
                                guint                            milliseconds);
void vtr_test_host_free (VtrTestHost *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTestHost, vtr_test_host_free)

/* Starts an X server of our own and sets DISPLAY. Returns: FALSE if there is none to start. */
gboolean vtr_test_display_start (void);
void vtr_test_display_stop (void);
