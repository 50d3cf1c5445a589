/* Lays out a VtrMemoryType and answers questions about it. vtr-memory-type-parse.c reads its text,
 * vtr-memory-type-value.c its values. */
#include "engine/memory/vtr-memory-type-private.h"

static void
clear_member (gpointer data)
{
  VtrMemoryMember *member = data;

  g_clear_pointer (&member->type, vtr_memory_type_unref);
  g_clear_pointer (&member->name, g_free);
}

VtrMemoryType *
vtr_memory_type_new (VtrMemoryTypeKind kind)
{
  VtrMemoryType *self = g_new0 (VtrMemoryType, 1);

  g_atomic_ref_count_init (&self->refs);
  self->kind = kind;
  if (kind == VTR_MEMORY_TYPE_STRUCT)
    {
      self->members = g_array_new (FALSE, FALSE, sizeof (VtrMemoryMember));
      g_array_set_clear_func (self->members, clear_member);
    }
  return self;
}

VtrMemoryType *
vtr_memory_type_ref (VtrMemoryType *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_memory_type_unref (VtrMemoryType *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->members, g_array_unref);
  g_clear_pointer (&self->element, vtr_memory_type_unref);
  g_free (self->name);
  g_free (self);
}

/* --- Layout ---------------------------------------------------------------------------------- */

guint64
vtr_memory_round_up (guint64 value,
                     guint64 align)
{
  return align <= 1 ? value : (value + align - 1) / align * align;
}

static guint64
stride_of (const VtrMemoryType *self)
{
  return self->stride != 0 ? self->stride : MAX (vtr_memory_round_up (self->size, self->align), 1);
}

VtrMemoryType *
vtr_memory_type_new_vector (VtrMemoryNumber number,
                            guint           width,
                            guint           n,
                            VtrMemoryLayout layout)
{
  VtrMemoryType *self =
    vtr_memory_type_new (n == 1 ? VTR_MEMORY_TYPE_SCALAR : VTR_MEMORY_TYPE_VECTOR);

  self->number = number;
  self->width = width;
  self->n_components = n;
  self->component_stride = width;
  self->size = (guint64)width * n;
  self->align = width;
  if (layout != VTR_MEMORY_LAYOUT_SCALAR && n > 1)
    self->align = (guint64)width * (n == 2 ? 2 : 4);
  return self;
}

VtrMemoryType *
vtr_memory_type_new_array (VtrMemoryTypeKind  kind,
                           VtrMemoryType     *element,
                           guint64            n,
                           guint64            stride,
                           VtrMemoryLayout    layout)
{
  VtrMemoryType *self = vtr_memory_type_new (kind);

  self->number = element->number;
  self->width = element->width;
  self->element = element;
  self->n_elements = n;
  self->align = element->align;
  if (layout == VTR_MEMORY_LAYOUT_STD140)
    self->align = vtr_memory_round_up (self->align, 16);
  self->element_stride = stride != 0            ? stride
                         : element->stride != 0 ? element->stride
                                                : vtr_memory_round_up (element->size, self->align);
  self->open = n == 0;
  self->size = n > 0 ? self->element_stride * (n - 1) + element->size : 0;
  /* The last element takes its padding along. */
  if (layout != VTR_MEMORY_LAYOUT_SCALAR && stride == 0)
    self->size = vtr_memory_round_up (self->size, self->align);
  return self;
}

VtrMemoryType *
vtr_memory_type_new_matrix (VtrMemoryNumber number,
                            guint           width,
                            guint           columns,
                            guint           rows,
                            gboolean        row_major,
                            guint64         stride,
                            VtrMemoryLayout layout)
{
  VtrMemoryType *column = vtr_memory_type_new_vector (number, width, rows, layout);
  g_autoptr (VtrMemoryType) row = NULL;
  VtrMemoryType *self;

  if (!row_major)
    return vtr_memory_type_new_array (VTR_MEMORY_TYPE_MATRIX, column, columns, stride, layout);
  /* Rows follow each other; a column takes one component of each. */
  row = vtr_memory_type_new_vector (number, width, columns, layout);
  row = vtr_memory_type_new_array (VTR_MEMORY_TYPE_MATRIX, g_steal_pointer (&row), rows, stride,
                                   layout);
  column->component_stride = row->element_stride;
  column->size = row->element_stride * (rows - 1) + width;
  self = vtr_memory_type_new_array (VTR_MEMORY_TYPE_MATRIX, column, columns, width, layout);
  self->align = row->align;
  self->size = row->size;
  self->row_major = TRUE;
  return self;
}

/* --- Open arrays ----------------------------------------------------------------------------- */

static VtrMemoryType *
fit_array (const VtrMemoryType *self,
           guint64              size)
{
  VtrMemoryType *type =
    vtr_memory_type_new_array (VTR_MEMORY_TYPE_ARRAY, vtr_memory_type_ref (self->element), 0,
                               self->element_stride, VTR_MEMORY_LAYOUT_SCALAR);

  if (size >= self->element->size)
    {
      type->n_elements = (size - self->element->size) / self->element_stride + 1;
      type->size = self->element_stride * (type->n_elements - 1) + self->element->size;
    }
  return type;
}

VtrMemoryType *
vtr_memory_type_fit (VtrMemoryType *self,
                     guint64        size)
{
  VtrMemoryType *type;

  if (!self->open)
    return vtr_memory_type_ref (self);
  if (self->kind == VTR_MEMORY_TYPE_ARRAY)
    return fit_array (self, size);
  type = vtr_memory_type_new (VTR_MEMORY_TYPE_STRUCT);
  type->name = g_strdup (self->name);
  type->align = self->align;
  type->block = self->block;
  type->open = TRUE;
  for (guint i = 0; i < self->members->len; i++)
    {
      const VtrMemoryMember *member = &g_array_index (self->members, VtrMemoryMember, i);
      VtrMemoryMember copy = { member->type->open
                                 ? fit_array (member->type, size - MIN (size, member->offset))
                                 : vtr_memory_type_ref (member->type),
                               g_strdup (member->name), member->offset };

      g_array_append_val (type->members, copy);
      type->size = MAX (type->size, copy.offset + copy.type->size);
    }
  return type;
}

/* --- Asking ---------------------------------------------------------------------------------- */

VtrMemoryTypeKind
vtr_memory_type_get_kind (const VtrMemoryType *self)
{
  return self->kind;
}

gboolean
vtr_memory_type_is_single (const VtrMemoryType *self)
{
  return self->block || self->open;
}

guint64
vtr_memory_type_get_size (const VtrMemoryType *self)
{
  return MAX (self->size, 1);
}

guint64
vtr_memory_type_get_stride (const VtrMemoryType *self)
{
  return stride_of (self);
}

guint64
vtr_memory_type_get_n_members (const VtrMemoryType *self)
{
  return self->kind == VTR_MEMORY_TYPE_STRUCT ? self->members->len : self->n_elements;
}

const VtrMemoryType *
vtr_memory_type_get_member (const VtrMemoryType  *self,
                            guint64               nth,
                            const char          **name,
                            guint64              *offset)
{
  const VtrMemoryMember *member;

  g_return_val_if_fail (nth < vtr_memory_type_get_n_members (self), NULL);

  if (self->kind != VTR_MEMORY_TYPE_STRUCT)
    {
      *name = NULL;
      *offset = nth * self->element_stride;
      return self->element;
    }
  member = &g_array_index (self->members, VtrMemoryMember, nth);
  *name = member->name;
  *offset = member->offset;
  return member->type;
}

guint
vtr_memory_type_get_n_components (const VtrMemoryType *self)
{
  return self->n_components;
}

guint64
vtr_memory_type_get_component_size (const VtrMemoryType *self)
{
  return self->width;
}

guint64
vtr_memory_type_get_component_offset (const VtrMemoryType *self,
                                      guint                nth)
{
  return nth * self->component_stride;
}

gboolean
vtr_memory_type_is_integer (const VtrMemoryType *self)
{
  return self->number == VTR_NUMBER_UINT || self->number == VTR_NUMBER_INT ||
         self->number == VTR_NUMBER_HEX ||
         self->number == VTR_NUMBER_BOOL;
}

static const char *const number_words[] = { "u", "i", "f", "unorm", "snorm", "hex", "bool" };

/* "", "d", "u": what a shader's name for a vector of it begins with. NULL: shaders have none. */
static const char *
shader_prefix (const VtrMemoryType *self)
{
  if (self->number == VTR_NUMBER_FLOAT)
    return self->width == 8 ? "d" : self->width == 2 ? "h"
                                                     : "";
  if (self->width != 4)
    return NULL;
  return self->number == VTR_NUMBER_UINT   ? "u"
         : self->number == VTR_NUMBER_INT  ? "i"
         : self->number == VTR_NUMBER_BOOL ? "b"
                                           : NULL;
}

static char *
describe_scalar (const VtrMemoryType *self)
{
  if (self->number == VTR_NUMBER_BOOL)
    return g_strdup ("bool");
  if (self->number == VTR_NUMBER_FLOAT)
    return g_strdup (self->width == 8 ? "double" : self->width == 2 ? "half"
                                                                    : "float");
  if (self->width == 4 && self->number <= VTR_NUMBER_INT)
    return g_strdup (self->number == VTR_NUMBER_INT ? "int" : "uint");
  return g_strdup_printf ("%s%u", number_words[self->number], self->width * 8);
}

static char *
describe_array (const VtrMemoryType *self)
{
  g_autoptr (GString) lengths = g_string_new (NULL);
  g_autofree char *inner = NULL;

  for (; self->kind == VTR_MEMORY_TYPE_ARRAY; self = self->element)
    if (self->open && self->n_elements == 0)
      g_string_append (lengths, "[]");
    else
      g_string_append_printf (lengths, "[%" G_GUINT64_FORMAT "]", self->n_elements);
  inner = vtr_memory_type_describe (self);
  return g_strconcat (inner, lengths->str, NULL);
}

char *
vtr_memory_type_describe (const VtrMemoryType *self)
{
  const char *prefix = shader_prefix (self);

  switch (self->kind)
    {
    case VTR_MEMORY_TYPE_STRUCT:
      return g_strdup (self->name != NULL ? self->name : "{…}");
    case VTR_MEMORY_TYPE_ARRAY:
      return describe_array (self);
    case VTR_MEMORY_TYPE_MATRIX:
      return g_strdup_printf ("%s%smat%" G_GUINT64_FORMAT "x%u",
                              self->row_major ? "row_major " : "", prefix, self->n_elements,
                              self->element->n_components);
    case VTR_MEMORY_TYPE_VECTOR:
      if (prefix != NULL && self->n_components <= 4)
        return g_strdup_printf ("%svec%u", prefix, self->n_components);
      return g_strdup_printf ("%s%ux%u", number_words[self->number], self->width * 8,
                              self->n_components);
    case VTR_MEMORY_TYPE_SCALAR:
    default:
      return describe_scalar (self);
    }
}

gboolean
vtr_memory_layout_from_name (const char      *name,
                             VtrMemoryLayout *out)
{
  static const char *const names[] = { "scalar", "std430", "std140" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      {
        *out = (VtrMemoryLayout)i;
        return TRUE;
      }
  return FALSE;
}
