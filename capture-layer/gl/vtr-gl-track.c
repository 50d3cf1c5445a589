/* Keeps what is bound in a context, and how pixels and vertices lie in memory. */
#include "vtr-gl-track.h"

#include "api/vtr-gl-enums.h"

#include <stdlib.h>
#include <string.h>

void
vtr_gl_track_init (VtrGlTrack *self)
{
  *self = (VtrGlTrack){ .env = { .stores_known = true,
                                 .pack = VTR_GL_PIXEL_STORE_INIT,
                                 .unpack = VTR_GL_PIXEL_STORE_INIT } };
  self->array = &self->first;
}

void
vtr_gl_track_clear (VtrGlTrack *self)
{
  while (self->arrays != NULL)
    {
      VtrGlArray *array = self->arrays;

      self->arrays = array->next;
      free (array);
    }
}

/* ---- Buffers ---- */

static void
set_bound (VtrGlTrack *self,
           VtrGlBound  what,
           uint32_t    buffer)
{
  self->bound[what] = buffer;
  self->env.bound[what] = buffer != 0 ? VTR_YES : VTR_NO;
  if (what == VTR_GL_BOUND_ELEMENT_ARRAY)
    self->array->element_buffer = buffer;
}

void
vtr_gl_track_glBindBuffer (VtrGlTrack                 *self,
                           const VtrArgs_glBindBuffer *args)
{
  switch (args->target)
    {
    case GL_ARRAY_BUFFER:
      set_bound (self, VTR_GL_BOUND_ARRAY, args->buffer);
      break;
    case GL_DRAW_INDIRECT_BUFFER:
      set_bound (self, VTR_GL_BOUND_DRAW_INDIRECT, args->buffer);
      break;
    case GL_ELEMENT_ARRAY_BUFFER:
      set_bound (self, VTR_GL_BOUND_ELEMENT_ARRAY, args->buffer);
      break;
    case GL_PIXEL_PACK_BUFFER:
      set_bound (self, VTR_GL_BOUND_PIXEL_PACK, args->buffer);
      break;
    case GL_PIXEL_UNPACK_BUFFER:
      set_bound (self, VTR_GL_BOUND_PIXEL_UNPACK, args->buffer);
      break;
    default:
      break;
    }
}

void
vtr_gl_track_glDeleteBuffers (VtrGlTrack                    *self,
                              const VtrArgs_glDeleteBuffers *args)
{
  for (int32_t i = 0; i < args->n; i++)
    for (int what = 0; what < VTR_GL_N_BOUND; what++)
      if (self->bound[what] != 0 && self->bound[what] == args->buffers[i])
        set_bound (self, (VtrGlBound)what, 0);
}

/* ---- Vertex arrays ---- */

static VtrGlArray *
find_array (VtrGlTrack *self,
            uint32_t    name)
{
  VtrGlArray *array = self->arrays;

  if (name == 0)
    return &self->first;
  while (array != NULL && array->name != name)
    array = array->next;
  return array;
}

static void
use_array (VtrGlTrack *self,
           VtrGlArray *array)
{
  self->array = array;
  set_bound (self, VTR_GL_BOUND_ELEMENT_ARRAY, array->element_buffer);
}

/* Without memory the array before stays, of which nothing may be read then. */
void
vtr_gl_track_glBindVertexArray (VtrGlTrack                      *self,
                                const VtrArgs_glBindVertexArray *args)
{
  VtrGlArray *array = find_array (self, args->array);

  if (array == NULL)
    {
      array = calloc (1, sizeof *array);
      if (array == NULL)
        {
          memset (self->array->attribs, 0, sizeof self->array->attribs);
          return;
        }
      array->name = args->array;
      array->next = self->arrays;
      self->arrays = array;
    }
  use_array (self, array);
}

void
vtr_gl_track_glDeleteVertexArrays (VtrGlTrack                         *self,
                                   const VtrArgs_glDeleteVertexArrays *args)
{
  for (int32_t i = 0; i < args->n; i++)
    for (VtrGlArray **place = &self->arrays; *place != NULL; place = &(*place)->next)
      if ((*place)->name == args->arrays[i])
        {
          VtrGlArray *array = *place;

          *place = array->next;
          if (self->array == array)
            use_array (self, &self->first);
          free (array);
          break;
        }
}

/* Bytes of one component; 0: the type packs all of them. */
static uint32_t
component_size (uint32_t type)
{
  switch (type)
    {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE:
      return 1;
    case GL_SHORT:
    case GL_UNSIGNED_SHORT:
    case GL_HALF_FLOAT:
    case GL_HALF_FLOAT_OES:
      return 2;
    case GL_DOUBLE:
      return 8;
    case GL_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_10F_11F_11F_REV:
      return 0;
    default:
      return 4;
    }
}

static void
set_pointer (VtrGlTrack *self,
             uint32_t    index,
             int32_t     size,
             uint32_t    type,
             int32_t     stride,
             const void *pointer)
{
  const uint32_t n = size == GL_BGRA ? 4 : (uint32_t)size;
  VtrGlAttrib *attrib;

  /* The driver refuses the call then. */
  if (index >= VTR_GL_MAX_ATTRIBS || n < 1 || n > 4 || stride < 0)
    return;
  attrib = &self->array->attribs[index];
  attrib->is_memory = self->bound[VTR_GL_BOUND_ARRAY] == 0 && pointer != NULL;
  attrib->pointer = pointer;
  attrib->stride = (uint32_t)stride;
  attrib->element_size = component_size (type) == 0 ? 4 : n * component_size (type);
}

void
vtr_gl_track_glVertexAttribPointer (VtrGlTrack                          *self,
                                    const VtrArgs_glVertexAttribPointer *args)
{
  set_pointer (self, args->index, args->size, args->type, args->stride, args->pointer);
}

void
vtr_gl_track_glVertexAttribIPointer (VtrGlTrack                           *self,
                                     const VtrArgs_glVertexAttribIPointer *args)
{
  set_pointer (self, args->index, args->size, args->type, args->stride, args->pointer);
}

void
vtr_gl_track_glEnableVertexAttribArray (VtrGlTrack                              *self,
                                        const VtrArgs_glEnableVertexAttribArray *args)
{
  if (args->index < VTR_GL_MAX_ATTRIBS)
    self->array->attribs[args->index].enabled = true;
}

void
vtr_gl_track_glDisableVertexAttribArray (VtrGlTrack                               *self,
                                         const VtrArgs_glDisableVertexAttribArray *args)
{
  if (args->index < VTR_GL_MAX_ATTRIBS)
    self->array->attribs[args->index].enabled = false;
}

void
vtr_gl_track_glVertexAttribDivisor (VtrGlTrack                          *self,
                                    const VtrArgs_glVertexAttribDivisor *args)
{
  if (args->index < VTR_GL_MAX_ATTRIBS)
    self->array->attribs[args->index].divisor = args->divisor;
}

/* Bindings hold buffers alone, so an input that gets one is in no memory of the program any
 * more. */
void
vtr_gl_track_glVertexAttribBinding (VtrGlTrack                          *self,
                                    const VtrArgs_glVertexAttribBinding *args)
{
  if (args->attribindex < VTR_GL_MAX_ATTRIBS && args->attribindex != args->bindingindex)
    self->array->attribs[args->attribindex].is_memory = false;
}

void
vtr_gl_track_glBindVertexBuffer (VtrGlTrack                       *self,
                                 const VtrArgs_glBindVertexBuffer *args)
{
  if (args->bindingindex < VTR_GL_MAX_ATTRIBS)
    self->array->attribs[args->bindingindex].is_memory = false;
}

/* ---- Pixels ---- */

static void
store (VtrGlTrack *self,
       uint32_t    pname,
       int32_t     value)
{
  VtrGlEnv *env = &self->env;
  const struct
  {
    uint32_t pname;
    int32_t *member;
  } members[] = {
    { GL_PACK_ALIGNMENT, &env->pack.alignment },
    { GL_PACK_ROW_LENGTH, &env->pack.row_length },
    { GL_PACK_IMAGE_HEIGHT, &env->pack.image_height },
    { GL_PACK_SKIP_PIXELS, &env->pack.skip_pixels },
    { GL_PACK_SKIP_ROWS, &env->pack.skip_rows },
    { GL_PACK_SKIP_IMAGES, &env->pack.skip_images },
    { GL_UNPACK_ALIGNMENT, &env->unpack.alignment },
    { GL_UNPACK_ROW_LENGTH, &env->unpack.row_length },
    { GL_UNPACK_IMAGE_HEIGHT, &env->unpack.image_height },
    { GL_UNPACK_SKIP_PIXELS, &env->unpack.skip_pixels },
    { GL_UNPACK_SKIP_ROWS, &env->unpack.skip_rows },
    { GL_UNPACK_SKIP_IMAGES, &env->unpack.skip_images },
  };
  const bool aligns = pname == GL_PACK_ALIGNMENT || pname == GL_UNPACK_ALIGNMENT;

  /* The driver refuses others. */
  if (value < 0 || (aligns && value != 1 && value != 2 && value != 4 && value != 8))
    return;
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (members[i].pname == pname)
      *members[i].member = value;
}

void
vtr_gl_track_glPixelStorei (VtrGlTrack                  *self,
                            const VtrArgs_glPixelStorei *args)
{
  store (self, args->pname, args->param);
}

void
vtr_gl_track_glPixelStoref (VtrGlTrack                  *self,
                            const VtrArgs_glPixelStoref *args)
{
  if (args->param >= 0 && args->param < 0x1p30f)
    store (self, args->pname, (int32_t)(args->param + 0.5f));
}

void
vtr_gl_track_glPopClientAttrib (VtrGlTrack                      *self,
                                const VtrArgs_glPopClientAttrib *args)
{
  self->env.stores_known = false;
  for (int what = 0; what < VTR_GL_N_BOUND; what++)
    self->env.bound[what] = VTR_UNKNOWN;
  memset (self->array->attribs, 0, sizeof self->array->attribs);
}
