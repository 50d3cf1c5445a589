/* What semaphores and events will have become once all that was submitted has run, and whether the queues wait for
 * what only comes later in the trace signals.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

/* A submission waits for a timeline value, or an event, that nobody has promised yet. */
typedef struct VtrBlockedWait
{
  VtrHandleId type; /* VkSemaphore or VkEvent */
  uint64_t handle;
  uint64_t value; /* of an event: how often it was reset before */
} VtrBlockedWait;

void vtr_sync_block (VtrReplayVk           *vk,
                     const VtrReplayObject *object,
                     uint64_t               value);

/* The queues wait for a semaphore or an event that only what comes later in the trace signals: whoever waits
 * for them hangs. */
bool vtr_sync_is_blocked (VtrReplayVk *vk);

/* As above, failing the machine with a sentence. Returns: true when not blocked. */
bool vtr_sync_check (VtrReplayVk *vk);

/* Signals and sets what is waited for, so that the queues run empty. Their results mean nothing then. */
void vtr_sync_unblock (VtrReplayVk *vk);

void vtr_sync_note_signal (VtrReplayVk *vk,
                           uint64_t     semaphore,
                           bool         signaled);

/* What a submitted command buffer will do to events. */
void vtr_events_submitted (VtrReplayVk     *vk,
                           VkCommandBuffer  commands);

/* What the host does to an event. */
void vtr_events_note (VtrReplayVk     *vk,
                      VtrReplayObject *event,
                      bool             set);

/* Frees what is known of a command buffer. */
void vtr_events_forget (VtrReplayObject *commands);

void vtr_sync_note_sparse (VtrReplayVk            *vk,
                           uint32_t                n,
                           const VkBindSparseInfo *infos);

/* Until all devices have done all that was submitted. Returns: false after vtr_vm_fail(). */
bool vtr_sync_wait_for_devices (VtrReplayVk *vk);

/* (u64 device, u64 event) */
uint64_t vtr_synthetic_wait_event (void *context, const uint64_t *args);
/* () */
/* VtrReplayerApi.settle () */
void vtr_sync_settle (void *data);
