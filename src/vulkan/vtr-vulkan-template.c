/* Walks the data of descriptor update templates, whose shape the template defines. */
#include "vulkan/vtr-vulkan-rules.h"

#include "api/vtr-api-args.h"

#include <string.h>

bool
vtr_vulkan_template_of_call (const VtrApiWalk  *walk,
                             VtrUpdateTemplate *out)
{
  const VtrVulkanEnv *env = walk->env == NULL ? NULL : walk->env->state;
  const VtrScope *scope = walk->scope;
  VkDescriptorUpdateTemplate handle;

  if (env == NULL || env->update_template == NULL)
    return false;
  /* A parameter, or a member of the structure that is one. */
  for (; scope != NULL; scope = scope->parent)
    for (unsigned i = 0; i < scope->n_fields; i++)
      {
        const VtrApiField *field = &vtr_api_fields[scope->first_field + i];

        if (field->kind != VTR_KIND_HANDLE || field->pointers != 0 ||
            field->type != VTR_HANDLE_VkDescriptorUpdateTemplate)
          continue;
        memcpy (&handle, vtr_scope_slot (scope, field), sizeof handle);
        return env->update_template (walk->env->data, handle, out);
      }
  return false;
}

/* The form of a descriptor of a type in the data. */
typedef struct
{
  VtrStructId id; /* VTR_STRUCT_NONE for bare handles */
  VtrHandleId handle;
  size_t size;
} Shape;

static Shape
shape_of (VkDescriptorType type)
{
  switch (type)
    {
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      return (Shape){ VTR_STRUCT_NONE, VTR_HANDLE_NONE, 1 };
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return (Shape){ VTR_STRUCT_VkDescriptorBufferInfo, VTR_HANDLE_NONE,
                      sizeof (VkDescriptorBufferInfo) };
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return (Shape){ VTR_STRUCT_NONE, VTR_HANDLE_VkBufferView, sizeof (VkBufferView) };
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return (Shape){ VTR_STRUCT_NONE, VTR_HANDLE_VkAccelerationStructureKHR,
                      sizeof (VkAccelerationStructureKHR) };
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      return (Shape){ VTR_STRUCT_NONE, VTR_HANDLE_VkAccelerationStructureNV,
                      sizeof (VkAccelerationStructureNV) };
    default:
      return (Shape){ VTR_STRUCT_VkDescriptorImageInfo, VTR_HANDLE_NONE,
                      sizeof (VkDescriptorImageInfo) };
    }
}

static void
visit_descriptor (const VtrScope      *scope,
                  const VtrApiEnv     *env,
                  VkDescriptorType     type,
                  uint8_t             *slot,
                  const VtrApiVisitor *visitor)
{
  Shape shape = shape_of (type);
  /* Image infos ask the write around them for the descriptor type. */
  VkWriteDescriptorSet write = { .descriptorType = type };
  VtrScope around;

  if (shape.id != VTR_STRUCT_NONE)
    {
      vtr_scope_init_struct (&around, scope, VTR_STRUCT_VkWriteDescriptorSet, &write);
      vtr_visit_struct (&around, shape.id, slot, env, visitor);
    }
  else if (shape.handle != VTR_HANDLE_NONE && visitor->handle != NULL)
    {
      VtrVisitHandle visit = { NULL, slot, shape.handle, 0, 8, false, false };

      visitor->handle (visitor->data, &visit);
    }
}

void
vtr_vulkan_visit_data (const VtrApiWalk    *walk,
                       uint8_t             *data,
                       uint64_t             size,
                       const VtrApiVisitor *visitor)
{
  VtrUpdateTemplate shape;

  if (!vtr_vulkan_template_of_call (walk, &shape))
    return;
  for (uint32_t i = 0; i < shape.n_entries; i++)
    {
      const VkDescriptorUpdateTemplateEntry *entry = &shape.entries[i];
      size_t one = shape_of (entry->descriptorType).size;

      if (entry->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        {
          if (visitor->opaque != NULL && entry->offset <= size &&
              entry->descriptorCount <= size - entry->offset)
            visitor->opaque (visitor->data, data + entry->offset, entry->descriptorCount);
          continue;
        }
      for (uint32_t k = 0; k < entry->descriptorCount; k++)
        {
          size_t at, end;

          if (__builtin_mul_overflow (entry->stride, (size_t)k, &at) ||
              __builtin_add_overflow (at, entry->offset, &at) ||
              __builtin_add_overflow (at, one, &end) || end > size ||
              /* All are the one at the beginning. */
              (entry->stride == 0 && k > 0))
            break;
          visit_descriptor (walk->scope, walk->env, entry->descriptorType, data + at, visitor);
        }
    }
}
