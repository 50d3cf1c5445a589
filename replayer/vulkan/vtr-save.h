/* Kept states, which later requests start from, and marks on top of them.
 *
 * Threading: the replayer's one thread. */
#pragma once

#include "vtr-vk-objects.h"

/* Memory is compared and copied by these. */
#define VTR_SAVE_PAGE 4096u

typedef struct
{
  VtrTable *table;
  VkDeviceMemory memory;
  uint64_t size;
  uint8_t *map;
  uint8_t *copy;
} VtrSavedMemory;

typedef struct
{
  VtrReplayObject *object;
  bool set;       /* fence, event, binary semaphore */
  uint64_t value; /* timeline */
} VtrSavedSync;

typedef struct VtrMark VtrMark;

/* A kept state, or the inner one on top of it: that has only the memory that was allocated since,
 * and marks. */
struct VtrSave
{
  uint64_t serial; /* of the first object made since */
  bool lost;       /* an older object is gone */
  uint64_t at;     /* of the slots in volatile memory */
  uint64_t size;
  uint8_t *slots;
  VtrSavedMemory *memory;
  size_t n_memory;
  size_t max_memory;
  VtrSavedSync *sync;
  size_t n_sync;
  size_t max_sync;
  uint64_t bytes;
  VtrSave *inner; /* owned */
  VtrMark *marks; /* of an inner state: linked list */
  uint64_t mark_bytes;
};

/* Keeps all objects made since @serial, and all sync objects. Returns: NULL where that cannot be. */
VtrSave *vtr_save_new (VtrReplayVk *vk,
                       uint64_t     serial,
                       const void  *slots,
                       uint64_t     size);
void vtr_save_free (VtrSave *self);

void vtr_marks_free (VtrSave *inner);

/* Forgets the kept state; what it holds lives on as the request's own. */
void vtr_save_drop (VtrReplayVk *vk);

/* The object is destroyed for good: nothing goes back to a state that had it. */
void vtr_save_lost (VtrReplayVk           *vk,
                    const VtrReplayObject *object);

/* Waits for the devices, destroys what was made since the state was kept, the inner one if there is
 * one, and puts it back; memory of an inner state is left for VTR_REPLAY_GO_TO_MARK. Returns: false
 * when that cannot be done: end then. */
bool vtr_save_rewind (VtrReplayVk *vk);

/* Gets ready for a request with VTR_REPLAY_RESUME and @flags: gives up the inner state when it is
 * not the one to resume. Returns: whether there is what to resume. */
bool vtr_save_resume (VtrReplayVk *vk,
                      uint32_t     flags);

/* (pointer slots, u64 size) */
uint64_t vtr_synthetic_save (void *context, const uint64_t *args);
/* (u64 mark, pointer slots, u64 size, u64 post) */
uint64_t vtr_synthetic_mark (void *context, const uint64_t *args);
/* (u64 mark) */
uint64_t vtr_synthetic_go_to_mark (void *context, const uint64_t *args);
uint64_t vtr_synthetic_forget_mark (void *context, const uint64_t *args);
