/* Writes the types, decorations and variables of a SPIR-V module as memory types. */
#include "engine/shader/vtr-spirv-block.h"

#include "engine/shader/vtr-spirv-private.h"

#include <spirv.h>
#include <string.h>

/* A hostile module may contain the same structure many times over, so the output is limited. */
#define MAX_DEPTH 12
#define MAX_DIMENSIONS 8
#define MAX_MEMBERS 1024
#define MAX_TEXT 65536
#define MAX_NAME 128

/* The known facts about a structure's member. */
typedef struct
{
  const guint32 *name; /* a literal string; NULL: none */
  gsize name_words;
  guint32 offset, matrix_stride;
  gboolean has_offset, row_major;
} Member;

/* The known facts about an id. */
typedef struct
{
  const guint32 *words; /* the instruction that makes it, with its opcode; NULL: none */
  const guint32 *name;
  gsize name_words;
  guint32 set, binding, array_stride;
  gboolean has_binding;
} Id;

typedef struct
{
  guint32 id, pointer, storage;
} Variable;

struct _VtrSpirvBlocks
{
  gatomicrefcount refs;
  guint32 *words;
  gsize n_words;
  guint32 bound;
  Id *ids;
  GHashTable *members; /* guint64: structure << 32 | member → Member */
  GArray *variables;   /* Variable, of buffers and push constants */
  GHashTable *entries; /* name → words of its OpEntryPoint */
};

/* --- Reading --------------------------------------------------------------------------------- */

static Id *
get_id (const VtrSpirvBlocks *self,
        guint32               id)
{
  return id < self->bound ? &self->ids[id] : NULL;
}

static Member *
get_member (VtrSpirvBlocks *self,
            guint32         structure,
            guint32         nth)
{
  guint64 key = (guint64)structure << 32 | nth;
  Member *member = g_hash_table_lookup (self->members, &key);

  if (member == NULL && nth < MAX_MEMBERS)
    {
      member = g_new0 (Member, 1);
      g_hash_table_insert (self->members, g_memdup2 (&key, sizeof key), member);
    }
  return member;
}

/* Letters, digits and underscores of a literal string; others become underscores. *@n: words it
   takes. (transfer full) */
static char *
read_name (const guint32 *words,
           gsize         *n)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < *n * 4; i++)
    {
      char letter = (char)(words[i / 4] >> (8 * (i % 4)) & 0xff);

      if (letter == '\0')
        {
          *n = i / 4 + 1;
          break;
        }
      if (text->len < MAX_NAME)
        g_string_append_c (text, g_ascii_isalnum (letter) ? letter : '_');
    }
  return g_string_free (text, FALSE);
}

static void
read_decoration (VtrSpirvBlocks *self,
                 const guint32  *operands,
                 gsize           n)
{
  Id *id = n >= 3 ? get_id (self, operands[0]) : NULL;

  if (id == NULL)
    return;
  switch (operands[1])
    {
    case SpvDecorationDescriptorSet:
      id->set = operands[2];
      break;
    case SpvDecorationBinding:
      id->binding = operands[2];
      id->has_binding = TRUE;
      break;
    case SpvDecorationArrayStride:
      id->array_stride = operands[2];
      break;
    default:
      break;
    }
}

static void
read_member_decoration (VtrSpirvBlocks *self,
                        const guint32  *operands,
                        gsize           n)
{
  Member *member = n >= 3 ? get_member (self, operands[0], operands[1]) : NULL;

  if (member == NULL)
    return;
  switch (operands[2])
    {
    case SpvDecorationOffset:
      member->offset = n >= 4 ? operands[3] : 0;
      member->has_offset = n >= 4;
      break;
    case SpvDecorationMatrixStride:
      member->matrix_stride = n >= 4 ? operands[3] : 0;
      break;
    case SpvDecorationRowMajor:
      member->row_major = TRUE;
      break;
    default:
      break;
    }
}

static void
read_member_name (VtrSpirvBlocks *self,
                  const guint32  *operands,
                  gsize           n)
{
  Member *member = n >= 3 ? get_member (self, operands[0], operands[1]) : NULL;

  if (member == NULL)
    return;
  member->name = operands + 2;
  member->name_words = n - 2;
}

static void
read_variable (VtrSpirvBlocks *self,
               const guint32  *operands,
               gsize           n)
{
  Variable variable;

  if (n < 3 || (operands[2] != SpvStorageClassUniform &&
                operands[2] != SpvStorageClassStorageBuffer &&
                operands[2] != SpvStorageClassPushConstant))
    return;
  variable = (Variable){ operands[1], operands[0], operands[2] };
  g_array_append_val (self->variables, variable);
}

/* @words: with the opcode. */
static void
read_instruction (VtrSpirvBlocks *self,
                  const guint32  *words,
                  gsize           length)
{
  const guint32 *operands = words + 1;
  gsize n = length - 1;
  Id *id;

  switch (words[0] & 0xffff)
    {
    case SpvOpName:
      id = n >= 2 ? get_id (self, operands[0]) : NULL;
      if (id != NULL)
        {
          id->name = operands + 1;
          id->name_words = n - 1;
        }
      break;
    case SpvOpMemberName:
      read_member_name (self, operands, n);
      break;
    case SpvOpDecorate:
      read_decoration (self, operands, n);
      break;
    case SpvOpMemberDecorate:
      read_member_decoration (self, operands, n);
      break;
    case SpvOpEntryPoint:
      if (n >= 3)
        {
          gsize name_words = n - 2;

          g_hash_table_insert (self->entries, read_name (operands + 2, &name_words),
                               (gpointer)words);
        }
      break;
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeStruct:
    case SpvOpTypePointer:
      id = n >= 1 ? get_id (self, operands[0]) : NULL;
      if (id != NULL)
        id->words = words;
      break;
    case SpvOpConstant:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantOp:
      id = n >= 3 ? get_id (self, operands[1]) : NULL;
      if (id != NULL)
        id->words = words;
      break;
    case SpvOpVariable:
      read_variable (self, operands, n);
      break;
    default:
      break;
    }
}

VtrSpirvBlocks *
vtr_spirv_blocks_new (GBytes  *code,
                      GError **error)
{
  VtrSpirvBlocks *self;
  gsize n_words;
  guint32 *words = vtr_spirv_copy_words (code, &n_words, error);

  if (words == NULL)
    return NULL;
  self = g_new0 (VtrSpirvBlocks, 1);
  g_atomic_ref_count_init (&self->refs);
  self->words = words;
  self->n_words = n_words;
  /* No module uses more ids than it has words. */
  self->bound = (guint32)MIN (MIN (words[3], VTR_SPIRV_MAX_BOUND), n_words);
  self->ids = g_new0 (Id, self->bound);
  self->members = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->variables = g_array_new (FALSE, FALSE, sizeof (Variable));
  self->entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (gsize at = VTR_SPIRV_HEADER_WORDS; at < n_words;)
    {
      gsize length = words[at] >> 16;

      if (length == 0 || length > n_words - at)
        break;
      /* Types, names and variables that matter are before all functions. */
      if ((words[at] & 0xffff) == SpvOpFunction)
        break;
      read_instruction (self, words + at, length);
      at += length;
    }
  return self;
}

VtrSpirvBlocks *
vtr_spirv_blocks_ref (VtrSpirvBlocks *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_spirv_blocks_unref (VtrSpirvBlocks *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_hash_table_unref (self->entries);
  g_array_unref (self->variables);
  g_hash_table_unref (self->members);
  g_free (self->ids);
  g_free (self->words);
  g_free (self);
}

/* --- Constants ------------------------------------------------------------------------------- */

/* The value of an integer constant, its lowest 32 bits. */
static gboolean
read_constant (const VtrSpirvBlocks *self,
               guint32               id,
               guint                 depth,
               guint32              *out)
{
  const Id *constant = get_id (self, id);
  const guint32 *words = constant != NULL ? constant->words : NULL;
  guint32 a, b;

  if (words == NULL || depth > MAX_DEPTH)
    return FALSE;
  if ((words[0] & 0xffff) == SpvOpConstant || (words[0] & 0xffff) == SpvOpSpecConstant)
    {
      *out = words[3];
      return TRUE;
    }
  if ((words[0] & 0xffff) != SpvOpSpecConstantOp || words[0] >> 16 < 6 ||
      !read_constant (self, words[4], depth + 1, &a) ||
      !read_constant (self, words[5], depth + 1, &b))
    return FALSE;
  switch (words[3])
    {
    case SpvOpIAdd:
      *out = a + b;
      return TRUE;
    case SpvOpISub:
      *out = a - b;
      return TRUE;
    case SpvOpIMul:
      *out = a * b;
      return TRUE;
    case SpvOpUDiv:
      *out = b != 0 ? a / b : 0;
      return b != 0;
    case SpvOpShiftLeftLogical:
      *out = b < 32 ? a << b : 0;
      return TRUE;
    default:
      return FALSE;
    }
}

/* --- Writing --------------------------------------------------------------------------------- */

/* The type's instruction, with its opcode, if it has at least @n words. */
static const guint32 *
get_type (const VtrSpirvBlocks *self,
          guint32               id,
          gsize                 n)
{
  const Id *type = get_id (self, id);

  return type != NULL && type->words != NULL && type->words[0] >> 16 >= n ? type->words : NULL;
}

/* "u", "i64": a number as vectors of it begin; *@name: alone. */
static gboolean
name_number (const guint32  *words,
             const char    **vector,
             const char    **name)
{
  static const struct
  {
    guint32 opcode, width, is_signed;
    const char *vector, *name; /* vectors without "vec" end with x2, x3 */
  } numbers[] = {
    { SpvOpTypeFloat, 32, 0, "vec", "float" },
    { SpvOpTypeFloat, 64, 0, "dvec", "double" },
    { SpvOpTypeFloat, 16, 0, "hvec", "half" },
    { SpvOpTypeInt, 32, 0, "uvec", "uint" },
    { SpvOpTypeInt, 32, 1, "ivec", "int" },
    { SpvOpTypeInt, 8, 0, "u8x", "u8" },
    { SpvOpTypeInt, 8, 1, "i8x", "i8" },
    { SpvOpTypeInt, 16, 0, "u16x", "u16" },
    { SpvOpTypeInt, 16, 1, "i16x", "i16" },
    { SpvOpTypeInt, 64, 0, "u64x", "u64" },
    { SpvOpTypeInt, 64, 1, "i64x", "i64" },
    { SpvOpTypeBool, 0, 0, "bvec", "bool" },
  };
  guint32 opcode = words[0] & 0xffff, n = words[0] >> 16;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].opcode == opcode &&
        (opcode == SpvOpTypeBool ||
         (n >= 3 && words[2] == numbers[i].width &&
          (opcode == SpvOpTypeFloat || (n >= 4 && (words[3] != 0) == numbers[i].is_signed)))))
      {
        *vector = numbers[i].vector;
        *name = numbers[i].name;
        return TRUE;
      }
  return FALSE;
}

static gboolean
write_vector (const VtrSpirvBlocks *self,
              const guint32        *words,
              GString              *out)
{
  const guint32 *number = get_type (self, words[2], 2);
  const char *vector, *name;

  if (number == NULL || !name_number (number, &vector, &name) || words[3] < 2 || words[3] > 16)
    return FALSE;
  g_string_append_printf (out, "%s%u", vector, words[3]);
  return TRUE;
}

static gboolean
write_matrix (const VtrSpirvBlocks *self,
              const guint32        *words,
              const Member         *member,
              GString              *out)
{
  const guint32 *column = get_type (self, words[2], 4);
  const guint32 *number = NULL;
  const char *vector, *name;

  if (column != NULL && (column[0] & 0xffff) == SpvOpTypeVector)
    number = get_type (self, column[2], 2);
  if (number == NULL || !name_number (number, &vector, &name) ||
      (number[0] & 0xffff) != SpvOpTypeFloat)
    return FALSE;
  g_string_append_printf (out, "%s%.*smat%u", member->row_major ? "row_major " : "",
                          (int)(strlen (vector) - strlen ("vec")), vector, words[3]);
  if (column[3] != words[3])
    g_string_append_printf (out, "x%u", column[3]);
  if (member->matrix_stride != 0)
    g_string_append_printf (out, " stride %u", member->matrix_stride);
  return TRUE;
}

/* Which members of the outermost structure are written; their offsets count from .first. */
typedef struct
{
  guint32 first, size;
} Part;

static gboolean write_struct (VtrSpirvBlocks *self,
                              guint32         id,
                              Part            part,
                              guint           depth,
                              GString        *out);

/* A type that is no array. @member: who has it. */
static gboolean
write_type (VtrSpirvBlocks *self,
            guint32         id,
            const Member   *member,
            guint           depth,
            GString        *out)
{
  const guint32 *words = get_type (self, id, 2);
  const char *vector, *name;

  switch (words != NULL ? words[0] & 0xffff : SpvOpNop)
    {
    case SpvOpTypeStruct:
      return write_struct (self, id, (Part){ 0, G_MAXUINT32 }, depth, out);
    case SpvOpTypeVector:
      return words[0] >> 16 >= 4 && write_vector (self, words, out);
    case SpvOpTypeMatrix:
      return words[0] >> 16 >= 4 && write_matrix (self, words, member, out);
    case SpvOpTypePointer: /* an address */
      g_string_append (out, "hex64");
      return TRUE;
    default:
      if (words == NULL || !name_number (words, &vector, &name))
        return FALSE;
      g_string_append (out, name);
      return TRUE;
    }
}

/* "[4 stride 16][2 stride 8]": the lengths of an array. *@id: becomes the element's type. */
static gboolean
write_lengths (const VtrSpirvBlocks *self,
               guint32              *id,
               GString              *out)
{
  const guint32 *words;
  guint n = 0;

  while ((words = get_type (self, *id, 3)) != NULL &&
         ((words[0] & 0xffff) == SpvOpTypeArray || (words[0] & 0xffff) == SpvOpTypeRuntimeArray))
    {
      guint32 stride = get_id (self, *id)->array_stride, length = 0;
      gboolean open = (words[0] & 0xffff) == SpvOpTypeRuntimeArray;

      if (n++ >= MAX_DIMENSIONS ||
          (!open && (words[0] >> 16 < 4 || !read_constant (self, words[3], 0, &length))))
        return FALSE;
      g_string_append_c (out, '[');
      if (!open)
        g_string_append_printf (out, "%u", length);
      if (stride != 0)
        g_string_append_printf (out, "%sstride %u", open ? "" : " ", stride);
      g_string_append_c (out, ']');
      *id = words[2];
    }
  return TRUE;
}

/* "Light lights[4 stride 32] @64" */
static gboolean
write_member (VtrSpirvBlocks *self,
              guint32         structure,
              guint32         nth,
              guint32         type,
              guint32         first,
              guint           depth,
              GString        *out)
{
  const Member *member = get_member (self, structure, nth);
  g_autoptr (GString) lengths = g_string_new (NULL);

  if (member == NULL || !member->has_offset || !write_lengths (self, &type, lengths) ||
      !write_type (self, type, member, depth, out))
    return FALSE;
  if (member->name != NULL)
    {
      gsize n = member->name_words;
      g_autofree char *name = read_name (member->name, &n);

      g_string_append_printf (out, " %s", name);
    }
  else
    g_string_append_printf (out, " _%u", nth);
  g_string_append_printf (out, "%s @%u", lengths->str, member->offset - first);
  return out->len < MAX_TEXT;
}

static gboolean
write_struct (VtrSpirvBlocks *self,
              guint32         id,
              Part            part,
              guint           depth,
              GString        *out)
{
  const guint32 *words = get_type (self, id, 3);
  const Id *structure = get_id (self, id);
  const char *separator = "";
  gsize n;

  if (words == NULL || (words[0] & 0xffff) != SpvOpTypeStruct || depth > MAX_DEPTH)
    return FALSE;
  n = (words[0] >> 16) - 2;
  if (structure->name != NULL)
    {
      gsize name_words = structure->name_words;
      g_autofree char *name = read_name (structure->name, &name_words);

      g_string_append_printf (out, "%s%s", name, *name != '\0' ? " " : "");
    }
  g_string_append_c (out, '{');
  for (gsize i = 0; i < n; i++)
    {
      const Member *member = get_member (self, id, (guint32)i);

      if (member == NULL)
        return FALSE;
      if (member->offset < part.first || member->offset - part.first >= part.size)
        continue;
      g_string_append (out, separator);
      separator = "; ";
      if (!write_member (self, id, (guint32)i, words[2 + i], part.first, depth + 1, out))
        return FALSE;
    }
  g_string_append_c (out, '}');
  return TRUE;
}

/* --- Asking ---------------------------------------------------------------------------------- */

/* Whether the entry point lists @variable: from SPIR-V 1.4 on they list all they use. */
static gboolean
is_listed (const VtrSpirvBlocks *self,
           const char           *entry,
           guint32               variable)
{
  const guint32 *words = entry != NULL ? g_hash_table_lookup (self->entries, entry) : NULL;
  gsize length = words != NULL ? words[0] >> 16 : 0;
  gsize name_words = length > 3 ? length - 3 : 0;
  g_autofree char *name = NULL;

  if (words == NULL)
    return FALSE;
  name = read_name (words + 3, &name_words);
  for (gsize i = 3 + name_words; i < length; i++)
    if (words[i] == variable)
      return TRUE;
  return FALSE;
}

static char *
describe_variable (VtrSpirvBlocks *self,
                   const Variable *variable,
                   Part            part)
{
  const guint32 *pointer = get_type (self, variable->pointer, 4);
  g_autoptr (GString) out = g_string_new ("block ");
  const guint32 *words;
  guint32 type;

  if (pointer == NULL || (pointer[0] & 0xffff) != SpvOpTypePointer)
    return NULL;
  /* An array here is one of descriptors. */
  for (type = pointer[3]; (words = get_type (self, type, 3)) != NULL &&
                          ((words[0] & 0xffff) == SpvOpTypeArray ||
                           (words[0] & 0xffff) == SpvOpTypeRuntimeArray);
       type = words[2])
    if (words[2] >= type)
      return NULL;
  return write_struct (self, type, part, 0, out) ? g_strdup (out->str) : NULL;
}

static gboolean
is_of (const VtrSpirvBlocks *self,
       const Variable       *variable,
       gboolean              push,
       guint32               set,
       guint32               binding)
{
  const Id *id = get_id (self, variable->id);

  return id != NULL && push == (variable->storage == SpvStorageClassPushConstant) &&
         (push || (id->has_binding && id->set == set && id->binding == binding));
}

/* Of the variables at a place, those that the entry point lists, if it lists any. */
static char *
describe (VtrSpirvBlocks *self,
          const char     *entry,
          gboolean        push,
          guint32         set,
          guint32         binding,
          guint           nth,
          Part            part)
{
  gboolean listed = FALSE;

  for (guint i = 0; i < self->variables->len && !listed; i++)
    {
      const Variable *variable = &g_array_index (self->variables, Variable, i);

      listed = is_of (self, variable, push, set, binding) && is_listed (self, entry, variable->id);
    }
  for (guint i = 0; i < self->variables->len; i++)
    {
      const Variable *variable = &g_array_index (self->variables, Variable, i);

      if (is_of (self, variable, push, set, binding) &&
          (!listed || is_listed (self, entry, variable->id)) && nth-- == 0)
        return describe_variable (self, variable, part);
    }
  return NULL;
}

char *
vtr_spirv_blocks_describe (VtrSpirvBlocks *self,
                           const char     *entry,
                           guint32         set,
                           guint32         binding,
                           guint           nth)
{
  return describe (self, entry, FALSE, set, binding, nth, (Part){ 0, G_MAXUINT32 });
}

char *
vtr_spirv_blocks_describe_push_constants (VtrSpirvBlocks *self,
                                          const char     *entry,
                                          guint32         first,
                                          guint32         size)
{
  return describe (self, entry, TRUE, 0, 0, 0, (Part){ first, size });
}
