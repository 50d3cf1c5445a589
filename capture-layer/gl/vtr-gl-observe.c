/* Finds what a draw reads of vertex arrays in the program's memory, which no argument of the draw
 * tells. */
#include "vtr-gl-layer.h"

#include "vtr-layer-calls.h"
#include "vtr-layer-transport.h"

#include "api/vtr-gl-enums.h"
#include "api/vtr-gl-functions.h"
#include "base/vtr-log.h"
#include "base/vtr-readable.h"

#include <string.h>

/* The vertices that a draw reads: [.first, .end) of inputs for each vertex, and of others the
 * elements of .n_instances instances from .base_instance on. */
typedef struct
{
  uint64_t first, end;
  uint64_t n_instances, base_instance;
} Reach;

/* Once for each process: such a trace shows other vertices. */
static void
complain (const char *why)
{
  static atomic_bool said;

  if (!atomic_exchange (&said, true))
    vtr_layer_transport_notice (VTR_LOG_WARNING, "Vertices in the program's memory are missing: %s",
                                why);
}

static bool
reads_memory (const VtrGlArray *array)
{
  for (uint32_t i = 0; i < VTR_GL_MAX_ATTRIBS; i++)
    if (array->attribs[i].enabled && array->attribs[i].is_memory)
      return true;
  return false;
}

static void
observe (const VtrGlArray *array,
         Reach             reach,
         VtrObserveSink    sink,
         void             *data)
{
  for (uint32_t i = 0; i < VTR_GL_MAX_ATTRIBS; i++)
    {
      const VtrGlAttrib *attrib = &array->attribs[i];
      const uint64_t stride = attrib->stride != 0 ? attrib->stride : attrib->element_size;
      uint64_t first = reach.first, end = reach.end;
      const uint8_t *from;
      size_t size;

      if (!attrib->enabled || !attrib->is_memory)
        continue;
      if (attrib->divisor != 0)
        {
          first = reach.base_instance;
          end = first + (reach.n_instances + attrib->divisor - 1) / attrib->divisor;
        }
      if (first >= end)
        continue;
      from = attrib->pointer + first * stride;
      size = (size_t)((end - first - 1) * stride + attrib->element_size);
      /* Inputs that the shaders do not use may be left over from memory that is gone. */
      if (vtr_memory_is_readable (from, size))
        sink (data, from, size);
    }
}

static uint32_t
index_at (const uint8_t *indices,
          uint32_t       size,
          uint64_t       i)
{
  uint16_t two;
  uint32_t four;

  if (size == 1)
    return indices[i];
  if (size == 2)
    {
      memcpy (&two, indices + i * 2, sizeof two);
      return two;
    }
  memcpy (&four, indices + i * 4, sizeof four);
  return four;
}

/* Adds the vertices of @count indices to @reach. An index of only ones may restart the primitive,
 * and names no vertex of an array in memory in any case that works. */
static void
reach_indices (Reach         *reach,
               const uint8_t *indices,
               uint32_t       size,
               uint64_t       count,
               int64_t        base)
{
  const uint32_t restart = size == 1 ? UINT8_MAX : size == 2 ? UINT16_MAX
                                                             : UINT32_MAX;

  for (uint64_t i = 0; i < count; i++)
    {
      const uint32_t index = index_at (indices, size, i);
      const int64_t vertex = (int64_t)index + base;

      if (index == restart || vertex < 0)
        continue;
      if ((uint64_t)vertex < reach->first)
        reach->first = (uint64_t)vertex;
      if ((uint64_t)vertex >= reach->end)
        reach->end = (uint64_t)vertex + 1;
    }
}

static uint32_t
index_size (uint32_t type)
{
  return type == GL_UNSIGNED_BYTE ? 1 : type == GL_UNSIGNED_SHORT ? 2
                                                                  : 4;
}

/* The indices lie in the program's memory, or in a buffer, which is mapped to read them. */
static void
reach_elements (const VtrGlContext *context,
                Reach              *reach,
                int32_t             count,
                uint32_t            type,
                const void         *indices,
                int64_t             base)
{
  const uint32_t size = index_size (type);
  VtrGlFunction_glMapBufferRange *map;
  VtrGlFunction_glUnmapBuffer *unmap;
  const void *mapped;

  if (count <= 0)
    return;
  if (context->track.array->element_buffer == 0)
    {
      reach_indices (reach, indices, size, (uint64_t)count, base);
      return;
    }
  map = (VtrGlFunction_glMapBufferRange *)vtr_gl_get_next (context->vendor,
                                                           VTR_CMD_glMapBufferRange);
  unmap = (VtrGlFunction_glUnmapBuffer *)vtr_gl_get_next (context->vendor, VTR_CMD_glUnmapBuffer);
  mapped = map != NULL && unmap != NULL
             ? map (GL_ELEMENT_ARRAY_BUFFER, (intptr_t)indices, (intptr_t)count * (intptr_t)size,
                    GL_MAP_READ_BIT)
             : NULL;
  if (mapped == NULL)
    {
      complain ("the buffer with their indices cannot be read.");
      return;
    }
  reach_indices (reach, mapped, size, (uint64_t)count, base);
  unmap (GL_ELEMENT_ARRAY_BUFFER);
}

/* Commands whose arguments are the same as those of @command but for what comes behind them. */
#define ARRAYS(command) const VtrArgs_##command *const draw = args

void
vtr_gl_observe_state (const VtrLayerCall *call,
                      const void         *args,
                      VtrObserveSink      sink,
                      void               *data)
{
  const VtrGlContext *context = vtr_gl_current;
  Reach reach = { .first = UINT64_MAX, .n_instances = 1 };

  if (context == NULL || !reads_memory (context->track.array))
    return;
  switch (call->cmd)
    {
    case VTR_CMD_glDrawArrays:
    case VTR_CMD_glDrawArraysEXT:
      {
        ARRAYS (glDrawArrays);

        reach.first = (uint64_t)draw->first;
        reach.end = reach.first + (uint64_t)draw->count;
        break;
      }
    case VTR_CMD_glDrawArraysInstanced:
    case VTR_CMD_glDrawArraysInstancedANGLE:
    case VTR_CMD_glDrawArraysInstancedARB:
    case VTR_CMD_glDrawArraysInstancedEXT:
    case VTR_CMD_glDrawArraysInstancedNV:
      {
        ARRAYS (glDrawArraysInstanced);

        reach.first = (uint64_t)draw->first;
        reach.end = reach.first + (uint64_t)draw->count;
        reach.n_instances = (uint64_t)draw->instancecount;
        break;
      }
    case VTR_CMD_glDrawElements:
      {
        ARRAYS (glDrawElements);

        reach_elements (context, &reach, draw->count, draw->type, draw->indices, 0);
        break;
      }
    case VTR_CMD_glDrawElementsBaseVertex:
    case VTR_CMD_glDrawElementsBaseVertexEXT:
    case VTR_CMD_glDrawElementsBaseVertexOES:
      {
        ARRAYS (glDrawElementsBaseVertex);

        reach_elements (context, &reach, draw->count, draw->type, draw->indices, draw->basevertex);
        break;
      }
    case VTR_CMD_glDrawElementsInstanced:
    case VTR_CMD_glDrawElementsInstancedANGLE:
    case VTR_CMD_glDrawElementsInstancedARB:
    case VTR_CMD_glDrawElementsInstancedEXT:
    case VTR_CMD_glDrawElementsInstancedNV:
      {
        ARRAYS (glDrawElementsInstanced);

        reach_elements (context, &reach, draw->count, draw->type, draw->indices, 0);
        reach.n_instances = (uint64_t)draw->instancecount;
        break;
      }
    case VTR_CMD_glDrawRangeElements:
    case VTR_CMD_glDrawRangeElementsEXT:
      {
        ARRAYS (glDrawRangeElements);

        reach_elements (context, &reach, draw->count, draw->type, draw->indices, 0);
        break;
      }
    default:
      complain ("this version of Vitrine does not know where the draw finds them.");
      return;
    }
  observe (context->track.array, reach, sink, data);
}
