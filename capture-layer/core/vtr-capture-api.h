/* C: the functions of a recorded API that the core of the capture layer calls (docs/design/api.md, 3.2).
 *
 * An API is a constant table, which is registered once with vtr_capture_core_add_api (), before any of its calls is recorded.
 * Members may be NULL unless their comment says otherwise; then the answer is "no" and nothing is done.
 *
 * Threading: as each member says. The core holds none of its locks while it asks, unless a member says so. */
#pragma once

#include "api/vtr-api-walk.h"
#include "wire/vtr-ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct VtrNamespace VtrNamespace;

/* How far the gate is closed (vtr-layer-gate.h). */
typedef enum
{
  VTR_LAYER_GATE_OPEN,
  VTR_LAYER_GATE_AWAITED, /* all calls pass except those that give the device work which its current
                             work does not wait for, and those that wait for all of its work */
  VTR_LAYER_GATE_SIGNALS, /* only calls pass that may end a wait (signals, submissions) or that come
                             before such calls (waits) */
  VTR_LAYER_GATE_CLOSED,
  VTR_LAYER_GATE_PAUSED, /* closed by vtr_layer_gate_pause() */
} VtrLayerGateState;

/* How the core handles calls of a command outside of command lists. */
typedef enum
{
  VTR_CALL_NEEDS_MESSAGE = 1, /* encodes them even while nothing is recorded, for @follow */
  VTR_CALL_IS_FOLLOWED = 2,   /* has them followed */
  VTR_CALL_RESTS = 4,         /* the driver may keep them for long, waiting for the device or another thread: the thread
                                 counts as outside meanwhile */
  VTR_CALL_READS_STATE = 8,   /* has @observe_state asked, whether or not a capture may begin mid-run */
} VtrCallTraits;

typedef enum
{
  VTR_QUIESCE_MARK, /* marks the end of the work that the device has been given */
  VTR_QUIESCE_WAIT, /* waits for the marks that were not reached yet */
} VtrQuiesceStep;

typedef struct VtrLayerLate VtrLayerLate;
typedef struct VtrLayerGatePlace VtrLayerGatePlace;
typedef struct VtrLayerThread VtrLayerThread;
typedef struct VtrLayerCall VtrLayerCall;
typedef struct VtrLayerBatch VtrLayerBatch;

#define VTR_LAYER_WHY_MAX 256 /* bytes of a sentence that says why something cannot be done */

/**
 * VtrCaptureLate:
 *
 * C13. How an API copies contents after the cut; it says at the cut, with vtr_layer_late_add(), of which namespaces there
 * are any. All members are required. All but @is_harmless are asked with the lock of vtr-layer-late.c.
 */
typedef struct
{
  /* Whether no call of @cmd changes the contents of its objects. */
  bool (*is_harmless) (VtrCmdId cmd);

  /* Notes all that the driver's part of a call may change, for @copy_wanted. Returns: whether there is any. */
  bool (*touch) (VtrLayerLate *late,
                 VtrCmdId cmd,
                 const void *args);

  /* Copies the noted contents, or drops them. @place, of the calling thread, is outside, and is
   * afterwards. */
  void (*copy_wanted) (VtrLayerLate *late,
                       VtrLayerGatePlace *place);

  /* Copies the next piece, about 1 to 8 MiB. @place: of the layer's thread, outside. Returns: false when the program
   * did not come to rest by @deadline (CLOCK_MONOTONIC, ms). */
  bool (*copy_piece) (VtrLayerLate *late,
                      VtrLayerGatePlace *place,
                      int64_t deadline);

  /* Leaves out what needs the device. @why: a constant part of a sentence */
  void (*give_up) (VtrLayerLate *late,
                   const char *why);

  /* Fills the rest of the tickets, reports missing contents, and frees @late. */
  void (*finish) (VtrLayerLate *late);
} VtrCaptureLate;

typedef struct
{
  const char *name;       /* for people and log files */
  VtrCmdId first_command; /* its commands are the @n_commands from this one on */
  uint32_t n_commands;

  /* Asked once for each command, when the API is added. Returns: VtrCallTraits. NULL: none has any. */
  uint8_t (*get_traits) (VtrCmdId cmd);

  /**
   * observe_state:
   * @sink: gets every range of memory that the driver is about to read through pointers that earlier calls left
   *
   * C2. Asked before each recorded call that READS_STATE, by its thread. Required if there is one.
   */
  void (*observe_state) (const VtrLayerCall *call,
                         const void *args,
                         VtrObserveSink sink,
                         void *data);

  /**
   * follow:
   * @call: its message is in the thread's scratch from .start on, if the command NEEDS_MESSAGE
   *
   * C3. Notes what a call has created, changed or ended, while a capture may begin in the middle of the run. Called after the
   * driver has returned, whether the call succeeded or not; for calls that are committed before the driver gets them, before
   * that, with a @result of 0. Required if a command IS_FOLLOWED.
   */
  void (*follow) (const VtrLayerCall *call,
                  const void *args,
                  uint64_t result);

  /**
   * may_pass:
   * @state: VTR_LAYER_GATE_AWAITED or VTR_LAYER_GATE_SIGNALS
   * @args: of the call, if it gives the device work or may end a wait (vtr_layer_thread_enter_signaller()); else NULL
   *
   * C4. Whether a call passes the gate while it is neither open nor closed. Called by the thread that makes the call, outside,
   * again and again until it passes. NULL: no call passes. Calls that return from a wait always pass.
   */
  bool (*may_pass) (VtrLayerGateState state,
                    VtrCmdId cmd,
                    const void *args);

  /**
   * quiesce:
   * @deadline: CLOCK_MONOTONIC, ms; of VTR_QUIESCE_WAIT
   *
   * C5. One step to an idle device. The core does the rest: it closes the gate, tries again, and lets calls through for which
   * the marks wait. Called by the thread that makes the cut; all others are outside when it marks. Returns: false if a mark
   * could not be made, or some were not reached by @deadline.
   */
  bool (*quiesce) (VtrQuiesceStep step,
                   int64_t deadline);

  /* C6. What only the thread of a context can do when a recording begins, such as reading its window. Asked once for each
   * thread that has a context, by that thread, while all are outside of calls; one after the other. */
  void (*errand) (VtrLayerThread *thread);

  /**
   * write_state:
   * @thread: the calling one
   * @why: (out): a sentence when it fails
   *
   * C7, C8. Commits everything with which a recording begins in the log of @thread: the calls that created the living objects,
   * calls that restore their state, and contents. Collecting writes to mapped memory begins with the contents (C10). The program
   * is stopped. Returns: false if no recording can begin. NULL: a recording that begins in the
   * middle of the run has only the calls from there on, and cannot be replayed.
   */
  bool (*write_state) (VtrLayerThread *thread,
                       char why[VTR_LAYER_WHY_MAX]);

  /**
   * recording_changed:
   * @recording: false: it has ended, or could not begin
   *
   * C10. Asked with the lock of namespaces.
   */
  void (*recording_changed) (VtrNamespace *names,
                             bool recording);

  const VtrCaptureLate *late; /* NULL: everything is copied at the cut */

  /**
   * get_picture:
   * @rows: (out): @size bytes, borrowed until the lock is given back
   *
   * C14. Gives the picture that the API copied at the end of the last frame and reported with
   * vtr_layer_thumbnail_set(); waits at most some milliseconds for it. Required if that function is
   * used. Called with the lock of vtr-layer-thumbnail.h. Returns: false when there is none.
   */
  bool (*get_picture) (VtrNamespace *names,
                       VtrRingPicture *head,
                       const uint8_t **rows,
                       size_t *size);

  /**
   * count_ahead:
   * @frame_ms: how long frames take
   *
   * C15. The number of frames before a cut in which there is something to prepare. A cut that may come at any time is delayed by
   * as many frames.
   */
  uint32_t (*count_ahead) (int64_t frame_ms);

  /* C15. Does a frame's part of the preparation. @n_frames: until the cut; from 1 */
  void (*prepare) (uint64_t n_frames);

  /**
   * tidy:
   * @last: also what is kept for another recording
   *
   * C15. No cut is planned: frees, in steps of a frame, data that was prepared, or used by the last
   * recording. Returns: whether there is more.
   */
  bool (*tidy) (bool last);
} VtrCaptureApi;
