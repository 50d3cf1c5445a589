/* Makes the tree of properties of a command, level by level as it is asked for. */
#include "api/vtr-api-property-private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const VtrPropertyNode *
node_of (const VtrProperty *property)
{
  return (const VtrPropertyNode *)(const void *)property;
}

/* --- Nodes ----------------------------------------------------------------------------------- */

/* Members that are shown: pNext of chain elements is the chain itself, and of a union only the
 * live member means anything. */
static bool
is_shown (const VtrPropertyNode *self,
          const VtrApiField     *field)
{
  if (field->kind == VTR_KIND_NEXT && self->inner.in_chain)
    return false;
  return !vtr_field_is_dead (field, &self->inner, self->property.root->env);
}

static uint64_t
count_members (const VtrPropertyNode *self)
{
  uint64_t count = 0;

  for (unsigned i = 0; i < self->inner.n_fields; i++)
    count += is_shown (self, &vtr_api_fields[self->inner.first_field + i]);
  return count;
}

static void
become_struct (VtrPropertyNode *self,
               VtrStructId      id,
               const void      *base,
               bool             in_chain)
{
  VtrProperty *property = &self->property;

  vtr_scope_init_struct (&self->inner, property->scope, id, base);
  self->inner.in_chain = in_chain;
  property->kind = VTR_PROPERTY_STRUCT;
  property->type = id;
  property->type_name = vtr_api_string (vtr_struct_get (id)->name);
  property->in_chain = in_chain;
  property->n_children = count_members (self);
}

/* A number, handle or address in .slot. */
static void
become_scalar (VtrPropertyNode *self)
{
  VtrProperty *property = &self->property;
  const VtrApiField *field = property->field;

  property->value = (uint64_t)vtr_slot_number (field, property->slot, field->pointers == 0);
  property->type = field->type;
  switch ((VtrApiKind)field->kind)
    {
    case VTR_KIND_BOOL8:
    case VTR_KIND_BOOL32:
      property->kind = VTR_PROPERTY_BOOL;
      break;
    case VTR_KIND_ENUM:
      property->kind = VTR_PROPERTY_ENUM;
      if (vtr_enum_is_known (field->type) && vtr_enum_get (field->type)->is_bitmask)
        property->kind = VTR_PROPERTY_FLAGS;
      break;
    case VTR_KIND_FLAGS32:
    case VTR_KIND_FLAGS64:
      property->kind = VTR_PROPERTY_FLAGS;
      break;
    case VTR_KIND_HANDLE:
      property->kind = VTR_PROPERTY_HANDLE;
      break;
    case VTR_KIND_ADDRESS:
    case VTR_KIND_FUNCTION:
      if (vtr_field_is_offset (field, property->scope, property->root->env))
        {
          property->kind = VTR_PROPERTY_NUMBER;
          break;
        }
      property->kind = property->value == 0 ? VTR_PROPERTY_NULL : VTR_PROPERTY_ADDRESS;
      property->address = property->value;
      break;
    default:
      property->kind = VTR_PROPERTY_NUMBER;
      if ((field->flags & VTR_FIELD_OBJECT) != 0)
        {
          property->kind = VTR_PROPERTY_HANDLE;
          property->type = vtr_field_object_type (field, property->scope);
        }
      break;
    }
}

static void
become_element (VtrPropertyNode *self)
{
  if (vtr_field_is_struct (self->property.field))
    become_struct (self, self->property.field->type, self->property.slot, false);
  else
    become_scalar (self);
}

/* @count elements at @base, once every pointer was followed. */
static void
become_run (VtrPropertyNode *self,
            const void      *base,
            uint64_t         count,
            bool             single)
{
  VtrProperty *property = &self->property;
  const VtrApiField *field = property->field;

  property->slot = base;
  property->level = field->pointers;
  if (field->kind == VTR_KIND_CHAR && ((field->flags & VTR_FIELD_STRING) != 0 || !single))
    {
      property->kind = VTR_PROPERTY_STRING;
      property->bytes = base;
      property->size = strnlen (base, (size_t)count);
    }
  else if (field->kind == VTR_KIND_VOID || (field->kind == VTR_KIND_U8 && !single))
    {
      property->kind = VTR_PROPERTY_BYTES;
      property->bytes = base;
      property->size = (size_t)count;
    }
  else if (single)
    become_element (self);
  else
    {
      property->kind = VTR_PROPERTY_ARRAY;
      property->n_children = count;
    }
}

/* Whether a pointer was not observed because there are no elements behind it. */
static bool
is_empty_run (const VtrProperty *property,
              unsigned           level,
              uint64_t           index)
{
  const VtrApiField *field = property->field;
  uint64_t count;

  if (field->length[level] == 0 || (field->flags & VTR_FIELD_SIZED) != 0)
    return false;
  return vtr_field_length (field, level, property->scope, property->root->env, index, NULL,
                           &count) &&
         count == 0;
}

/* The pointer of @level in .slot. */
static void
become_pointer (VtrPropertyNode *self,
                unsigned         level,
                uint64_t         index)
{
  VtrProperty *property = &self->property;
  const VtrApiField *field = property->field;
  const VtrPropertyRoot *root = property->root;
  const void *pointer = vtr_slot_pointer (property->slot);
  bool follow = level > 0 || vtr_field_is_followed (field, property->scope, root->env);
  uint64_t count;

  if (level == 0 && vtr_field_is_offset (field, property->scope, root->env))
    {
      property->kind = VTR_PROPERTY_NUMBER;
      property->value = (uint64_t)(uintptr_t)pointer;
      return;
    }
  property->ignored = !follow;
  property->out = (field->flags & VTR_FIELD_OUT) != 0;
  property->address = (uint64_t)(uintptr_t)pointer;
  if (root->decoded != NULL)
    property->address = vtr_decoded_address (root->decoded, property->slot);
  property->kind = property->address == 0 ? VTR_PROPERTY_NULL : VTR_PROPERTY_ADDRESS;
  if (pointer == NULL && property->address != 0 && follow &&
      is_empty_run (property, level, index))
    {
      property->kind = VTR_PROPERTY_ARRAY;
      return;
    }
  if (pointer == NULL || !follow ||
      !vtr_field_length (field, level, property->scope, root->env, index, pointer, &count))
    return;
  if (level + 1u == field->pointers)
    {
      become_run (self, pointer, count,
                  field->length[level] == 0 && (field->flags & VTR_FIELD_SIZED) == 0);
      return;
    }
  property->kind = VTR_PROPERTY_ARRAY;
  property->slot = pointer;
  property->level = (uint8_t)(level + 1);
  property->n_children = count;
}

static const void *
chain_element (const void *next,
               uint64_t    index)
{
  for (uint64_t n = 0; next != NULL && n < VTR_WALK_MAX_CHAIN; n++)
    {
      VtrChainHeader header;

      if (n == index)
        return next;
      memcpy (&header, next, sizeof header);
      next = header.next;
    }
  return NULL;
}

static void
become_chain (VtrPropertyNode *self)
{
  VtrProperty *property = &self->property;
  const void *next = vtr_slot_pointer (property->slot);

  property->address = (uint64_t)(uintptr_t)next;
  if (property->root->decoded != NULL)
    property->address = vtr_decoded_address (property->root->decoded, property->slot);
  property->kind = property->address == 0 ? VTR_PROPERTY_NULL : VTR_PROPERTY_ADDRESS;
  if (next == NULL)
    return;
  property->kind = VTR_PROPERTY_CHAIN;
  while (chain_element (next, property->n_children) != NULL)
    property->n_children++;
}

static void
init_member (VtrPropertyNode       *self,
             const VtrPropertyNode *parent,
             const VtrApiField     *field)
{
  VtrProperty *property = &self->property;

  property->parent = &parent->property;
  property->root = parent->property.root;
  property->scope = &parent->inner;
  property->field = field;
  property->name = vtr_api_string (field->name);
  property->type_name = vtr_field_type_name (field);
  property->slot = vtr_scope_slot (&parent->inner, field);
  property->out = parent->property.out;
  if (field->kind == VTR_KIND_NEXT)
    become_chain (self);
  else if (field->pointers > 0)
    become_pointer (self, 0, 0);
  else if (field->array > 1)
    become_run (self, property->slot, vtr_field_array_count (field, property->scope), false);
  else
    {
      become_element (self);
      property->ignored =
        vtr_field_is_live (field, property->scope, property->root->env) == VTR_NO;
    }
}

static void
init_element (VtrPropertyNode       *self,
              const VtrPropertyNode *parent,
              uint64_t               index)
{
  VtrProperty *property = &self->property;
  const VtrProperty *array = &parent->property;
  const VtrApiField *field = array->field;
  uint32_t size = vtr_field_element_size (field, array->level, VTR_ABI_NATIVE);

  property->parent = array;
  property->root = array->root;
  property->scope = array->scope;
  property->field = field;
  property->type_name = vtr_field_type_name (field);
  property->level = array->level;
  property->out = array->out;
  snprintf (self->index_name, sizeof self->index_name, "[%" PRIu64 "]", index);
  property->name = self->index_name;
  property->slot = (const uint8_t *)array->slot + index * size;
  if (array->level < field->pointers)
    become_pointer (self, array->level, index);
  else
    become_element (self);
}

static bool
init_link (VtrPropertyNode       *self,
           const VtrPropertyNode *parent,
           uint64_t               index)
{
  VtrProperty *property = &self->property;
  const void *element = chain_element (vtr_slot_pointer (parent->property.slot), index);
  VtrChainHeader header;
  VtrStructId id;

  if (element == NULL)
    return false;
  memcpy (&header, element, sizeof header);
  id = vtr_struct_from_stype (header.stype);
  property->parent = &parent->property;
  property->root = parent->property.root;
  property->scope = parent->property.scope;
  property->field = parent->property.field;
  property->slot = element;
  property->out = parent->property.out;
  if (id != VTR_STRUCT_NONE)
    {
      become_struct (self, id, element, true);
      property->name = property->type_name;
      return true;
    }
  snprintf (self->index_name, sizeof self->index_name, "sType %u", header.stype);
  property->name = self->index_name;
  property->type_name = "VkBaseInStructure";
  property->kind = VTR_PROPERTY_ADDRESS;
  property->address = (uint64_t)(uintptr_t)element;
  return true;
}

bool
vtr_property_init_child (VtrPropertyNode       *self,
                         const VtrPropertyNode *parent,
                         uint64_t               index)
{
  memset (self, 0, sizeof *self);
  if (index >= parent->property.n_children)
    return false;
  if (parent->property.kind == VTR_PROPERTY_CHAIN)
    return init_link (self, parent, index);
  if (parent->property.kind == VTR_PROPERTY_ARRAY)
    {
      init_element (self, parent, index);
      return true;
    }
  for (unsigned i = 0; i < parent->inner.n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[parent->inner.first_field + i];

      if (is_shown (parent, field) && index-- == 0)
        {
          init_member (self, parent, field);
          return true;
        }
    }
  return false;
}

void
vtr_property_init_args (VtrPropertyNode       *self,
                        const VtrPropertyRoot *root,
                        const void            *args)
{
  memset (self, 0, sizeof *self);
  vtr_scope_init_args (&self->inner, root->cmd, args);
  self->property.kind = VTR_PROPERTY_STRUCT;
  self->property.name = vtr_cmd_name (root->cmd);
  self->property.type_name = self->property.name;
  self->property.type = VTR_STRUCT_NONE;
  self->property.root = root;
  self->property.slot = args;
  self->property.n_children = self->inner.n_fields;
}

void
vtr_property_init_struct (VtrPropertyNode       *self,
                          const VtrPropertyRoot *root,
                          VtrStructId            id,
                          const void            *base)
{
  memset (self, 0, sizeof *self);
  self->property.root = root;
  self->property.slot = base;
  become_struct (self, id, base, false);
  self->property.name = self->property.type_name;
}

/* --- Public ---------------------------------------------------------------------------------- */

static VtrPropertyRoot *
new_root (VtrArena         *arena,
          VtrCmdId          cmd,
          const VtrDecoded *decoded,
          const VtrApiEnv  *env)
{
  VtrPropertyRoot *root = vtr_arena_new (arena, VtrPropertyRoot);

  if (root != NULL)
    *root = (VtrPropertyRoot){ cmd, decoded, env == NULL ? &vtr_env_of_decoded : env };
  return root;
}

const VtrProperty *
vtr_property_root (VtrArena         *arena,
                   VtrCmdId          cmd,
                   const void       *args,
                   const VtrDecoded *decoded,
                   const VtrApiEnv  *env)
{
  VtrPropertyRoot *root = new_root (arena, cmd, decoded, env);
  VtrPropertyNode *self = vtr_arena_new (arena, VtrPropertyNode);

  if (root == NULL || self == NULL)
    return NULL;
  vtr_property_init_args (self, root, args);
  return &self->property;
}

const VtrProperty *
vtr_property_struct_root (VtrArena        *arena,
                          VtrStructId      id,
                          const void      *base,
                          const VtrApiEnv *env)
{
  VtrPropertyRoot *root = new_root (arena, VTR_CMD_NONE, NULL, env);
  VtrPropertyNode *self = vtr_arena_new (arena, VtrPropertyNode);

  if (root == NULL || self == NULL)
    return NULL;
  vtr_property_init_struct (self, root, id, base);
  return &self->property;
}

const VtrProperty *
vtr_property_child (VtrArena          *arena,
                    const VtrProperty *self,
                    uint64_t           index)
{
  VtrPropertyNode *child;

  if (index >= self->n_children)
    return NULL;
  child = vtr_arena_new (arena, VtrPropertyNode);
  if (child == NULL || !vtr_property_init_child (child, node_of (self), index))
    return NULL;
  return &child->property;
}

/* The child that the first @length characters of @name denote. */
static const VtrProperty *
find_child (VtrArena          *arena,
            const VtrProperty *self,
            const char        *name,
            size_t             length)
{
  if (self->kind == VTR_PROPERTY_ARRAY || (length > 1 && name[0] == '['))
    {
      char *end;
      uint64_t index;

      if (length > 0 && name[0] == '[')
        name++;
      if (*name < '0' || *name > '9')
        return NULL;
      index = strtoull (name, &end, 10);
      return vtr_property_child (arena, self, index);
    }
  for (uint64_t i = 0; i < self->n_children; i++)
    {
      VtrPropertyNode child;

      if (vtr_property_init_child (&child, node_of (self), i) &&
          strlen (child.property.name) == length && memcmp (child.property.name, name, length) == 0)
        return vtr_property_child (arena, self, i);
    }
  return NULL;
}

const VtrProperty *
vtr_property_find (VtrArena          *arena,
                   const VtrProperty *self,
                   const char        *path)
{
  while (self != NULL && *path != '\0')
    {
      size_t length;

      if (*path == '/')
        {
          path++;
          continue;
        }
      /* "pSubmits[0]" is two steps. */
      length = strcspn (path + 1, "/[") + 1;
      self = find_child (arena, self, path, length);
      path += length;
    }
  return self;
}
