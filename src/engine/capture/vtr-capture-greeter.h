/* Answers programs that registered, one after the other. Making a ring and a trace for a program
 * takes milliseconds to seconds. Hundreds of programs may start at once, and none of them may
 * give up while it waits for its turn. */
#pragma once

#include "engine/capture/vtr-capture-control-events.h"

G_BEGIN_DECLS

typedef struct _VtrCaptureGreeter VtrCaptureGreeter;

/**
 * VtrCapturePeer:
 *
 * A connection. Shared by the control thread, which reads it, and the greeter, which answers it.
 */
typedef struct
{
  gatomicrefcount refs;
  int fd; /* owned */
  guint id;
  pid_t pid;              /* as it is here: a sandbox counts its own; 0: not to be seen from here */
  gboolean said_hello;    /* of the control thread */
  gboolean answered;      /* below the greeter's lock */
  gboolean gone;          /* below the greeter's lock */
  VtrCaptureHello *hello; /* NULL before it came, and once it is answered */
} VtrCapturePeer;

/* @fd: taken. */
VtrCapturePeer *vtr_capture_peer_new (int   fd,
                                      guint id,
                                      pid_t pid);
void vtr_capture_peer_unref (VtrCapturePeer *self);

/* @events: .hello and .missed are called on the greeter's thread, .hang_up on it or on the thread that
 * calls vtr_capture_greeter_hang_up (). Threading: new and free: main; the rest: control thread. */
VtrCaptureGreeter *vtr_capture_greeter_new (guint32                        options,
                                            const VtrCaptureControlEvents *events,
                                            gpointer                       data);
/* Programs still in line get no answer; their connections are closed with their peers. */
void vtr_capture_greeter_free (VtrCaptureGreeter *self);

/* Puts @peer in line. */
void vtr_capture_greeter_push (VtrCaptureGreeter     *self,
                               VtrCapturePeer        *peer,
                               const VtrCaptureHello *hello);
/* @peer has closed its connection. */
void vtr_capture_greeter_hang_up (VtrCaptureGreeter *self,
                                  VtrCapturePeer    *peer);
/* The number of programs that have not been answered, also of those that have ended. */
guint vtr_capture_greeter_get_length (VtrCaptureGreeter *self);
/* Tells everybody in line to go on waiting. Returns: whether anybody is. */
gboolean vtr_capture_greeter_ask_for_patience (VtrCaptureGreeter *self);

G_END_DECLS
