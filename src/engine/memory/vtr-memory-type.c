/* VtrMemoryType: a recursive-descent parser and the layout rules. Values are in
   vtr-memory-type-value.c. */
#include "engine/memory/vtr-memory-type-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_DEPTH 16
#define MAX_MEMBERS 1024
/* No type is larger than what can be read at once. */
#define MAX_SIZE ((guint64)1 << 30)

static void
clear_member (gpointer data)
{
  VtrMemoryMember *member = data;

  g_clear_pointer (&member->type, vtr_memory_type_unref);
  g_clear_pointer (&member->name, g_free);
}

static VtrMemoryType *
type_new (VtrMemoryTypeKind kind)
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
  g_free (self);
}

/* --- Layout ---------------------------------------------------------------------------------- */

static guint64
round_up (guint64 value,
          guint64 align)
{
  return align <= 1 ? value : (value + align - 1) / align * align;
}

static guint64
stride_of (const VtrMemoryType *self)
{
  return self->stride != 0 ? self->stride : MAX (round_up (self->size, self->align), 1);
}

static VtrMemoryType *
make_vector (VtrMemoryNumber number,
             guint           width,
             guint           n,
             VtrMemoryLayout layout)
{
  VtrMemoryType *self =
    type_new (n == 1 ? VTR_MEMORY_TYPE_SCALAR : VTR_MEMORY_TYPE_VECTOR);

  self->number = number;
  self->width = width;
  self->n_components = n;
  self->size = (guint64)width * n;
  self->align = width;
  if (layout != VTR_MEMORY_LAYOUT_SCALAR && n > 1)
    self->align = (guint64)width * (n == 2 ? 2 : 4);
  return self;
}

/* Takes @element. */
static VtrMemoryType *
make_array (VtrMemoryTypeKind  kind,
            VtrMemoryType     *element,
            guint64            n,
            VtrMemoryLayout    layout)
{
  VtrMemoryType *self = type_new (kind);

  self->number = element->number;
  self->width = element->width;
  self->element = element;
  self->n_elements = n;
  self->align = element->align;
  if (layout == VTR_MEMORY_LAYOUT_STD140)
    self->align = round_up (self->align, 16);
  self->element_stride =
    element->stride != 0 ? element->stride : round_up (element->size, self->align);
  self->size = self->element_stride * (n - 1) + element->size;
  /* The last element takes its padding along. */
  if (layout != VTR_MEMORY_LAYOUT_SCALAR)
    self->size = round_up (self->size, self->align);
  return self;
}

/* --- Parsing --------------------------------------------------------------------------------- */

typedef struct
{
  const char *at;
  VtrMemoryLayout layout;
  guint depth;
} Parser;

static gboolean
set_expected (GError     **error,
              const char  *at,
              const char  *what)
{
  if (*at == '\0')
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 _ ("The type ends too early: expected %s."), what);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 _ ("Cannot read the type from “%.24s” on: expected %s."), at, what);
  return FALSE;
}

static void
skip_space (Parser *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
take (Parser *self,
      char    character)
{
  skip_space (self);
  if (*self->at != character)
    return FALSE;
  self->at++;
  return TRUE;
}

static gboolean
take_number (Parser      *self,
             guint64      most,
             const char  *what,
             guint64     *out,
             GError     **error)
{
  char *end;

  skip_space (self);
  if (!g_ascii_isdigit (*self->at))
    return set_expected (error, self->at, what);
  *out = g_ascii_strtoull (self->at, &end, 0);
  if (*out > most)
    return set_expected (error, self->at, what);
  self->at = end;
  return TRUE;
}

static gsize
word_length (const char *at)
{
  gsize n = 0;

  while (g_ascii_isalnum (at[n]) || at[n] == '_')
    n++;
  return n;
}

/* "u32" … Returns: characters taken; 0: no such type. */
static gsize
read_scalar (const char      *word,
             VtrMemoryNumber *number,
             guint           *width)
{
  static const struct
  {
    const char *name;
    VtrMemoryNumber number;
    guint width;
  } names[] = {
    { "float", VTR_NUMBER_FLOAT, 4 },
    { "half", VTR_NUMBER_FLOAT, 2 },
    { "double", VTR_NUMBER_FLOAT, 8 },
    { "uint", VTR_NUMBER_UINT, 4 },
    { "int", VTR_NUMBER_INT, 4 },
    { "bool", VTR_NUMBER_BOOL, 4 },
    { "byte", VTR_NUMBER_UINT, 1 },
    { "char", VTR_NUMBER_UINT, 1 },
    { "unorm16", VTR_NUMBER_UNORM, 2 },
    { "unorm8", VTR_NUMBER_UNORM, 1 },
    { "snorm16", VTR_NUMBER_SNORM, 2 },
    { "snorm8", VTR_NUMBER_SNORM, 1 },
    { "hex16", VTR_NUMBER_HEX, 2 },
    { "hex32", VTR_NUMBER_HEX, 4 },
    { "hex64", VTR_NUMBER_HEX, 8 },
    { "hex8", VTR_NUMBER_HEX, 1 },
    { "u16", VTR_NUMBER_UINT, 2 },
    { "u32", VTR_NUMBER_UINT, 4 },
    { "u64", VTR_NUMBER_UINT, 8 },
    { "u8", VTR_NUMBER_UINT, 1 },
    { "i16", VTR_NUMBER_INT, 2 },
    { "i32", VTR_NUMBER_INT, 4 },
    { "i64", VTR_NUMBER_INT, 8 },
    { "i8", VTR_NUMBER_INT, 1 },
    { "f16", VTR_NUMBER_FLOAT, 2 },
    { "f32", VTR_NUMBER_FLOAT, 4 },
    { "f64", VTR_NUMBER_FLOAT, 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (word, names[i].name))
      {
        *number = names[i].number;
        *width = names[i].width;
        return strlen (names[i].name);
      }
  return 0;
}

/* "vec3", "dmat4x3". Returns: NULL for other words. */
static VtrMemoryType *
read_shader_type (const char      *word,
                  VtrMemoryLayout  layout)
{
  static const struct
  {
    char prefix;
    VtrMemoryNumber number;
    guint width;
  } prefixes[] = {
    { 'i', VTR_NUMBER_INT, 4 },
    { 'u', VTR_NUMBER_UINT, 4 },
    { 'd', VTR_NUMBER_FLOAT, 8 },
    { 'b', VTR_NUMBER_BOOL, 4 },
    { 'h', VTR_NUMBER_FLOAT, 2 },
  };
  VtrMemoryNumber number = VTR_NUMBER_FLOAT;
  guint width = 4, columns, rows;

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (word[0] == prefixes[i].prefix)
      {
        number = prefixes[i].number;
        width = prefixes[i].width;
        word++;
        break;
      }
  if (g_str_has_prefix (word, "vec") && word[3] >= '2' && word[3] <= '4' && word[4] == '\0')
    return make_vector (number, width, (guint)(word[3] - '0'), layout);
  if (!g_str_has_prefix (word, "mat") || word[3] < '2' || word[3] > '4')
    return NULL;
  columns = rows = (guint)(word[3] - '0');
  if (word[4] == 'x' && word[5] >= '2' && word[5] <= '4' && word[6] == '\0')
    rows = (guint)(word[5] - '0');
  else if (word[4] != '\0')
    return NULL;
  return make_array (VTR_MEMORY_TYPE_MATRIX, make_vector (number, width, rows, layout), columns,
                     layout);
}

static VtrMemoryType *
read_word (Parser  *self,
           GError **error)
{
  const char *what = _ ("a type such as float, u32, vec4, mat4, unorm8x4 or {vec3 a; vec2 b}");
  g_autofree char *word = g_strndup (self->at, word_length (self->at));
  VtrMemoryType *type = read_shader_type (word, self->layout);
  guint64 n = 1;
  VtrMemoryNumber number;
  guint width;
  gsize length;

  if (type == NULL)
    {
      length = read_scalar (word, &number, &width);
      if (length > 0 && word[length] == 'x')
        {
          char *end;

          n = g_ascii_strtoull (word + length + 1, &end, 10);
          length = *end == '\0' && n >= 1 && n <= 16 ? strlen (word) : 0;
        }
      if (length == 0 || word[length] != '\0')
        {
          set_expected (error, self->at, what);
          return NULL;
        }
      type = make_vector (number, width, (guint)n, self->layout);
    }
  self->at += strlen (word);
  return type;
}

static VtrMemoryType *read_type (Parser  *self,
                                 GError **error);

/* Puts @member (taken) after the others, or at @at. */
static void
add_member (VtrMemoryType *self,
            VtrMemoryType *member,
            char          *name,
            gboolean       placed,
            guint64        at,
            guint64       *end)
{
  VtrMemoryMember entry = { member, name, placed ? at : round_up (*end, member->align) };

  g_array_append_val (self->members, entry);
  *end = entry.offset + member->size;
  self->size = MAX (self->size, *end);
  if (!placed)
    self->align = MAX (self->align, member->align);
}

/* "vec3 name @offset" or "stride N". */
static gboolean
read_member (Parser         *self,
             VtrMemoryType  *to,
             guint64        *end,
             guint64        *stride,
             GError        **error)
{
  VtrMemoryType *member;
  gboolean placed = FALSE;
  char *name = NULL;
  guint64 at = 0;
  gsize length;

  skip_space (self);
  if (g_str_has_prefix (self->at, "stride") && word_length (self->at) == 6)
    {
      self->at += 6;
      return take_number (self, MAX_SIZE, _ ("the number of bytes of the structure"), stride,
                          error);
    }
  member = read_type (self, error);
  if (member == NULL)
    return FALSE;
  skip_space (self);
  length = word_length (self->at);
  if (length > 0)
    {
      name = g_strndup (self->at, length);
      self->at += length;
    }
  /* "float a[4]" as in C. */
  while (take (self, '['))
    {
      guint64 n;

      if (!take_number (self, MAX_SIZE, _ ("a number of elements"), &n, error) || n == 0 ||
          !take (self, ']') || n > MAX_SIZE / member->size)
        {
          if (error != NULL && *error == NULL)
            set_expected (error, self->at, _ ("a number of elements and ]"));
          vtr_memory_type_unref (member);
          g_free (name);
          return FALSE;
        }
      member = make_array (VTR_MEMORY_TYPE_ARRAY, member, n, self->layout);
    }
  if (take (self, '@'))
    {
      placed = TRUE;
      if (!take_number (self, MAX_SIZE, _ ("the member's offset"), &at, error))
        {
          vtr_memory_type_unref (member);
          g_free (name);
          return FALSE;
        }
    }
  if (name == NULL)
    name = g_strdup_printf ("_%u", to->members->len);
  add_member (to, member, name, placed, at, end);
  return TRUE;
}

static VtrMemoryType *
read_struct (Parser  *self,
             GError **error)
{
  g_autoptr (VtrMemoryType) type = type_new (VTR_MEMORY_TYPE_STRUCT);
  guint64 end = 0, stride = 0;

  type->align = 1;
  while (!take (self, '}'))
    {
      if (!read_member (self, type, &end, &stride, error))
        return NULL;
      skip_space (self);
      if (*self->at != '}' && !take (self, ';') && !take (self, ','))
        {
          set_expected (error, self->at, _ ("; or }"));
          return NULL;
        }
      if (type->members->len > MAX_MEMBERS || type->size > MAX_SIZE)
        {
          set_expected (error, self->at, _ ("fewer and smaller members"));
          return NULL;
        }
    }
  if (type->members->len == 0)
    {
      set_expected (error, self->at, _ ("at least one member before }"));
      return NULL;
    }
  if (self->layout == VTR_MEMORY_LAYOUT_STD140)
    type->align = round_up (type->align, 16);
  type->stride = stride;
  if (stride != 0)
    type->align = 1;
  type->size = round_up (type->size, type->align);
  return g_steal_pointer (&type);
}

static VtrMemoryType *
read_type (Parser  *self,
           GError **error)
{
  VtrMemoryType *type;

  if (++self->depth > MAX_DEPTH)
    {
      set_expected (error, self->at, _ ("fewer structures inside each other"));
      return NULL;
    }
  skip_space (self);
  type = take (self, '{') ? read_struct (self, error) : read_word (self, error);
  while (type != NULL && take (self, '['))
    {
      guint64 n = 0;

      if (!take_number (self, MAX_SIZE, _ ("a number of elements"), &n, error))
        g_clear_pointer (&type, vtr_memory_type_unref);
      else if (n == 0 || n > MAX_SIZE / type->size || !take (self, ']'))
        {
          set_expected (error, self->at, _ ("a number of elements and ]"));
          g_clear_pointer (&type, vtr_memory_type_unref);
        }
      else
        type = make_array (VTR_MEMORY_TYPE_ARRAY, type, n, self->layout);
    }
  self->depth--;
  return type;
}

VtrMemoryType *
vtr_memory_type_parse (const char       *text,
                       VtrMemoryLayout   layout,
                       GError          **error)
{
  Parser parser = { text, layout, 0 };
  g_autoptr (VtrMemoryType) type = read_type (&parser, error);

  if (type == NULL)
    return NULL;
  skip_space (&parser);
  if (*parser.at != '\0')
    {
      set_expected (error, parser.at, _ ("the end of the type"));
      return NULL;
    }
  return g_steal_pointer (&type);
}

/* --- Asking ---------------------------------------------------------------------------------- */

VtrMemoryTypeKind
vtr_memory_type_get_kind (const VtrMemoryType *self)
{
  return self->kind;
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

gboolean
vtr_memory_type_is_integer (const VtrMemoryType *self)
{
  return self->number == VTR_NUMBER_UINT || self->number == VTR_NUMBER_INT ||
         self->number == VTR_NUMBER_HEX ||
         self->number == VTR_NUMBER_BOOL;
}

char *
vtr_memory_type_describe (const VtrMemoryType *self)
{
  static const char *const letters[] = { "u", "i", "f", "unorm", "snorm", "hex", "bool" };
  g_autofree char *inner = NULL;

  switch (self->kind)
    {
    case VTR_MEMORY_TYPE_STRUCT:
      return g_strdup ("{…}");
    case VTR_MEMORY_TYPE_ARRAY:
      inner = vtr_memory_type_describe (self->element);
      return g_strdup_printf ("%s[%" G_GUINT64_FORMAT "]", inner, self->n_elements);
    case VTR_MEMORY_TYPE_MATRIX:
      return g_strdup_printf ("%smat%" G_GUINT64_FORMAT "x%u",
                              self->width == 8 ? "d" : self->width == 2 ? "h"
                                                                        : "",
                              self->n_elements, self->element->n_components);
    case VTR_MEMORY_TYPE_VECTOR:
      return g_strdup_printf ("%s%ux%u", letters[self->number], self->width * 8,
                              self->n_components);
    case VTR_MEMORY_TYPE_SCALAR:
    default:
      return self->number == VTR_NUMBER_BOOL ? g_strdup ("bool")
                                             : g_strdup_printf ("%s%u", letters[self->number],
                                                                self->width * 8);
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
