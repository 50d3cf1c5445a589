/* The state of semaphores and events once all submitted work has run, and whether the queues wait
 * for a signal that comes later in the trace.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

/* A submission that waits for a timeline value, or an event, for which no signal was submitted
 * yet. */
typedef struct VtrBlockedWait
{
  VtrHandleId type; /* VkSemaphore or VkEvent */
  uint64_t handle;
  uint64_t value; /* of an event: how often it was reset before */
} VtrBlockedWait;

void vtr_sync_block (VtrReplayVk           *vk,
                     const VtrReplayObject *object,
                     uint64_t               value);

/* Whether the queues wait for a semaphore or an event that is signalled only later in the trace: a
 * wait for the queues would hang. */
bool vtr_sync_is_blocked (VtrReplayVk *vk);

/* Fails the machine with a sentence if vtr_sync_is_blocked (). Returns: true when not blocked. */
bool vtr_sync_check (VtrReplayVk *vk);

/* Signals the semaphores and sets the events that the queues wait for, so that they run empty.
 * Their results are meaningless then. */
void vtr_sync_unblock (VtrReplayVk *vk);

void vtr_sync_note_signal (VtrReplayVk *vk,
                           uint64_t     semaphore,
                           bool         signaled);

/* Notes the effects of a submitted command buffer on events. */
void vtr_events_submitted (VtrReplayVk     *vk,
                           VkCommandBuffer  commands);

/* Notes the effect of a host call on an event. */
void vtr_events_note (VtrReplayVk     *vk,
                      VtrReplayObject *event,
                      bool             set);

/* Frees the data about a command buffer. */
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
