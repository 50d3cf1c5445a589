/* Fills C structures of Vulkan from values of GAPID's state. */
#include "engine/gapid/vtr-gapid-fill.h"

#include <string.h>

#include "api/vtr-api-program.h"

#define MAX_DEPTH 16

/* Members whose fields have a name of their own. */
static const struct
{
  const char *owner;
  const char *member;
  const char *field;
} aliases[] = {
  { "VkBufferCreateInfo", "flags", "CreateFlags" },
  { "VkImageViewCreateInfo", "viewType", "Type" },
  { "VkRenderPassCreateInfo", "pAttachments", "AttachmentDescriptions" },
  { "VkRenderPassCreateInfo", "pSubpasses", "SubpassDescriptions" },
  { "VkRenderPassCreateInfo", "pDependencies", "SubpassDependencies" },
  { "VkFramebufferCreateInfo", "pAttachments", "ImageAttachments" },
  { "VkDescriptorPoolCreateInfo", "pPoolSizes", "Sizes" },
  { "VkDescriptorUpdateTemplateCreateInfo", "pDescriptorUpdateEntries", "Entries" },
  { "VkDescriptorUpdateTemplateCreateInfo", "set", "SetNumber" },
  { "VkPipelineShaderStageCreateInfo", "pName", "EntryPoint" },
  { "VkPipelineShaderStageCreateInfo", "pSpecializationInfo", "Specialization" },
  { "VkSpecializationInfo", "pMapEntries", "Specializations" },
  { "VkPipelineVertexInputStateCreateInfo", "pVertexBindingDescriptions", "BindingDescriptions" },
  { "VkPipelineVertexInputStateCreateInfo", "pVertexAttributeDescriptions",
    "AttributeDescriptions" },
  { "VkGraphicsPipelineCreateInfo", "pDepthStencilState", "DepthState" },
  { "VkGraphicsPipelineCreateInfo", "basePipelineHandle", "BasePipeline" },
  { "VkComputePipelineCreateInfo", "layout", "PipelineLayout" },
  { "VkComputePipelineCreateInfo", "basePipelineHandle", "BasePipeline" },
  { "VkMemoryAllocateInfo", "allocationSize", "AllocationSize" },
  { "VkDeviceQueueInfo2", "queueFamilyIndex", "Family" },
  { "vkCmdCopyBuffer", "pRegions", "CopyRegions" },
  { "vkCmdResolveImage", "pRegions", "ResolveRegions" },
  { "vkCmdCopyBufferToImage", "dstImageLayout", "Layout" },
  { "vkCmdUpdateBuffer", "pData", "Data" },
  { "vkCmdPushConstants", "pValues", "Data" },
  { "VkDebugMarkerMarkerInfoEXT", "pMarkerName", "MarkerName" },
  { "VkDebugUtilsLabelEXT", "pLabelName", "LabelName" },
};

typedef struct
{
  VtrGapidFiller *filler;
  const char *owner;
  const VtrApiField *fields;
  guint n_fields;
  guint8 *base;
  guint depth;
} Filling;

static void fill_fields (Filling       *self,
                         VtrGapidValue *from,
                         gboolean       arguments);

static VtrGapidValue *
find_value (const Filling       *self,
            const VtrApiField   *field,
            const VtrGapidValue *from)
{
  const char *name = vtr_api_string (field->name);
  VtrGapidValue *value;

  for (gsize i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (g_str_equal (aliases[i].member, name) && g_str_equal (aliases[i].owner, self->owner))
      return vtr_gapid_get (from, aliases[i].field);
  value = vtr_gapid_get (from, name);
  if (value == NULL && field->pointers > 0 && name[0] == 'p' && g_ascii_isupper (name[1]))
    value = vtr_gapid_get (from, name + 1);
  return value;
}

/* ---- Elements ---- */

static void
fill_child (Filling       *self,
            VtrStructId    id,
            VtrGapidValue *from,
            void          *to)
{
  const VtrApiStruct *type = vtr_struct_get (id);
  Filling child = {
    .filler = self->filler,
    .owner = vtr_api_string (type->name),
    .fields = &vtr_api_fields[type->first_field],
    .n_fields = type->n_fields,
    .base = to,
    .depth = self->depth + 1,
  };

  if (child.depth > MAX_DEPTH)
    {
      self->filler->incomplete = TRUE;
      return;
    }
  if (type->stype != VTR_STYPE_NONE)
    memcpy (to, &type->stype, sizeof type->stype);
  fill_fields (&child, from, FALSE);
}

static void
fill_number (const VtrApiField   *field,
             const VtrGapidValue *from,
             void                *to,
             gsize                size)
{
  guint64 number = from->kind == VTR_GAPID_REAL ? (guint64)(gint64)from->real : from->number;
  double real = from->kind == VTR_GAPID_REAL ? from->real : (double)(gint64)from->number;
  float narrow = (float)real;

  if (field->kind == VTR_KIND_F32 && size == sizeof narrow)
    memcpy (to, &narrow, sizeof narrow);
  else if (field->kind == VTR_KIND_F64 && size == sizeof real)
    memcpy (to, &real, sizeof real);
  else
    memcpy (to, &number, MIN (size, sizeof number));
}

static void
fill_handle (Filling           *self,
             const VtrApiField *field,
             VtrGapidValue     *from,
             void              *to)
{
  gboolean object = from->kind == VTR_GAPID_MESSAGE;
  guint64 handle = 0;

  if (object || (from->kind == VTR_GAPID_NUMBER && from->number != 0))
    {
      handle = self->filler->handle (self->filler->data, (VtrHandleId)field->type,
                                     object ? from : NULL, object ? 0 : from->number);
      self->filler->incomplete |= handle == 0;
    }
  memcpy (to, &handle, sizeof handle);
}

/* One element of any kind at @to. */
static void
fill_element (Filling           *self,
              const VtrApiField *field,
              VtrGapidValue     *from,
              guint8            *to,
              gsize              size)
{
  if (from == NULL)
    {
      /* Arrays may contain null objects; other values are damaged. */
      self->filler->incomplete |= field->kind != VTR_KIND_HANDLE;
      return;
    }
  if (field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION)
    {
      if (from->kind == VTR_GAPID_MESSAGE)
        fill_child (self, (VtrStructId)field->type, from, to);
    }
  else if (field->kind == VTR_KIND_HANDLE)
    fill_handle (self, field, from, to);
  else if (from->kind == VTR_GAPID_NUMBER || from->kind == VTR_GAPID_REAL)
    fill_number (field, from, to, size);
}

/* ---- Arrays ---- */

/* The member that counts the elements behind @field; NULL: they are counted some other way. */
static const VtrApiField *
find_count (const Filling     *self,
            const VtrApiField *field)
{
  const guint16 *program = &vtr_api_programs[field->length[0]];
  guint first = (guint)(self->fields - vtr_api_fields);

  if (field->length[0] == 0 || program[0] != VTR_OP_FIELD || program[2] != VTR_OP_END ||
      program[1] < first || program[1] - first >= self->n_fields)
    return NULL;
  return &vtr_api_fields[program[1]];
}

/* Makes the count beside @field say @n. Returns: FALSE when an array before says more. */
static gboolean
set_count (Filling           *self,
           const VtrApiField *field,
           guint64            n)
{
  const VtrApiField *count = find_count (self, field);
  guint64 before = 0;
  gsize size;

  if (count == NULL)
    return TRUE;
  size = MIN (count->size[VTR_ABI_NATIVE], sizeof before);
  memcpy (&before, self->base + count->offset[VTR_ABI_NATIVE], size);
  if (before == 0)
    memcpy (self->base + count->offset[VTR_ABI_NATIVE], &n, size);
  return before <= n;
}

static void
set_pointer (Filling           *self,
             const VtrApiField *field,
             const void        *to)
{
  memcpy (self->base + field->offset[VTR_ABI_NATIVE], &to, sizeof to);
}

static void
fill_entries (Filling           *self,
              const VtrApiField *field,
              VtrGapidValue     *from)
{
  gsize size = vtr_field_element_size (field, 1, VTR_ABI_NATIVE), n;
  const VtrGapidEntry *entries = vtr_gapid_list_entries (from, self->filler->arena, &n);
  guint8 *array;

  if (n == 0)
    return;
  array = vtr_arena_alloc_array (self->filler->arena, n, size);
  if (array == NULL || n > G_MAXUINT32 || !set_count (self, field, n))
    {
      self->filler->incomplete = TRUE;
      return;
    }
  for (gsize i = 0; i < n; i++)
    fill_element (self, field, entries[i].value, array + i * size, size);
  set_pointer (self, field, array);
}

static void
fill_slice (Filling             *self,
            const VtrApiField   *field,
            const VtrGapidValue *from)
{
  gsize size = 0;
  const guint8 *data = self->filler->slice (self->filler->data, from, &size);

  if (data == NULL || !set_count (self, field, size))
    self->filler->incomplete |= size > 0;
  else
    set_pointer (self, field, data);
}

/* Something behind a pointer. */
static void
fill_pointee (Filling           *self,
              const VtrApiField *field,
              VtrGapidValue     *from)
{
  guint64 pool, base, size;
  char *text;
  void *target;

  if (field->pointers > 1)
    return;
  if (from->kind == VTR_GAPID_BYTES)
    {
      text = vtr_arena_alloc (self->filler->arena, from->n + 1);
      if (text != NULL && from->n > 0)
        memcpy (text, from->bytes, from->n);
      set_pointer (self, field, text);
    }
  else if (vtr_gapid_get_slice (from, &pool, &base, &size))
    fill_slice (self, field, from);
  else if (from->kind != VTR_GAPID_MESSAGE || vtr_gapid_is_map (from))
    fill_entries (self, field, from);
  else if (field->kind == VTR_KIND_STRUCT)
    {
      target =
        vtr_arena_alloc (self->filler->arena, vtr_field_element_size (field, 1, VTR_ABI_NATIVE));
      if (target == NULL)
        return;
      fill_child (self, (VtrStructId)field->type, from, target);
      set_pointer (self, field, target);
    }
}

/* Elements in the slot itself. */
static void
fill_slot (Filling           *self,
           const VtrApiField *field,
           VtrGapidValue     *from)
{
  guint8 *slot = self->base + field->offset[VTR_ABI_NATIVE];
  gsize size = field->size[VTR_ABI_NATIVE] / MAX (field->array, 1);
  const VtrGapidEntry *entries;
  gsize n;

  if (field->array <= 1)
    {
      fill_element (self, field, from, slot, size);
      return;
    }
  entries = vtr_gapid_list_entries (from, self->filler->arena, &n);
  for (gsize i = 0; i < MIN (n, field->array); i++)
    if (entries[i].value != NULL)
      fill_element (self, field, entries[i].value, slot + i * size, size);
}

static void
fill_fields (Filling       *self,
             VtrGapidValue *from,
             gboolean       arguments)
{
  for (guint i = 0; i < self->n_fields; i++)
    {
      const VtrApiField *field = &self->fields[i];
      VtrGapidValue *value;

      if ((field->flags & (VTR_FIELD_STYPE | VTR_FIELD_ALLOCATOR)) != 0 ||
          field->kind == VTR_KIND_NEXT)
        continue;
      value = find_value (self, field, from);
      if (value == NULL && arguments && field->pointers == 1 && field->kind == VTR_KIND_STRUCT &&
          field->length[0] == 0 && (field->flags & VTR_FIELD_CONST) != 0)
        value = from;
      if (value == NULL)
        continue;
      if (field->pointers > 0)
        fill_pointee (self, field, value);
      else
        fill_slot (self, field, value);
    }
}

void
vtr_gapid_fill_struct (VtrGapidFiller *self,
                       VtrStructId     id,
                       VtrGapidValue  *from,
                       void           *to)
{
  Filling top = { .filler = self };

  fill_child (&top, id, from, to);
}

void
vtr_gapid_fill_args (VtrGapidFiller *self,
                     VtrCmdId        id,
                     VtrGapidValue  *from,
                     void           *to)
{
  const VtrApiCommand *command = vtr_cmd_get (id);
  Filling top = {
    .filler = self,
    .owner = vtr_api_string (command->name),
    .fields = &vtr_api_fields[command->first_field],
    .n_fields = command->n_params,
    .base = to,
  };

  fill_fields (&top, from, TRUE);
}

void *
vtr_gapid_fill_array (VtrGapidFiller *self,
                      VtrStructId     id,
                      VtrGapidValue  *from,
                      guint32        *n)
{
  gsize size = vtr_struct_get (id)->size[VTR_ABI_NATIVE], count;
  const VtrGapidEntry *entries = vtr_gapid_list_entries (from, self->arena, &count);
  guint8 *array = count > 0 ? vtr_arena_alloc_array (self->arena, count, size) : NULL;

  *n = 0;
  if (array == NULL || count > G_MAXUINT32)
    return NULL;
  for (gsize i = 0; i < count; i++)
    if (entries[i].value != NULL)
      vtr_gapid_fill_struct (self, id, entries[i].value, array + i * size);
    else
      self->incomplete = TRUE;
  *n = (guint32)count;
  return array;
}
