/* Makes random but well-formed arguments for any command, for the tests of the API walkers. */
#include "vtr-random-tree.h"

#include "api/vtr-api-slot-private.h"
#include "gl/vtr-gl-env.h"
#include "vulkan/vtr-vulkan-env.h"

#include <assert.h>
#include <stdlib.h>

#define MAX_COUNT 4 /* lengths are below */
#define MAX_DEPTH 7
#define CAPTURE_DATA 24

static void fill_struct (VtrRandomTree  *self,
                         const VtrScope *parent,
                         VtrStructId     id,
                         uint8_t        *base,
                         bool            in_chain);

/* --- Environment ----------------------------------------------------------------------------- */

static const VkDescriptorUpdateTemplateEntry template_entries[] = {
  { 0, 0, 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 8, 32 },
  { 1, 0, UINT32_MAX, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 80, 0 }, /* the one again and again */
  { 2, 0, 3, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 104, 8 },
  { 3, 0, 12, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 128, 0 },
  { 4, 0, 1, VK_DESCRIPTOR_TYPE_SAMPLER, 144, 0 },
};

static VtrTristate
is_secondary (void            *data,
              VkCommandBuffer  command_buffer)
{
  return ((uintptr_t)command_buffer & 1) != 0 ? VTR_YES : VTR_NO;
}

static bool
update_template (void                       *data,
                 VkDescriptorUpdateTemplate  handle,
                 VtrUpdateTemplate          *out)
{
  out->entries = template_entries;
  out->n_entries = sizeof template_entries / sizeof template_entries[0];
  return true;
}

static VtrTristate
has_color (void         *data,
           VkRenderPass  render_pass,
           uint32_t      subpass)
{
  return ((uintptr_t)render_pass & 1) != 0 ? VTR_YES : VTR_NO;
}

static VtrTristate
has_depth_stencil (void         *data,
                   VkRenderPass  render_pass,
                   uint32_t      subpass)
{
  return ((uintptr_t)render_pass & 2) != 0 ? VTR_YES : VTR_NO;
}

static size_t
capture_data_size (void     *data,
                   uint32_t  object_type)
{
  return CAPTURE_DATA;
}

/* What spoil_pointer() leaves cannot be. */
static bool
is_readable (void       *data,
             const void *address,
             size_t      size)
{
  return (uintptr_t)address >= 0x1000;
}

static const VtrVulkanEnv vulkan_env = {
  .is_secondary = is_secondary,
  .update_template = update_template,
  .subpass_has_color = has_color,
  .subpass_has_depth_stencil = has_depth_stencil,
  .capture_data_size = capture_data_size,
};

const VtrApiEnv vtr_random_env = { .readable = is_readable, .state = &vulkan_env };

static bool
measure_gl (void           *data,
            VtrGlMeasure    what,
            const VtrScope *call,
            int64_t         operand,
            int64_t        *out)
{
  *out = 5;
  return true;
}

/* Two contexts: one without buffers, and one with some. */
static const VtrGlEnv gl_envs[] = {
  { .stores_known = true,
    .pack = { .alignment = 4 },
    .unpack = { .alignment = 2,
                .row_length = 5,
                .image_height = 4,
                .skip_pixels = 1,
                .skip_rows = 2,
                .skip_images = 1 },
    .measure = measure_gl },
  { .stores_known = true,
    .pack = { .alignment = 1 },
    .unpack = { .alignment = 8 },
    .bound = { VTR_YES, VTR_YES, VTR_YES, VTR_YES, VTR_YES },
    .measure = measure_gl },
};

static const VtrApiEnv random_gl_envs[] = { { .state = &gl_envs[0] }, { .state = &gl_envs[1] } };

/* One tree in four has buffers bound. */
const VtrApiEnv *
vtr_random_gl_env (uint64_t seed)
{
  return &random_gl_envs[seed % 4 == 3];
}

/* --- Pieces ---------------------------------------------------------------------------------- */

uint32_t
vtr_random (VtrRandomTree *self)
{
  self->state ^= self->state << 13;
  self->state ^= self->state >> 7;
  self->state ^= self->state << 17;
  return (uint32_t)(self->state >> 16);
}

uint32_t
vtr_random_below (VtrRandomTree *self,
                  uint32_t       limit)
{
  return vtr_random (self) % limit;
}

static void *
new_piece (VtrRandomTree *self,
           size_t         size)
{
  void *piece = malloc (size > 0 ? size : 1);

  assert (piece != NULL);
  if (self->n_pieces == self->room)
    {
      self->room = self->room * 2 + 64;
      self->pieces = realloc (self->pieces, self->room * sizeof *self->pieces);
      assert (self->pieces != NULL);
    }
  self->pieces[self->n_pieces++] = piece;
  memset (piece, 0, size);
  return piece;
}

static bool
is_struct (const VtrApiField *field)
{
  return field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION;
}

/* --- Scalars --------------------------------------------------------------------------------- */

/* Dynamic states that rules ask for together; by chance alone they would rarely meet. */
static uint64_t
random_dynamic_state (VtrRandomTree *self)
{
  static const VkDynamicState groups[][3] = {
    { VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
      VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT },
    { VK_DYNAMIC_STATE_SAMPLE_MASK_EXT, VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
      VK_DYNAMIC_STATE_VIEWPORT },
    { VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT, VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_NV,
      VK_DYNAMIC_STATE_EXCLUSIVE_SCISSOR_NV },
    { VK_DYNAMIC_STATE_VIEWPORT_SHADING_RATE_PALETTE_NV,
      VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_NV, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT },
    { VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
      VK_DYNAMIC_STATE_VERTEX_INPUT_EXT },
  };

  return groups[self->group % (sizeof groups / sizeof groups[0])][vtr_random_below (self, 3)];
}

static uint64_t
random_enum (VtrRandomTree     *self,
             const VtrApiField *field,
             bool               flags)
{
  const VtrApiEnum *type;
  uint64_t value = 0;

  if (field->type == VTR_ENUM_VkDynamicState && vtr_random_below (self, 8) != 0)
    return random_dynamic_state (self);
  if (!vtr_enum_is_known (field->type) || vtr_enum_get (field->type)->n_values == 0)
    return vtr_random_below (self, 4);
  type = vtr_enum_get (field->type);
  for (unsigned i = 0; i < (flags ? 3 : 1); i++)
    {
      uint32_t index = type->first_value + vtr_random_below (self, type->n_values);

      if (flags && vtr_random_below (self, 2) == 0)
        continue;
      value |= (uint64_t)vtr_api_enum_values[index].value;
    }
  return value;
}

static uint64_t
random_scalar (VtrRandomTree     *self,
               const VtrScope    *scope,
               const VtrApiField *field)
{
  bool length = (field->flags & VTR_FIELD_LEN_SOURCE) != 0;
  uint64_t chosen;

  if (self->taste != NULL && self->taste->choose (self->taste->data, scope, field, &chosen))
    return chosen;

  switch ((VtrApiKind)field->kind)
    {
    case VTR_KIND_BOOL32:
      return vtr_random_below (self, 2);
    case VTR_KIND_ENUM:
      return random_enum (self, field, false);
    case VTR_KIND_FLAGS32:
    case VTR_KIND_FLAGS64:
      return random_enum (self, field, true);
    case VTR_KIND_HANDLE:
      return vtr_random_below (self, 6) == 0 ? 0 : self->next_handle++;
    case VTR_KIND_ADDRESS:
    case VTR_KIND_FUNCTION:
      return vtr_random_below (self, 4) == 0 ? 0 : self->next_address++;
    case VTR_KIND_CHAR:
      return 'a' + vtr_random_below (self, 26);
    case VTR_KIND_U64:
    case VTR_KIND_I64:
    case VTR_KIND_F64:
      return length ? vtr_random_below (self, MAX_COUNT) : (uint64_t)vtr_random (self) << 20;
    case VTR_KIND_SIZE:
    case VTR_KIND_SSIZE:
      return length ? vtr_random_below (self, 4 * MAX_COUNT) : vtr_random (self) >> 1;
    case VTR_KIND_I32:
      return length && vtr_random_below (self, 2) ? UINT64_MAX : vtr_random_below (self, MAX_COUNT);
    default:
      return length ? vtr_random_below (self, MAX_COUNT) : vtr_random (self);
    }
}

static void
fill_scalar (VtrRandomTree     *self,
             const VtrScope    *scope,
             const VtrApiField *field,
             uint8_t           *slot)
{
  uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  uint64_t value = random_scalar (self, scope, field), unit, mask;

  if (field->pointers == 0 && field->bit_width != 0)
    {
      mask = ((UINT64_C (1) << field->bit_width) - 1) << field->bit_offset;
      unit = vtr_slot_load (slot, size);
      value = (unit & ~mask) | (value << field->bit_offset & mask);
    }
  memcpy (slot, &value, size);
}

/* --- Pointers -------------------------------------------------------------------------------- */

static void
fill_elements (VtrRandomTree     *self,
               const VtrScope    *scope,
               const VtrApiField *field,
               uint8_t           *base,
               uint64_t           count)
{
  uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);

  for (uint64_t i = 0; i < count; i++)
    if (is_struct (field))
      fill_struct (self, scope, field->type, base + i * size, false);
    else if (field->kind == VTR_KIND_VOID)
      base[i] = (uint8_t)vtr_random (self);
    else
      fill_scalar (self, scope, field, base + i * size);
}

/* Elements of a number that the rules, or these themselves, tell: with the last numbers that end
 * lists. */
static void *
new_sized (VtrRandomTree     *self,
           const VtrScope    *scope,
           const VtrApiField *field,
           unsigned           level,
           uint64_t           index)
{
  static const uint64_t ends[] = { 0x3038, 0 };
  const uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  uint64_t count = 3 + vtr_random_below (self, 6);
  uint8_t *run;

  if (vtr_field_length (field, level, scope, self->env, index, NULL, &count))
    {
      if (count > 4096)
        return NULL;
      run = new_piece (self, count * size);
      fill_elements (self, scope, field, run, count);
      return run;
    }
  run = new_piece (self, count * size);
  fill_elements (self, scope, field, run, count);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    {
      const VtrPointee pointee = { index, run, count * size };

      for (uint64_t k = count - 2; k < count; k++)
        memcpy (run + k * size, &ends[i], size);
      if (vtr_program_measure (field->length[level], scope, self->env, &pointee).known)
        return run;
    }
  return NULL;
}

static void *
new_run (VtrRandomTree     *self,
         const VtrScope    *scope,
         const VtrApiField *field,
         unsigned           level,
         uint64_t           index)
{
  uint32_t size = vtr_field_element_size (field, level + 1, VTR_ABI_NATIVE);
  uint64_t count = 1;
  uint8_t *run;

  if ((field->flags & VTR_FIELD_STRING) != 0 && level + 1u == field->pointers)
    {
      count = vtr_random_below (self, 9);
      run = new_piece (self, count + 1);
      fill_elements (self, scope, field, run, count);
      return run;
    }
  if ((field->flags & VTR_FIELD_SIZED) != 0 && level + 1u == field->pointers &&
      !vtr_field_has_data (field, scope))
    return new_sized (self, scope, field, level, index);
  if (!vtr_field_length (field, level, scope, self->env, index, NULL, &count) || count > 64)
    return NULL;
  run = new_piece (self, count * size);
  if (level + 1u == field->pointers)
    fill_elements (self, scope, field, run, count);
  else
    for (uint64_t i = 0; i < count; i++)
      vtr_slot_set_pointer (run + i * size, new_run (self, scope, field, level + 1, i));
  return run;
}

static void
fill_pointer (VtrRandomTree     *self,
              const VtrScope    *scope,
              const VtrApiField *field,
              uint8_t           *slot)
{
  bool source = (field->flags & VTR_FIELD_LEN_SOURCE) != 0;
  bool optional = (field->flags & VTR_FIELD_OPTIONAL) != 0;

  if (!source && (self->depth > MAX_DEPTH ||
                  (optional && self->taste == NULL && vtr_random_below (self, 5) == 0)))
    return;
  vtr_slot_set_pointer (slot, new_run (self, scope, field, 0, 0));
}

/* A struct that may follow @root in a chain, at random; VTR_STRUCT_NONE when there is none. */
static VtrStructId
random_extension (VtrRandomTree *self,
                  VtrStructId    root)
{
  VtrStructId found = VTR_STRUCT_NONE;
  unsigned n = 0;

  for (unsigned i = 0; i < VTR_N_STRUCTS; i++)
    {
      const VtrStructId id = vtr_struct_at (i);

      if (vtr_struct_extends (id, root) &&
          (self->taste == NULL || self->taste->admit (self->taste->data, id)) &&
          vtr_random_below (self, ++n) == 0)
        found = id;
    }
  return found;
}

static bool
is_in_chain (const uint8_t *slot,
             VtrStructId    id)
{
  const VtrChainHeader *link;

  for (memcpy (&link, slot, sizeof link); link != NULL; link = link->next)
    if ((uint32_t)link->stype == vtr_struct_get (id)->stype)
      return true;
  return false;
}

static void
fill_chain (VtrRandomTree  *self,
            const VtrScope *head,
            uint8_t        *slot)
{
  const uint8_t *const first = slot;

  while (self->depth < MAX_DEPTH - 2 && vtr_random_below (self, 2) == 0)
    {
      VtrStructId id = random_extension (self, head->struct_id);
      uint8_t *node;

      if (id == VTR_STRUCT_NONE || (self->taste != NULL && is_in_chain (first, id)))
        return;
      if (self->taste == NULL && vtr_random_below (self, 20) == 0)
        {
          VtrChainHeader unknown = { 0x7ffffff0, NULL };

          node = new_piece (self, sizeof unknown);
          memcpy (node, &unknown, sizeof unknown);
          self->has_unknown = true;
        }
      else
        {
          node = new_piece (self, vtr_struct_get (id)->size[VTR_ABI_NATIVE]);
          fill_struct (self, head, id, node, true);
        }
      vtr_slot_set_pointer (slot, node);
      slot = node + offsetof (VtrChainHeader, next);
    }
}

/* --- Structs --------------------------------------------------------------------------------- */

static void
fill_values (VtrRandomTree  *self,
             const VtrScope *scope,
             uint8_t        *base)
{
  for (unsigned i = 0; i < scope->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[scope->first_field + i];
      uint8_t *slot = base + field->offset[VTR_ABI_NATIVE];

      if (field->pointers > 0 || field->kind == VTR_KIND_NEXT || is_struct (field))
        continue;
      if ((field->flags & VTR_FIELD_STYPE) != 0)
        memcpy (slot, &vtr_struct_get (scope->struct_id)->stype, 4);
      else
        fill_elements (self, scope, field, slot,
                       field->kind == VTR_KIND_CHAR ? field->array - 1 : field->array);
    }
}

static void
fill_rest (VtrRandomTree  *self,
           const VtrScope *scope,
           uint8_t        *base)
{
  for (unsigned pass = 0; pass < 2; pass++)
    for (unsigned i = 0; i < scope->n_fields; i++)
      {
        const VtrApiField *field = &vtr_api_fields[scope->first_field + i];
        uint8_t *slot = base + field->offset[VTR_ABI_NATIVE];
        bool early = (field->flags & VTR_FIELD_LEN_SOURCE) != 0 && field->pointers > 0;

        if (early != (pass == 0))
          continue;
        if (field->kind == VTR_KIND_NEXT)
          {
            if (!scope->in_chain)
              fill_chain (self, scope, slot);
          }
        else if (field->pointers > 0)
          fill_pointer (self, scope, field, slot);
        else if (is_struct (field))
          fill_elements (self, scope, field, slot, field->array);
      }
}

static void
fill_union (VtrRandomTree  *self,
            const VtrScope *scope,
            uint8_t        *base)
{
  const VtrApiStruct *type = vtr_struct_get (scope->struct_id);
  VtrScope member = *scope;

  if (vtr_struct_is_raw (type))
    {
      for (uint32_t i = 0; i < type->size[VTR_ABI_NATIVE]; i++)
        base[i] = (uint8_t)vtr_random_below (self, 100);
      return;
    }
  for (unsigned i = 0; i < type->n_fields; i++)
    {
      if (vtr_field_is_dead (&vtr_api_fields[type->first_field + i], scope, self->env))
        continue;
      member.first_field = (uint16_t)(type->first_field + i);
      member.n_fields = 1;
      fill_values (self, &member, base);
      member = *scope;
      member.first_field = (uint16_t)(type->first_field + i);
      member.n_fields = 1;
      fill_rest (self, &member, base);
    }
}

static void
fill_struct (VtrRandomTree  *self,
             const VtrScope *parent,
             VtrStructId     id,
             uint8_t        *base,
             bool            in_chain)
{
  VtrScope scope;

  vtr_scope_init_struct (&scope, parent, id, base);
  scope.in_chain = in_chain;
  self->depth++;
  if ((vtr_struct_get (id)->flags & VTR_STRUCT_UNION) != 0)
    fill_union (self, &scope, base);
  else
    {
      fill_values (self, &scope, base);
      fill_rest (self, &scope, base);
    }
  self->depth--;
}

/* --- Garbage --------------------------------------------------------------------------------- */

static void
spoil_pointer (void                  *data,
               const VtrVisitPointer *pointer)
{
  VtrRandomTree *self = data;

  if (pointer->ignored)
    vtr_slot_set_pointer (pointer->slot, (void *)(uintptr_t)(0x10 + vtr_random_below (self, 64)));
}

static void
spoil_handle (void                 *data,
              const VtrVisitHandle *handle)
{
  if (handle->ignored)
    memset (handle->slot, 0xee, handle->size);
}

static void
init (VtrRandomTree        *self,
      VtrCmdId              cmd,
      uint64_t              seed,
      const VtrRandomTaste *taste)
{
  VtrScope scope;

  memset (self, 0, sizeof *self);
  self->taste = taste;
  self->env = taste == NULL ? vtr_random_env_of (cmd, seed) : taste->env;
  self->state = (seed + 1) * UINT64_C (0x9e3779b97f4a7c15) + cmd;
  self->next_handle = 0x1000 + (seed & 7);
  self->next_address = 0x2000000;
  self->group = (unsigned)seed;
  for (unsigned i = 0; i < 8; i++)
    vtr_random (self);
  self->args = new_piece (self, vtr_cmd_get (cmd)->args_size);
  vtr_scope_init_args (&scope, cmd, self->args);
  fill_values (self, &scope, self->args);
  fill_rest (self, &scope, self->args);
}

void
vtr_random_tree_init (VtrRandomTree *self,
                      VtrCmdId       cmd,
                      uint64_t       seed)
{
  VtrApiVisitor spoil = { .data = self, .pointer = spoil_pointer, .handle = spoil_handle };

  init (self, cmd, seed, NULL);
  vtr_api_visit (cmd, self->args, self->env, &spoil);
}

void
vtr_random_tree_init_tame (VtrRandomTree        *self,
                           VtrCmdId              cmd,
                           uint64_t              seed,
                           const VtrRandomTaste *taste)
{
  init (self, cmd, seed, taste);
}

void
vtr_random_tree_finish (VtrRandomTree *self)
{
  for (size_t i = 0; i < self->n_pieces; i++)
    free (self->pieces[i]);
  free (self->pieces);
  memset (self, 0, sizeof *self);
}
