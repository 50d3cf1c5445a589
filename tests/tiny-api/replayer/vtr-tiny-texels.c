/* Reads and fills pictures of the tiny API, through a context of the replayer if a name identifies
 * the picture, otherwise in a context of the trace, whose bindings it restores. */
#include "vtr-tiny-replay.h"

#include <stdlib.h>

/* Makes @context current, which is the replayer's own or one of the trace's. leave () makes current
 * what was before. Returns: false after vtr_vm_fail (). */
static bool
enter (VtrTinyReplay *self, TnContext context)
{
  if (self->current != NULL && self->current->ended && self->current->context != context)
    {
      vtr_vm_fail (self->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "The current context was destroyed: it must be left first.");
      return false;
    }
  return self->library.tnMakeCurrent (context) != 0;
}

static void
leave (VtrTinyReplay *self)
{
  self->library.tnMakeCurrent (self->current != NULL ? self->current->context : NULL);
}

/* Returns: the bytes of @width × @height texels; 0 after vtr_vm_fail (). */
static uint64_t
get_size (VtrTinyReplay *self, uint32_t width, uint32_t height, uint32_t depth)
{
  uint64_t size;

  if (depth == 1 && width > 0 && height > 0 &&
      !__builtin_mul_overflow ((uint64_t)width * height, 4, &size) && size <= 1u << 30)
    return size;
  vtr_vm_fail (self->vm, VTR_VM_ERROR_PAYLOAD,
               "A picture of %u × %u × %u cannot be read or filled.", width, height,
               depth);
  return 0;
}

/* --- Reading --------------------------------------------------------------------------------- */

/* Reads what is bound in the current context to @to. */
static bool
read_bound (VtrTinyReplay *self, uint64_t size, uint8_t *to)
{
  /* An error of the program comes before one of the replayer. */
  self->library.tnGetError ();
  self->library.tnRead ((size_t)size, to);
  if (self->library.tnGetError () == TN_NO_ERROR)
    return true;
  vtr_vm_fail (self->vm, VTR_VM_ERROR_UNSUPPORTED, "The picture is larger than %llu bytes.",
               (unsigned long long)size);
  return false;
}

static bool
read_named (VtrTinyReplay        *self,
            const VtrTinyContext *owner,
            uint32_t              name,
            uint64_t              size,
            uint8_t              *to)
{
  TnContext own = self->library.tnCreateContext (owner->context, 1, 1);
  bool fine = false;

  if (own == NULL)
    vtr_vm_fail (self->vm, VTR_VM_ERROR_MEMORY, "There is no memory to read a picture.");
  else if (enter (self, own))
    {
      self->library.tnBind (TN_PICTURE, name);
      fine = read_bound (self, size, to);
      leave (self);
    }
  self->library.tnDestroyContext (own);
  return fine;
}

static bool
read_window (VtrTinyReplay *self, const VtrTinyContext *owner, uint64_t size, uint8_t *to)
{
  bool fine;

  if (owner->picture_unnamed)
    {
      vtr_vm_fail (self->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "The window cannot be read: what is bound has no name to bind it again.");
      return false;
    }
  if (!enter (self, owner->context))
    return false;
  if (owner->picture != 0)
    self->library.tnBind (TN_PICTURE, 0);
  fine = read_bound (self, size, to);
  if (owner->picture != 0)
    self->library.tnBind (TN_PICTURE, owner->picture);
  leave (self);
  return fine;
}

static bool
read_picture (VtrTinyReplay *self, const VtrReplayReadTexels *read, uint64_t size, uint8_t *to)
{
  const VtrTinyContext *owner = vtr_tiny_need_context (self, read->owner);
  bool fine;

  if (owner == NULL)
    return false;
  if (read->word == VTR_TINY_BOUND_PICTURE || (read->object == 0 && owner->picture == 0))
    {
      if (!enter (self, owner->context))
        return false;
      fine = read_bound (self, size, to);
      leave (self);
      return fine;
    }
  if (read->object == 0)
    return read_window (self, owner, size, to);
  if (read->object <= UINT32_MAX && vtr_tiny_has_picture (owner, (uint32_t)read->object))
    return read_named (self, owner, (uint32_t)read->object, size, to);
  vtr_vm_fail (self->vm, VTR_VM_ERROR_PAYLOAD, "There is no picture %llu.",
               (unsigned long long)read->object);
  return false;
}

void
vtr_tiny_read_texels (void *data, const VtrReplayReadTexels *read)
{
  VtrTinyReplay *self = data;
  uint64_t size = get_size (self, read->width, read->height, read->depth);
  uint8_t *texels;
  uint8_t *to;

  if (size == 0)
    return;
  texels = calloc (1, (size_t)size);
  if (texels == NULL)
    vtr_vm_fail (self->vm, VTR_VM_ERROR_MEMORY, "There is no memory to read a picture.");
  else if (read_picture (self, read, size, texels))
    {
      to = self->host.post (self->host.data, read->post, size);
      if (to != NULL)
        memcpy (to, texels, (size_t)size);
    }
  free (texels);
}

/* --- Filling --------------------------------------------------------------------------------- */

static void
fill_named (VtrTinyReplay              *self,
            const VtrTinyContext       *owner,
            const VtrReplayWriteTexels *write,
            const void                 *source)
{
  TnContext own = self->library.tnCreateContext (owner->context, 1, 1);

  if (own == NULL)
    vtr_vm_fail (self->vm, VTR_VM_ERROR_MEMORY, "There is no memory to fill a picture.");
  else if (enter (self, own))
    {
      self->library.tnBind (TN_PICTURE, (uint32_t)write->object);
      self->library.tnPictureData (write->width, write->height, source);
      leave (self);
    }
  self->library.tnDestroyContext (own);
}

/* Draws two triangles that cover texels [@x0, @x1) of row @y, and none beside. */
static void
draw_run (VtrTinyReplay *self, float x0, float x1, float y)
{
  const float left = x0 + 0.25f, right = x1 - 0.25f, bottom = y + 0.25f, top = y + 0.75f;
  const float points[][2] = {
    { left, bottom },
    { right, bottom },
    { right, top },
    { left, bottom },
    { right, top },
    { left, top },
  };

  self->library.tnPointer (sizeof points[0], points);
  self->library.tnDraw (0, 6);
}

/* No call gives a window its texels: they are drawn, run by run. */
static void
draw_texels (VtrTinyReplay *self, uint32_t width, uint32_t height, const uint8_t *source)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0, end; x < width; x = end)
      {
        uint32_t rgba, next;

        memcpy (&rgba, source + ((size_t)y * width + x) * 4, sizeof rgba);
        for (end = x + 1; end < width; end++)
          {
            memcpy (&next, source + ((size_t)y * width + end) * 4, sizeof next);
            if (next != rgba)
              break;
          }
        self->library.tnPen (rgba);
        draw_run (self, (float)x, (float)end, (float)y);
      }
}

/* The first array is the context's own, and the only one that needs no name. */
static void
fill_window (VtrTinyReplay              *self,
             const VtrTinyContext       *owner,
             const VtrReplayWriteTexels *write,
             const uint8_t              *source)
{
  const VtrTinyArray *first = owner->arrays;

  while (first->next != NULL)
    first = first->next;
  if (write->width != owner->width || write->height != owner->height || owner->picture_unnamed ||
      owner->store_unnamed || !owner->array->named || first->in_store)
    {
      vtr_vm_fail (self->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "The window cannot be filled with what is bound.");
      return;
    }
  if (!enter (self, owner->context))
    return;
  self->library.tnBind (TN_PICTURE, 0);
  self->library.tnBind (TN_ARRAY, 0);
  self->library.tnBind (TN_STORE, 0);
  draw_texels (self, write->width, write->height, source);
  self->library.tnPointer (first->stride, first->points);
  self->library.tnPen (owner->pen);
  self->library.tnBind (TN_STORE, owner->store);
  self->library.tnBind (TN_ARRAY, owner->array->name);
  self->library.tnBind (TN_PICTURE, owner->picture);
  leave (self);
}

void
vtr_tiny_write_texels (void                       *data,
                       const VtrReplayWriteTexels *write,
                       const void                 *source,
                       uint64_t                    size)
{
  VtrTinyReplay *self = data;
  const uint64_t whole = get_size (self, write->width, write->height, write->depth);
  const VtrTinyContext *owner = whole != 0 ? vtr_tiny_need_context (self, write->owner) : NULL;

  if (owner == NULL)
    return;
  if (size < whole || write->x != 0 || write->y != 0 || write->z != 0)
    vtr_vm_fail (self->vm, VTR_VM_ERROR_PAYLOAD, "A picture of %u × %u is filled whole.",
                 write->width,
                 write->height);
  else if (write->object == 0)
    fill_window (self, owner, write, source);
  else if (write->object <= UINT32_MAX && vtr_tiny_has_picture (owner, (uint32_t)write->object))
    fill_named (self, owner, write, source);
  else
    vtr_vm_fail (self->vm, VTR_VM_ERROR_PAYLOAD, "There is no picture %llu.",
                 (unsigned long long)write->object);
}
