/* What vtr-save.c and vtr-mark.c share. Threading: the replayer's one thread. */
#pragma once

#include "vtr-overrides.h"

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
