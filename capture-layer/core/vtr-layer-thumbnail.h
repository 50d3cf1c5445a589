/* Commits the picture of a recording, from which the host makes a thumbnail (VTR_RECORD_PICTURE).
 *
 * An API copies the image that the last frame presents (C14). A recording from launch commits it before it ends. After
 * other recordings a thread of low priority does, so that the program waits neither for the device nor for the rows; if
 * the program exits first, they are committed at exit.
 *
 * Threading: any. */
#pragma once

#include "vtr-capture-core.h"
#include "vtr-layer-thread.h"

/* The lock of everything that copies pictures. */
void vtr_layer_thumbnail_lock (void);
void vtr_layer_thumbnail_unlock (void);

/* The picture that was copied last is of @names; NULL: there is none. With the lock. */
void vtr_layer_thumbnail_set (VtrNamespace *names);

/* A recording will end soon: starts the thread. With the lock. */
void vtr_layer_thumbnail_prepare (void);

/* Commits the picture that was copied last, if there is one, once the device is done with it. Waits some
 * milliseconds at most; a picture that takes longer is given up. */
void vtr_layer_thumbnail_commit (VtrLayerThread *thread);

/* Call it when the recording has ended: a thread of the layer commits the picture that was copied
 * last. If no thread can be started, @thread commits it. Either of them then calls @delivered. */
void vtr_layer_thumbnail_deliver (VtrLayerThread *thread,
                                  void (*delivered) (void));

/* @names is about to end: commits its picture where programs are followed, and forgets it. With the lock. */
void vtr_layer_thumbnail_forget (VtrNamespace *names);
