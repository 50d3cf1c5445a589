/* The memory that one command reads and writes, from its API and its arguments. Threading: one at a
 * time. */
#pragma once

#include "engine/memory/vtr-memory-events.h"
#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

/* Ranges of one command that are listed. */
#define VTR_MEMORY_MAX_RANGES 4096

typedef struct _VtrMemoryList VtrMemoryList;

/* The command asked about. */
guint64 vtr_memory_list_get_index (const VtrMemoryList *self);
/* The run of the list that holds it; VTR_NO_RUN: none. */
guint32 vtr_memory_list_get_run (const VtrMemoryList *self);
/* When names mean what they mean to it: of a command in a list, the one that runs the list. */
guint64 vtr_memory_list_get_time (const VtrMemoryList *self);
/* (element-type VtrMemoryRange): so far. */
GArray *vtr_memory_list_get_ranges (VtrMemoryList *self);
gboolean vtr_memory_list_is_full (const VtrMemoryList *self);

/* One more range, if it has bytes and is not there yet. Takes what @range owns. */
void vtr_memory_list_add (VtrMemoryList  *self,
                          VtrMemoryRange  range);
/* The work of the GPU on ranges of the row of all spaces (VtrMemorySpace.base). @places: (element-type VtrRange): sorted
 * and joined here. */
void vtr_memory_list_add_places (VtrMemoryList *self,
                                 GArray        *places,
                                 guint          access,
                                 const char    *label);
/* Adds the program's memory that was observed for the arguments. */
void vtr_memory_list_add_arguments (VtrMemoryList    *self,
                                    const VtrCommand *command);
/* Loads the writes of a run that the pass over the trace stored. @events: initialised. */
void vtr_memory_list_load_run (VtrMemoryList   *self,
                               guint32          run,
                               VtrMemoryEvents *events);

G_END_DECLS
