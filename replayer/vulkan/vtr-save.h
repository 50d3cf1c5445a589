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
                       uint64_t     serial);
void vtr_save_free (VtrSave *self);

void vtr_marks_free (VtrSave *inner);

/* Forgets the saved state; its objects then belong to the request. */
void vtr_save_drop (VtrReplayVk *vk);

/* The object is destroyed forever: no request goes back to a state that had it. */
void vtr_save_lost (VtrReplayVk           *vk,
                    const VtrReplayObject *object);

/* Members of VtrReplayerApi; @data is the VtrReplayVk. vtr_save_rewind () waits for the devices, destroys
 * objects created since the state was saved, and restores it; memory of an inner state is left for
 * vtr_marks_go_to (). */
bool vtr_save_keep (void *data);
bool vtr_save_rewind (void *data,
                      bool  inner);
bool vtr_marks_set (void            *data,
                    uint64_t         id,
                    VtrReplayerMark *taken);
bool vtr_marks_go_to (void     *data,
                      uint64_t  id);
void vtr_marks_forget (void     *data,
                       uint64_t  id);
