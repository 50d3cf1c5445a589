/* A list of the memory that one command reads and writes, while it is filled. */
#pragma once

#include "engine/vulkan/memory/vtr-memory-model.h"

G_BEGIN_DECLS

/* The descriptor through which shaders see a range. */
typedef struct
{
  guint32 set, binding, element;
  guint64 dynamic_offset;
  guint32 stages; /* VkShaderStageFlags: those of the bound pipeline whose code declares it */
} VtrMemoryDescriptor;

typedef struct
{
  VtrVulkanMemory *memory;
  VtrMemoryList *list;
  guint64 index;
  guint64 time;                          /* when handles mean what they mean: the submission of a recorded command */
  guint32 run;                           /* VTR_NO_RUN: none */
  VtrMemoryBlocks *blocks;               /* of the bound pipeline; NULL: none */
  const VtrMemoryDescriptor *descriptor; /* of the ranges that are added now; NULL: none */
  VtrArena arena;
} VtrMemoryLister;

/* The memory of a buffer. */
typedef struct
{
  guint32 memory, object;
  guint64 offset, size;
} VtrMemoryPlace;

/* @offset, @size: in the buffer. Takes @label and @type. */
void vtr_memory_lister_add_buffer (VtrMemoryLister *self,
                                   guint64          handle,
                                   guint64          offset,
                                   guint64          size,
                                   guint            access,
                                   char            *label,
                                   char            *type);
void vtr_memory_lister_add_image (VtrMemoryLister *self,
                                  guint64          handle,
                                  guint            access,
                                  const char      *label);
/* Adds the memory that a command in a command buffer touches (vtr-memory-recorded.c). */
void vtr_memory_lister_add_recorded (VtrMemoryLister  *self,
                                     const VtrCommand *command);

G_END_DECLS
