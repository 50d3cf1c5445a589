/* The rules of OpenGL's specifications that need more than a look at the arguments: answers to the
 * questions of src/gl/gen/overlay_gl.py, which says where each applies. */
#include "api/vtr-api-rules.h"

#include "api/vtr-gl-enums.h"
#include "gl/vtr-gl-pixels.h"

#include <string.h>

VtrApiAnswer vtr_gl_answer;

/* More attributes than any list has. */
#define MAX_ATTRIBUTES 4096

/* The walk's data about the context; NULL: none. */
static const VtrGlEnv *
env_of (const VtrApiWalk *walk)
{
  return walk->env == NULL ? NULL : walk->env->state;
}

/* The parameter called @name, by value; @otherwise where the command has none. */
static int64_t
get_param (const VtrApiWalk *walk,
           const char       *name,
           int64_t           otherwise)
{
  const VtrScope *scope = vtr_scope_root (walk->scope);
  const int nth = vtr_cmd_find_param (scope->cmd, name);
  const VtrApiField *field;
  int64_t wide = 0;
  int32_t narrow;

  if (nth < 0)
    return otherwise;
  field = vtr_cmd_param (scope->cmd, (unsigned)nth);
  memcpy (&wide, vtr_scope_slot (scope, field), field->size[VTR_ABI_NATIVE]);
  if (field->kind != VTR_KIND_I32)
    return wide;
  memcpy (&narrow, &wide, sizeof narrow);
  return narrow;
}

static bool
has_param (const VtrApiWalk *walk,
           const char       *name)
{
  return vtr_cmd_find_param (vtr_scope_root (walk->scope)->cmd, name) >= 0;
}

/* --- Pixels ---------------------------------------------------------------------------------- */

static const VtrGlPixelStore *
get_store (const VtrApiWalk *walk,
           bool              pack)
{
  const VtrGlEnv *env = env_of (walk);

  if (env == NULL || !env->stores_known)
    return NULL;
  return pack ? &env->pack : &env->unpack;
}

static bool
measure_pixels (const VtrApiWalk *walk,
                bool              pack,
                int64_t          *out)
{
  const VtrGlPixelStore *store = get_store (walk, pack);
  const int64_t extent[3] = { get_param (walk, "width", 1), get_param (walk, "height", 1),
                              get_param (walk, "depth", 1) };
  const unsigned n = has_param (walk, "depth") ? 3 : has_param (walk, "height") ? 2
                                                                                : 1;
  int64_t images;

  if (store == NULL ||
      !vtr_gl_pixel_bytes (store, (uint32_t)get_param (walk, "format", 0),
                           (uint32_t)get_param (walk, "type", 0), n, extent, out))
    return false;
  images = get_param (walk, "size4d", 1);
  return images >= 0 && !__builtin_mul_overflow (*out, images, out);
}

static bool
measure_row (const VtrApiWalk *walk,
             int64_t           pixels,
             int64_t          *out)
{
  const VtrGlPixelStore *store = get_store (walk, false);
  const int64_t extent[3] = { pixels, 1, 1 };

  return store != NULL &&
         vtr_gl_pixel_bytes (store, (uint32_t)get_param (walk, "format", 0),
                             (uint32_t)get_param (walk, "type", 0), 1, extent, out);
}

static bool
measure_bits (const VtrApiWalk *walk,
              bool              pack,
              int64_t           width,
              int64_t           height,
              int64_t          *out)
{
  const VtrGlPixelStore *store = get_store (walk, pack);
  const int64_t extent[3] = { width, height, 1 };

  return store != NULL &&
         vtr_gl_pixel_bytes (store, GL_COLOR_INDEX, GL_BITMAP, 2, extent, out);
}

static bool
measure_texel (const VtrApiWalk *walk,
               int64_t          *out)
{
  *out = vtr_gl_pixel_bits ((uint32_t)get_param (walk, "format", 0),
                            (uint32_t)get_param (walk, "type", 0)) /
         8;
  return *out > 0;
}

/* --- Buffers --------------------------------------------------------------------------------- */

static bool
is_bound (const VtrApiWalk *walk,
          int64_t           target,
          int64_t          *out)
{
  static const uint32_t targets[VTR_GL_N_BOUND] = {
    [VTR_GL_BOUND_ARRAY] = GL_ARRAY_BUFFER,
    [VTR_GL_BOUND_DRAW_INDIRECT] = GL_DRAW_INDIRECT_BUFFER,
    [VTR_GL_BOUND_ELEMENT_ARRAY] = GL_ELEMENT_ARRAY_BUFFER,
    [VTR_GL_BOUND_PIXEL_PACK] = GL_PIXEL_PACK_BUFFER,
    [VTR_GL_BOUND_PIXEL_UNPACK] = GL_PIXEL_UNPACK_BUFFER,
  };
  const VtrGlEnv *env = env_of (walk);

  for (unsigned i = 0; env != NULL && i < VTR_GL_N_BOUND; i++)
    if (targets[i] == target)
      {
        *out = env->bound[i] == VTR_YES;
        return env->bound[i] != VTR_UNKNOWN;
      }
  return false;
}

static bool
measure (const VtrApiWalk *walk,
         VtrGlMeasure      what,
         int64_t           operand,
         int64_t          *out)
{
  const VtrGlEnv *env = env_of (walk);

  return env != NULL && env->measure != NULL &&
         env->measure (walk->env->data, what, vtr_scope_root (walk->scope), operand, out);
}

static bool
count_values (const VtrApiWalk *walk,
              int64_t           pname,
              int64_t          *out)
{
  *out = vtr_gl_parameter_values ((uint32_t)pname);
  return *out != 0 || measure (walk, VTR_GL_MEASURE_PARAMETER, pname, out);
}

/* --- Lists and texts ------------------------------------------------------------------------- */

/* The field that the question is about is the only list of its call. */
static uint32_t
attribute_size (const VtrApiWalk *walk)
{
  const VtrScope *scope = walk->scope;

  for (unsigned i = 0; i < scope->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[scope->first_field + i];

      if (field->pointers == 1 && (field->flags & VTR_FIELD_SIZED) != 0)
        return vtr_field_element_size (field, 1, VTR_ABI_NATIVE);
    }
  return 4;
}

/* Attribute @nth of the list. Returns: false when it is not to be looked at. */
static bool
get_attribute (const VtrApiWalk *walk,
               uint64_t          nth,
               uint32_t          size,
               int64_t          *out)
{
  const uint8_t *at = walk->pointee.at;
  int32_t narrow;

  if (vtr_pointee_readable (&walk->pointee, (nth + 1) * size) < (nth + 1) * size)
    return false;
  if (size == sizeof narrow)
    {
      memcpy (&narrow, at + nth * size, sizeof narrow);
      *out = narrow;
    }
  else
    memcpy (out, at + nth * size, sizeof *out);
  return true;
}

static bool
count_attributes (const VtrApiWalk *walk,
                  int64_t           end,
                  int64_t          *out)
{
  const uint32_t size = attribute_size (walk);
  int64_t name;

  for (uint64_t nth = 0; nth < MAX_ATTRIBUTES && get_attribute (walk, nth, size, &name); nth += 2)
    if (name == end)
      {
        *out = (int64_t)nth + 1;
        return true;
      }
  return false;
}

static bool
count_visual_attributes (const VtrApiWalk *walk,
                         int64_t          *out)
{
  uint64_t nth = 0;
  int64_t name;

  while (nth < MAX_ATTRIBUTES && get_attribute (walk, nth, 4, &name))
    {
      if (name == 0)
        {
          *out = (int64_t)nth + 1;
          return true;
        }
      nth +=
        name == GLX_USE_GL || name == GLX_RGBA || name == GLX_DOUBLEBUFFER || name == GLX_STEREO
          ? 1
          : 2;
    }
  return false;
}

/* Characters up to and with NUL. */
static bool
measure_text (const VtrApiWalk *walk,
              uint64_t          most,
              int64_t          *out)
{
  const uint64_t limit = vtr_pointee_readable (&walk->pointee, most);
  const char *text = walk->pointee.at;
  size_t size;

  if (limit == 0)
    return false;
  size = limit == UINT64_MAX ? strlen (text) : strnlen (text, (size_t)limit);
  *out = (int64_t)(size < limit ? size + 1 : limit);
  return size < limit || limit == most;
}

/* Characters of one of several texts: a parameter called length may have one for each. */
static bool
measure_element (const VtrApiWalk *walk,
                 int64_t          *out)
{
  const VtrScope *scope = vtr_scope_root (walk->scope);
  const int nth = vtr_cmd_find_param (scope->cmd, "length");
  const int32_t *lengths;

  if (nth < 0)
    return measure_text (walk, UINT64_MAX, out);
  memcpy (&lengths, vtr_scope_slot (scope, vtr_cmd_param (scope->cmd, (unsigned)nth)),
          sizeof lengths);
  if (lengths != NULL && lengths[walk->pointee.index] >= 0)
    {
      *out = lengths[walk->pointee.index];
      return true;
    }
  return measure_text (walk, UINT64_MAX, out);
}

static bool
count_transform_values (int64_t  type,
                        int64_t *out)
{
  switch (type)
    {
    case GL_NONE:
      *out = 0;
      return true;
    case GL_TRANSLATE_X_NV:
    case GL_TRANSLATE_Y_NV:
      *out = 1;
      return true;
    case GL_TRANSLATE_2D_NV:
      *out = 2;
      return true;
    case GL_TRANSLATE_3D_NV:
      *out = 3;
      return true;
    case GL_AFFINE_2D_NV:
    case GL_TRANSPOSE_AFFINE_2D_NV:
      *out = 6;
      return true;
    case GL_AFFINE_3D_NV:
    case GL_TRANSPOSE_AFFINE_3D_NV:
      *out = 12;
      return true;
    default:
      return false;
    }
}

bool
vtr_gl_answer (const VtrApiWalk *walk,
               unsigned          question,
               int64_t           operand,
               int64_t          *out)
{
  switch ((VtrGlQuestion)question)
    {
    case VTR_GL_ASK_VALUES:
      return count_values (walk, operand, out);
    case VTR_GL_ASK_TYPE_SIZE:
      *out = vtr_gl_type_size ((uint32_t)operand);
      return *out != 0;
    case VTR_GL_ASK_PIXELS:
      return measure_pixels (walk, operand != 0, out);
    case VTR_GL_ASK_TEXEL:
      return measure_texel (walk, out);
    case VTR_GL_ASK_PIXEL_ROW:
      return measure_row (walk, operand, out);
    case VTR_GL_ASK_BITMAP:
      return measure_bits (walk, false, get_param (walk, "width", 0),
                           get_param (walk, "height", 0), out);
    case VTR_GL_ASK_STIPPLE:
      return measure_bits (walk, operand != 0, 32, 32, out);
    case VTR_GL_ASK_BOUND:
      return is_bound (walk, operand, out);
    case VTR_GL_ASK_ATTRIBUTES:
      return count_attributes (walk, operand, out);
    case VTR_GL_ASK_VISUAL_ATTRIBUTES:
      return count_visual_attributes (walk, out);
    case VTR_GL_ASK_TEXT:
      *out = operand;
      return operand >= 0 || measure_text (walk, UINT64_MAX, out);
    case VTR_GL_ASK_TEXT_WITHIN:
      *out = 0;
      return operand <= 0 || measure_text (walk, (uint64_t)operand, out);
    case VTR_GL_ASK_ELEMENT:
      return measure_element (walk, out);
    case VTR_GL_ASK_TRANSFORM_VALUES:
      return count_transform_values (operand, out);
    case VTR_GL_ASK_MAP_VALUES:
      *out = vtr_gl_map_values ((uint32_t)operand);
      return *out != 0;
    case VTR_GL_ASK_MEASURED:
      return measure (walk, (VtrGlMeasure)operand, 0, out);
    }
  return false;
}
