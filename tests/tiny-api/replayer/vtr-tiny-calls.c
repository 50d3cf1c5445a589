/* Runs the calls of the tiny API that the replayer has to check: the names and pointers they take,
 * and what they bind. */
#include "vtr-tiny-replay.h"

#include "base/vtr-grow.h"

#include <stdlib.h>

/* Returns: whether @size bytes at @at lie in the machine's memory; else after vtr_vm_fail (). */
static bool
check (VtrTinyReplay *self, const void *at, uint64_t size, VtrVmAccess access)
{
  if (size == 0 || vtr_vm_memory_resolve (&self->vm->memory, VTR_VM_ABSOLUTE, (uintptr_t)at, size,
                                          access) != NULL)
    return true;
  vtr_vm_fail (self->vm, VTR_VM_ERROR_PAYLOAD,
               "What a call points to lies outside the machine's memory.");
  return false;
}

static VtrTinyContext *
find_context (const VtrTinyReplay *self, uint64_t context)
{
  VtrTinyContext *each = self->contexts;

  while (each != NULL && (each->ended || (uintptr_t)each->context != context))
    each = each->next;
  return each;
}

VtrTinyContext *
vtr_tiny_need_context (VtrTinyReplay *self, uint64_t context)
{
  VtrTinyContext *found = find_context (self, context);

  if (found == NULL)
    vtr_vm_fail (self->vm, VTR_VM_ERROR_PAYLOAD, "There is no context 0x%llx.",
                 (unsigned long long)context);
  return found;
}

/* --- Contexts -------------------------------------------------------------------------------- */

static VtrTinyArray *
add_array (VtrTinyContext *context, uint32_t name)
{
  VtrTinyArray *array = calloc (1, sizeof *array);

  if (array == NULL)
    return NULL;
  *array = (VtrTinyArray){ .next = context->arrays, .name = name, .named = true };
  context->arrays = array;
  return array;
}

/* Forgets what the library freed. */
static void
forget_context (VtrTinyReplay *self, VtrTinyContext *context)
{
  for (VtrTinyContext **link = &self->contexts; *link != NULL; link = &(*link)->next)
    if (*link == context)
      {
        *link = context->next;
        break;
      }
  while (context->arrays != NULL)
    {
      VtrTinyArray *next = context->arrays->next;

      free (context->arrays);
      context->arrays = next;
    }
  if (context->group != NULL && --context->group->n_contexts == 0)
    {
      free (context->group->pictures);
      free (context->group);
    }
  free (context);
}

static VtrTinyContext *
add_context (VtrTinyReplay *self, VtrTinyContext *share)
{
  VtrTinyContext *context = calloc (1, sizeof *context);

  if (context == NULL)
    return NULL;
  context->next = self->contexts;
  self->contexts = context;
  context->group = share != NULL ? share->group : calloc (1, sizeof *context->group);
  context->array = add_array (context, 0);
  if (context->group != NULL)
    context->group->n_contexts++;
  if (context->group != NULL && context->array != NULL)
    return context;
  forget_context (self, context);
  return NULL;
}

TnContext
vtr_tiny_call_tnCreateContext (VtrTinyReplay *self,
                               TnContext      share,
                               uint32_t       width,
                               uint32_t       height)
{
  VtrTinyContext *shared = share != NULL ? vtr_tiny_need_context (self, (uintptr_t)share) : NULL;
  VtrTinyContext *context;

  if (share != NULL && shared == NULL)
    return NULL;
  context = add_context (self, shared);
  if (context != NULL)
    context->context = self->library.tnCreateContext (share, width, height);
  if (context == NULL || context->context == NULL)
    {
      if (context != NULL)
        forget_context (self, context);
      vtr_vm_fail (self->vm, VTR_VM_ERROR_CALL_MEMORY,
                   "There is no memory for a window of %u × %u", width, height);
      return NULL;
    }
  context->width = width;
  context->height = height;
  context->pen = UINT32_MAX;
  return context->context;
}

void
vtr_tiny_call_tnDestroyContext (VtrTinyReplay *self, TnContext context)
{
  VtrTinyContext *ended;

  if (context == NULL)
    return;
  ended = vtr_tiny_need_context (self, (uintptr_t)context);
  if (ended == NULL)
    return;
  self->library.tnDestroyContext (context);
  if (ended == self->current)
    ended->ended = true;
  else
    forget_context (self, ended);
}

uint32_t
vtr_tiny_call_tnMakeCurrent (VtrTinyReplay *self, TnContext context)
{
  VtrTinyContext *last = self->current;
  VtrTinyContext *next = NULL;

  if (context != NULL)
    {
      next = vtr_tiny_need_context (self, (uintptr_t)context);
      if (next == NULL)
        return 0;
    }
  if (self->library.tnMakeCurrent (context) == 0)
    return 0;
  self->current = next;
  if (last != NULL && last != next && last->ended)
    forget_context (self, last);
  return 1;
}

void
vtr_tiny_destroy_contexts (VtrTinyReplay *self)
{
  if (self->contexts == NULL)
    return;
  self->library.tnMakeCurrent (NULL);
  while (self->contexts != NULL)
    {
      if (!self->contexts->ended)
        self->library.tnDestroyContext (self->contexts->context);
      forget_context (self, self->contexts);
    }
  self->current = NULL;
}

/* --- Names ----------------------------------------------------------------------------------- */

bool
vtr_tiny_has_picture (const VtrTinyContext *context, uint32_t name)
{
  for (size_t i = 0; i < context->group->n; i++)
    if (context->group->pictures[i] == name)
      return true;
  return false;
}

void
vtr_tiny_call_tnGen (VtrTinyReplay *self, TnKind kind, uint32_t n, uint32_t *names)
{
  if (check (self, names, (uint64_t)n * sizeof *names, VTR_VM_WRITE))
    self->library.tnGen (kind, n, names);
}

static void
delete_picture (VtrTinyReplay *self, uint32_t name)
{
  VtrTinyGroup *group = self->current->group;

  for (size_t i = 0; i < group->n; i++)
    if (group->pictures[i] == name)
      group->pictures[i--] = group->pictures[--group->n];
  for (VtrTinyContext *each = self->contexts; each != NULL; each = each->next)
    if (each->group == group && each->picture == name && name != 0)
      each->picture_unnamed = true;
}

static void
delete_store (VtrTinyReplay *self, uint32_t name)
{
  for (VtrTinyContext *each = self->contexts; each != NULL; each = each->next)
    if (each->group == self->current->group && each->store == name && name != 0)
      each->store_unnamed = true;
}

static void
delete_array (VtrTinyReplay *self, uint32_t name)
{
  for (VtrTinyArray *array = self->current->arrays; array != NULL; array = array->next)
    if (array->name == name && name != 0)
      array->named = false;
}

void
vtr_tiny_call_tnDelete (VtrTinyReplay *self, TnKind kind, uint32_t n, const uint32_t *names)
{
  if (!check (self, names, (uint64_t)n * sizeof *names, VTR_VM_READ))
    return;
  self->library.tnDelete (kind, n, names);
  for (uint32_t i = 0; self->current != NULL && i < n; i++)
    if (kind == TN_PICTURE)
      delete_picture (self, names[i]);
    else if (kind == TN_STORE)
      delete_store (self, names[i]);
    else if (kind == TN_ARRAY)
      delete_array (self, names[i]);
}

static bool
bind_picture (VtrTinyContext *context, uint32_t name)
{
  VtrTinyGroup *group = context->group;

  if (name != 0 && !vtr_tiny_has_picture (context, name))
    {
      uint32_t *grown = vtr_grow (group->pictures, &group->max, group->n + 1, sizeof *grown);

      if (grown == NULL)
        return false;
      group->pictures = grown;
      group->pictures[group->n++] = name;
    }
  context->picture = name;
  context->picture_unnamed = false;
  return true;
}

static bool
bind_array (VtrTinyContext *context, uint32_t name)
{
  VtrTinyArray *array = context->arrays;

  while (array != NULL && (!array->named || array->name != name))
    array = array->next;
  if (array == NULL)
    array = add_array (context, name);
  if (array != NULL)
    context->array = array;
  return array != NULL;
}

void
vtr_tiny_call_tnBind (VtrTinyReplay *self, TnKind kind, uint32_t name)
{
  bool fine = true;

  if (self->current != NULL && kind == TN_PICTURE)
    fine = bind_picture (self->current, name);
  else if (self->current != NULL && kind == TN_ARRAY)
    fine = bind_array (self->current, name);
  else if (self->current != NULL && kind == TN_STORE)
    {
      self->current->store = name;
      self->current->store_unnamed = false;
    }
  if (fine)
    self->library.tnBind (kind, name);
  else
    vtr_vm_fail (self->vm, VTR_VM_ERROR_MEMORY, "There is no memory for another object.");
}

/* --- Bytes ----------------------------------------------------------------------------------- */

/* With a store bound, pointers are offsets that the library checks. */
static bool
is_in_store (const VtrTinyReplay *self)
{
  return self->current == NULL || self->current->store != 0;
}

void
vtr_tiny_call_tnPictureData (VtrTinyReplay *self,
                             uint32_t       width,
                             uint32_t       height,
                             const void    *texels)
{
  uint64_t size = UINT64_MAX;

  if (__builtin_mul_overflow ((uint64_t)width * height, 4, &size))
    size = UINT64_MAX;
  if (is_in_store (self) || check (self, texels, size, VTR_VM_READ))
    self->library.tnPictureData (width, height, texels);
}

void
vtr_tiny_call_tnStoreData (VtrTinyReplay *self, size_t size, const void *bytes)
{
  if (check (self, bytes, size, VTR_VM_READ))
    self->library.tnStoreData (size, bytes);
}

void
vtr_tiny_call_tnPointer (VtrTinyReplay *self, uint32_t stride, const void *points)
{
  if (self->current != NULL)
    {
      self->current->array->in_store = is_in_store (self);
      self->current->array->stride = stride;
      self->current->array->points = points;
    }
  self->library.tnPointer (stride, points);
}

void
vtr_tiny_call_tnPen (VtrTinyReplay *self, uint32_t rgba)
{
  if (self->current != NULL)
    self->current->pen = rgba;
  self->library.tnPen (rgba);
}

void
vtr_tiny_call_tnDraw (VtrTinyReplay *self, uint32_t first, uint32_t count)
{
  const VtrTinyArray *array = self->current != NULL ? self->current->array : NULL;
  uint64_t size = 0;

  if (array != NULL && !array->in_store && count > 0 &&
      (__builtin_mul_overflow ((uint64_t)first + count - 1, array->stride, &size) ||
       __builtin_add_overflow (size, 2 * sizeof (float), &size)))
    size = UINT64_MAX;
  if (array == NULL || check (self, array->points, size, VTR_VM_READ))
    self->library.tnDraw (first, count);
}

void
vtr_tiny_call_tnRead (VtrTinyReplay *self, size_t size, void *texels)
{
  if (check (self, texels, size, VTR_VM_WRITE))
    self->library.tnRead (size, texels);
}
