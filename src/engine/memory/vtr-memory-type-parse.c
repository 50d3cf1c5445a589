/* Parses the text of a memory type with a recursive-descent parser. */
#include "engine/memory/vtr-memory-type-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_DEPTH 16
#define MAX_MEMBERS 1024
/* No type is larger than what can be read at once. */
#define MAX_SIZE ((guint64)1 << 30)

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

/* "vec3", "dmat4x3". @stride: of a matrix; 0: by the layout. Returns: NULL for other words, and for
   vectors with @row_major or @stride. */
static VtrMemoryType *
read_shader_type (const char      *word,
                  gboolean         row_major,
                  guint64          stride,
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
    return row_major || stride != 0
             ? NULL
             : vtr_memory_type_new_vector (number, width, (guint)(word[3] - '0'), layout);
  if (!g_str_has_prefix (word, "mat") || word[3] < '2' || word[3] > '4')
    return NULL;
  columns = rows = (guint)(word[3] - '0');
  if (word[4] == 'x' && word[5] >= '2' && word[5] <= '4' && word[6] == '\0')
    rows = (guint)(word[5] - '0');
  else if (word[4] != '\0')
    return NULL;
  return vtr_memory_type_new_matrix (number, width, columns, rows, row_major, stride, layout);
}

/* "stride 16" behind a matrix or inside brackets. Leaves *@out alone where there is none. */
static gboolean
take_stride (Parser   *self,
             guint64  *out,
             GError  **error)
{
  const char *at;

  skip_space (self);
  at = self->at;
  if (!g_str_has_prefix (at, "stride") || word_length (at) != strlen ("stride"))
    return TRUE;
  self->at += strlen ("stride");
  skip_space (self);
  /* Else a member of this name. */
  if (!g_ascii_isdigit (*self->at))
    {
      self->at = at;
      return TRUE;
    }
  return take_number (self, MAX_SIZE, _ ("a number of bytes"), out, error);
}

static gboolean
take_word (Parser     *self,
           const char *word)
{
  skip_space (self);
  if (!g_str_has_prefix (self->at, word) || word_length (self->at) != strlen (word))
    return FALSE;
  self->at += strlen (word);
  return TRUE;
}

static VtrMemoryType *
read_word (Parser  *self,
           GError **error)
{
  const char *what = _ ("a type such as float, u32, vec4, mat4, unorm8x4 or {vec3 a; vec2 b}");
  gboolean row_major = take_word (self, "row_major");
  g_autofree char *word = NULL;
  VtrMemoryType *type;
  guint64 n = 1, stride = 0;
  const char *begin;
  VtrMemoryNumber number;
  guint width;
  gsize length;

  skip_space (self);
  begin = self->at;
  word = g_strndup (begin, word_length (begin));
  self->at += strlen (word);
  if (!take_stride (self, &stride, error))
    return NULL;
  type = read_shader_type (word, row_major, stride, self->layout);
  if (type == NULL)
    {
      length = read_scalar (word, &number, &width);
      if (length > 0 && word[length] == 'x')
        {
          char *end;

          n = g_ascii_strtoull (word + length + 1, &end, 10);
          length = *end == '\0' && n >= 1 && n <= 16 ? strlen (word) : 0;
        }
      if (length == 0 || word[length] != '\0' || row_major || stride != 0)
        {
          set_expected (error, begin,
                        row_major || stride != 0 ? _ ("a matrix such as mat4 or mat4x3") : what);
          return NULL;
        }
      type = vtr_memory_type_new_vector (number, width, (guint)n, self->layout);
    }
  return type;
}

static VtrMemoryType *read_type (Parser  *self,
                                 GError **error);

/* "[4]", "[4 stride 16]", "[]", as many as there are, the outermost first. Takes @type. Returns:
   NULL with @error. */
static VtrMemoryType *
read_lengths (Parser         *self,
              VtrMemoryType  *type,
              GError        **error)
{
  guint64 lengths[MAX_DEPTH], strides[MAX_DEPTH];
  guint n = 0;

  while (take (self, '['))
    {
      gboolean good = n < MAX_DEPTH;

      if (good)
        {
          lengths[n] = strides[n] = 0;
          skip_space (self);
          if (g_ascii_isdigit (*self->at))
            good = take_number (self, MAX_SIZE, _ ("a number of elements"), &lengths[n], error) &&
                   lengths[n] > 0;
          good = good && take_stride (self, &strides[n], error) && take (self, ']');
          n++;
        }
      if (!good)
        {
          if (error != NULL && *error == NULL)
            set_expected (error, self->at, _ ("a number of elements and ]"));
          vtr_memory_type_unref (type);
          return NULL;
        }
    }
  while (n-- > 0)
    {
      if (type->open || lengths[n] > MAX_SIZE / MAX (MAX (type->size, strides[n]), 1))
        {
          set_expected (error, self->at,
                        type->open ? _ ("a length for all arrays but the outermost")
                                   : _ ("fewer and smaller members"));
          vtr_memory_type_unref (type);
          return NULL;
        }
      type = vtr_memory_type_new_array (VTR_MEMORY_TYPE_ARRAY, type, lengths[n], strides[n],
                                        self->layout);
    }
  return type;
}

/* Puts @member (taken) after the others, or at @at. */
static void
add_member (VtrMemoryType *self,
            VtrMemoryType *member,
            char          *name,
            gboolean       placed,
            guint64        at,
            guint64       *end)
{
  VtrMemoryMember entry = { member, name, placed ? at : vtr_memory_round_up (*end, member->align) };

  g_array_append_val (self->members, entry);
  *end = entry.offset + member->size;
  self->size = MAX (self->size, *end);
  self->open = member->open;
  if (!placed)
    {
      self->ruled = TRUE;
      self->align = MAX (self->align, member->align);
    }
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
  member = read_lengths (self, member, error);
  if (member == NULL)
    {
      g_free (name);
      return FALSE;
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
  if (to->open || (member->open && member->kind == VTR_MEMORY_TYPE_STRUCT))
    {
      set_expected (error, self->at, _ ("an array without a length only as the last member"));
      vtr_memory_type_unref (member);
      g_free (name);
      return FALSE;
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
  g_autoptr (VtrMemoryType) type = vtr_memory_type_new (VTR_MEMORY_TYPE_STRUCT);
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
  if (self->layout == VTR_MEMORY_LAYOUT_STD140 && type->ruled)
    type->align = vtr_memory_round_up (type->align, 16);
  type->stride = stride;
  if (stride != 0)
    type->align = 1;
  type->size = vtr_memory_round_up (type->size, type->align);
  return g_steal_pointer (&type);
}

/* "block {…}", "Name {…}", "{…}", "vec4". */
static VtrMemoryType *
read_one (Parser  *self,
          GError **error)
{
  gboolean block = self->depth == 1 && take_word (self, "block");
  VtrMemoryType *type;
  gsize length;
  const char *name;

  skip_space (self);
  name = self->at;
  length = word_length (name);
  self->at += length;
  if (take (self, '{'))
    {
      type = read_struct (self, error);
      if (type != NULL)
        {
          type->block = block;
          type->name = length > 0 ? g_strndup (name, length) : NULL;
        }
      return type;
    }
  self->at = name;
  if (!block)
    return read_word (self, error);
  set_expected (error, self->at, _ ("the members of the block in { and }"));
  return NULL;
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
  type = read_one (self, error);
  if (type != NULL)
    type = read_lengths (self, type, error);
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
