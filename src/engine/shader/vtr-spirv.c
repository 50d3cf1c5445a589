/* Reads SPIR-V modules word by word. */
#include "engine/shader/vtr-spirv-access.h"
#include "engine/shader/vtr-spirv-private.h"
#include "engine/shader/vtr-shader-stage.h"

#include <glib/gi18n.h>
#include <spirv.h>
#include <string.h>

#define MAX_TEXT (64u << 20)

/* Instructions of NonSemantic.Shader.DebugInfo.100 and OpenCL.DebugInfo.100. */
#define DEBUG_COMPILATION_UNIT 1
#define DEBUG_SOURCE 35
#define DEBUG_SOURCE_CONTINUED 102

/* OpUntypedVariableKHR of SPV_KHR_untyped_pointers, which the headers may not know. */
#define OP_UNTYPED_VARIABLE 4418

struct _VtrSpirv
{
  gatomicrefcount refs;
  guint32 version;
  guint32 generator;
  guint32 n_instructions;
  GStringChunk *strings;
  GArray *entries;   /* VtrSpirvEntry */
  GArray *sources;   /* VtrSpirvSource */
  GArray *resources; /* VtrSpirvResource */
  GArray *constants; /* VtrSpirvConstant */
  gboolean grouped;  /* decorations of groups are not read: any set and binding may be meant */
};

G_DEFINE_QUARK (vtr - shader - error - quark, vtr_shader_error)

/* The facts about an id that are known while reading. */
typedef struct
{
  const char *string; /* OpString */
  const char *name;   /* OpName */
  guint32 set, binding, constant;
  guint32 value; /* OpConstant, its first word */
  guint has_set : 1;
  guint has_binding : 1;
  guint has_constant : 1;
  guint has_value : 1;
  guint non_readable : 1;
  guint debug_set : 1; /* an imported set of debug instructions */
} Id;

typedef struct
{
  VtrSpirv *self;
  guint32 *words;
  gsize n_words;
  guint32 bound;
  Id *ids;
  GString *text;       /* of the source being put together */
  gboolean has_source; /* the last of .sources may get more text */
  gsize total_text;
} Reader;

static void
vtr_spirv_free (VtrSpirv *self)
{
  g_string_chunk_free (self->strings);
  g_array_unref (self->entries);
  g_array_unref (self->sources);
  g_array_unref (self->resources);
  g_array_unref (self->constants);
  g_free (self);
}

guint32 *
vtr_spirv_copy_words (GBytes *code, gsize *n_words, GError **error)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (code, &size);
  guint32 *words;

  *n_words = size / 4;
  if (size % 4 != 0 || *n_words < VTR_SPIRV_HEADER_WORDS)
    {
      g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_DAMAGED,
                   _ ("This is not SPIR-V: its size of %u bytes is not a multiple of 4, or is "
                      "too small for a header."),
                   (guint)MIN (size, G_MAXUINT));
      return NULL;
    }
  words = g_malloc (size);
  memcpy (words, bytes, size);
  if (words[0] == GUINT32_SWAP_LE_BE (SpvMagicNumber))
    for (gsize i = 0; i < *n_words; i++)
      words[i] = GUINT32_SWAP_LE_BE (words[i]);
  if (words[0] == SpvMagicNumber)
    return words;
  g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_DAMAGED,
               _ ("This is not SPIR-V: it begins with 0x%08x."), words[0]);
  g_free (words);
  return NULL;
}

static Id *
get_id (Reader *reader, guint32 id)
{
  return id < reader->bound ? &reader->ids[id] : NULL;
}

/* A literal string of at most @n words. (transfer none) *@used: words it takes. */
static const char *
read_string (Reader *reader, const guint32 *words, gsize n, gsize *used)
{
  gsize room = n * 4;
  g_autofree char *copy = NULL;
  g_autofree char *valid = NULL;
  const char *end;
  gsize length;

  if (used != NULL)
    *used = n;
  if (n == 0)
    return "";
  copy = g_malloc (room);
  for (gsize i = 0; i < n; i++)
    {
      guint32 word = GUINT32_TO_LE (words[i]);

      memcpy (copy + i * 4, &word, 4);
    }
  end = memchr (copy, '\0', room);
  length = end != NULL ? (gsize)(end - copy) : room;
  if (used != NULL)
    *used = MIN (length / 4 + 1, n);
  valid = g_utf8_make_valid (copy, (gssize)length);
  return g_string_chunk_insert (reader->self->strings, valid);
}

static guint32
stage_of_model (guint32 model)
{
  switch (model)
    {
    case SpvExecutionModelVertex:
      return VTR_SHADER_STAGE_VERTEX;
    case SpvExecutionModelTessellationControl:
      return VTR_SHADER_STAGE_TESSELLATION_CONTROL;
    case SpvExecutionModelTessellationEvaluation:
      return VTR_SHADER_STAGE_TESSELLATION_EVALUATION;
    case SpvExecutionModelGeometry:
      return VTR_SHADER_STAGE_GEOMETRY;
    case SpvExecutionModelFragment:
      return VTR_SHADER_STAGE_FRAGMENT;
    case SpvExecutionModelGLCompute:
      return VTR_SHADER_STAGE_COMPUTE;
    case SpvExecutionModelTaskNV:
    case 5364: /* TaskEXT */
      return VTR_SHADER_STAGE_TASK;
    case SpvExecutionModelMeshNV:
    case 5365: /* MeshEXT */
      return VTR_SHADER_STAGE_MESH;
    case SpvExecutionModelRayGenerationKHR:
      return VTR_SHADER_STAGE_RAYGEN;
    case SpvExecutionModelIntersectionKHR:
      return VTR_SHADER_STAGE_INTERSECTION;
    case SpvExecutionModelAnyHitKHR:
      return VTR_SHADER_STAGE_ANY_HIT;
    case SpvExecutionModelClosestHitKHR:
      return VTR_SHADER_STAGE_CLOSEST_HIT;
    case SpvExecutionModelMissKHR:
      return VTR_SHADER_STAGE_MISS;
    case SpvExecutionModelCallableKHR:
      return VTR_SHADER_STAGE_CALLABLE;
    default:
      return 0;
    }
}

static const char *
language_name (guint32 language)
{
  static const char *const names[] = { "", "ESSL", "GLSL", "OpenCL C", "OpenCL C++", "HLSL",
                                       "C++ for OpenCL", "SYCL" };

  return language < G_N_ELEMENTS (names) ? names[language] : "";
}

/* --- Sources --------------------------------------------------------------------------------- */

static void
finish_source (Reader *reader)
{
  GArray *sources = reader->self->sources;

  if (reader->has_source && reader->text->len > 0)
    g_array_index (sources, VtrSpirvSource, sources->len - 1).text =
      g_string_chunk_insert_len (reader->self->strings, reader->text->str,
                                 (gssize)reader->text->len);
  g_string_truncate (reader->text, 0);
  reader->has_source = FALSE;
}

static void
append_text (Reader *reader, const char *text)
{
  gsize length = strlen (text);

  if (!reader->has_source || length > MAX_TEXT - reader->total_text)
    return;
  reader->total_text += length;
  g_string_append_len (reader->text, text, (gssize)length);
}

static void
begin_source (Reader *reader, const char *file, const char *language, guint32 version)
{
  VtrSpirvSource source = { .file = file, .language = language, .version = version };

  finish_source (reader);
  g_array_append_val (reader->self->sources, source);
  reader->has_source = TRUE;
}

static void
read_source (Reader *reader, const guint32 *operands, gsize n)
{
  const Id *file = n > 2 ? get_id (reader, operands[2]) : NULL;

  if (n < 2)
    return;
  begin_source (reader, file != NULL && file->string != NULL ? file->string : "",
                language_name (operands[0]), operands[1]);
  if (n > 3)
    append_text (reader, read_string (reader, operands + 3, n - 3, NULL));
}

/* OpExtInst: result type, result, set, instruction, operands. */
static void
read_extended (Reader *reader, const guint32 *operands, gsize n)
{
  const Id *set = n >= 4 ? get_id (reader, operands[2]) : NULL;
  const Id *first, *second;

  if (set == NULL || !set->debug_set)
    return;
  first = n > 4 ? get_id (reader, operands[4]) : NULL;
  second = n > 5 ? get_id (reader, operands[5]) : NULL;
  if (operands[3] == DEBUG_SOURCE)
    {
      begin_source (reader, first != NULL && first->string != NULL ? first->string : "", "", 0);
      if (second != NULL && second->string != NULL)
        append_text (reader, second->string);
    }
  else if (operands[3] == DEBUG_SOURCE_CONTINUED && first != NULL && first->string != NULL)
    append_text (reader, first->string);
  else if (operands[3] == DEBUG_COMPILATION_UNIT && n > 7 && reader->self->sources->len > 0)
    {
      const Id *language = get_id (reader, operands[7]);
      VtrSpirvSource *source = &g_array_index (reader->self->sources, VtrSpirvSource,
                                               reader->self->sources->len - 1);

      if (*source->language == '\0')
        source->language =
          language_name (language != NULL && language->has_value ? language->value : operands[7]);
    }
}

/* --- Instructions ---------------------------------------------------------------------------- */

static void
read_entry (Reader *reader, const guint32 *operands, gsize n)
{
  VtrSpirvEntry entry;

  if (n < 3)
    return;
  entry.model = operands[0];
  entry.stage = stage_of_model (operands[0]);
  entry.id = operands[1];
  entry.name = read_string (reader, operands + 2, n - 2, NULL);
  g_array_append_val (reader->self->entries, entry);
}

static void
read_decoration (Reader *reader, const guint32 *operands, gsize n)
{
  Id *id = n >= 2 ? get_id (reader, operands[0]) : NULL;
  guint32 value = n >= 3 ? operands[2] : 0;

  if (id == NULL)
    return;
  switch (operands[1])
    {
    case SpvDecorationSpecId:
      id->constant = value;
      id->has_constant = n >= 3;
      break;
    case SpvDecorationDescriptorSet:
      id->set = value;
      id->has_set = n >= 3;
      break;
    case SpvDecorationBinding:
      id->binding = value;
      id->has_binding = n >= 3;
      break;
    case SpvDecorationNonReadable:
      id->non_readable = TRUE;
      break;
    default:
      break;
    }
}

static void
read_variable (Reader *reader, const guint32 *operands, gsize n)
{
  const Id *id = n >= 3 ? get_id (reader, operands[1]) : NULL;
  VtrSpirvResource resource;

  if (id == NULL || !id->has_binding)
    return;
  resource.set = id->has_set ? id->set : 0;
  resource.binding = id->binding;
  resource.read = !id->non_readable;
  resource.variable = operands[1];
  g_array_append_val (reader->self->resources, resource);
}

static void
read_constant (Reader *reader, const guint32 *operands, gsize n, gboolean specialized)
{
  Id *id = n >= 2 ? get_id (reader, operands[1]) : NULL;

  if (id == NULL)
    return;
  if (n >= 3)
    {
      id->value = operands[2];
      id->has_value = TRUE;
    }
  if (specialized && id->has_constant)
    {
      VtrSpirvConstant constant = { id->constant, id->name != NULL ? id->name : "" };

      g_array_append_val (reader->self->constants, constant);
    }
}

static void
read_name (Reader *reader, const guint32 *operands, gsize n, gboolean string)
{
  Id *id = n >= 1 ? get_id (reader, operands[0]) : NULL;
  const char *text;

  if (id == NULL)
    return;
  text = read_string (reader, operands + 1, n - 1, NULL);
  if (string)
    id->string = text;
  else
    id->name = text;
}

static void
read_import (Reader *reader, const guint32 *operands, gsize n)
{
  Id *id = n >= 2 ? get_id (reader, operands[0]) : NULL;
  const char *name;

  if (id == NULL)
    return;
  name = read_string (reader, operands + 1, n - 1, NULL);
  id->debug_set = g_str_has_prefix (name, "NonSemantic.Shader.DebugInfo") ||
                  g_str_has_prefix (name, "OpenCL.DebugInfo");
}

static void
read_instruction (Reader *reader, guint32 opcode, const guint32 *operands, gsize n)
{
  switch (opcode)
    {
    case SpvOpSource:
      read_source (reader, operands, n);
      break;
    case SpvOpSourceContinued:
      append_text (reader, read_string (reader, operands, n, NULL));
      break;
    case SpvOpName:
    case SpvOpString:
      read_name (reader, operands, n, opcode == SpvOpString);
      break;
    case SpvOpExtInstImport:
      read_import (reader, operands, n);
      break;
    case SpvOpExtInst:
      read_extended (reader, operands, n);
      break;
    case SpvOpEntryPoint:
      read_entry (reader, operands, n);
      break;
    case SpvOpDecorate:
      read_decoration (reader, operands, n);
      break;
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
      reader->self->grouped = TRUE;
      break;
    case SpvOpVariable:
    case OP_UNTYPED_VARIABLE:
      read_variable (reader, operands, n);
      break;
    case SpvOpConstant:
      read_constant (reader, operands, n, FALSE);
      break;
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
      read_constant (reader, operands, n, TRUE);
      break;
    default:
      break;
    }
}

static gboolean
read_module (Reader *reader, GError **error)
{
  g_autoptr (VtrSpirvAccess) access = vtr_spirv_access_new (reader->bound);
  GArray *resources = reader->self->resources;
  gsize at = VTR_SPIRV_HEADER_WORDS;

  while (at < reader->n_words)
    {
      const guint32 *words = reader->words + at;
      gsize length = words[0] >> 16;

      if (length == 0 || length > reader->n_words - at)
        {
          g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_DAMAGED,
                       _ ("The SPIR-V is truncated: the instruction at word %u reaches beyond "
                          "the end of the module."),
                       (guint)at);
          return FALSE;
        }
      read_instruction (reader, words[0] & 0xffff, words + 1, length - 1);
      vtr_spirv_access_read (access, words[0] & 0xffff, words + 1, length - 1);
      reader->self->n_instructions++;
      at += length;
    }
  finish_source (reader);
  for (guint i = 0; i < resources->len; i++)
    g_array_index (resources, VtrSpirvResource, i).written = vtr_spirv_access_may_write (
      access, g_array_index (resources, VtrSpirvResource, i).variable);
  return TRUE;
}

VtrSpirv *
vtr_spirv_new (GBytes *code, GError **error)
{
  Reader reader = { 0 };
  g_autoptr (VtrSpirv) self = NULL;
  gboolean read = FALSE;

  reader.words = vtr_spirv_copy_words (code, &reader.n_words, error);
  if (reader.words == NULL)
    return NULL;
  self = g_new0 (VtrSpirv, 1);
  g_atomic_ref_count_init (&self->refs);
  self->version = reader.words[1];
  self->generator = reader.words[2] >> 16;
  self->strings = g_string_chunk_new (1024);
  self->entries = g_array_new (FALSE, TRUE, sizeof (VtrSpirvEntry));
  self->sources = g_array_new (FALSE, TRUE, sizeof (VtrSpirvSource));
  self->resources = g_array_new (FALSE, TRUE, sizeof (VtrSpirvResource));
  self->constants = g_array_new (FALSE, TRUE, sizeof (VtrSpirvConstant));

  reader.self = self;
  /* No module uses more ids than it has words. */
  reader.bound = (guint32)MIN (MIN (reader.words[3], VTR_SPIRV_MAX_BOUND), reader.n_words);
  reader.ids = g_new0 (Id, reader.bound);
  reader.text = g_string_new (NULL);
  read = read_module (&reader, error);
  g_string_free (reader.text, TRUE);
  g_free (reader.ids);
  g_free (reader.words);
  return read ? g_steal_pointer (&self) : NULL;
}

VtrSpirv *
vtr_spirv_ref (VtrSpirv *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_spirv_unref (VtrSpirv *self)
{
  if (g_atomic_ref_count_dec (&self->refs))
    vtr_spirv_free (self);
}

guint
vtr_spirv_get_version_major (VtrSpirv *self)
{
  return (self->version >> 16) & 0xff;
}

guint
vtr_spirv_get_version_minor (VtrSpirv *self)
{
  return (self->version >> 8) & 0xff;
}

const char *
vtr_spirv_get_generator (VtrSpirv *self)
{
  /* Khronos' spir-v.xml, those one meets. */
  static const struct
  {
    guint32 id;
    const char *name;
  } generators[] = {
    { 6, "LLVM/SPIR-V Translator" },
    { 7, "SPIRV-Tools assembler" },
    { 8, "glslang" },
    { 13, "shaderc" },
    { 14, "DXC" },
    { 17, "SPIRV-Tools linker" },
    { 18, "vkd3d" },
    { 21, "Clay" },
    { 27, "rust-gpu" },
    { 28, "naga" },
    { 32, "Zig" },
    { 33, "Tint" },
    { 40, "Slang" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (generators); i++)
    if (generators[i].id == self->generator)
      return generators[i].name;
  return NULL;
}

guint32
vtr_spirv_get_n_instructions (VtrSpirv *self)
{
  return self->n_instructions;
}

guint
vtr_spirv_get_n_entries (VtrSpirv *self)
{
  return self->entries->len;
}

const VtrSpirvEntry *
vtr_spirv_get_entry (VtrSpirv *self, guint nth)
{
  g_return_val_if_fail (nth < self->entries->len, NULL);

  return &g_array_index (self->entries, VtrSpirvEntry, nth);
}

const VtrSpirvEntry *
vtr_spirv_find_entry (VtrSpirv *self, const char *name, guint32 stage)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      const VtrSpirvEntry *entry = &g_array_index (self->entries, VtrSpirvEntry, i);

      if ((name == NULL || strcmp (entry->name, name) == 0) &&
          (stage == 0 || entry->stage == stage))
        return entry;
    }
  return NULL;
}

guint
vtr_spirv_get_n_sources (VtrSpirv *self)
{
  return self->sources->len;
}

const VtrSpirvSource *
vtr_spirv_get_source (VtrSpirv *self, guint nth)
{
  g_return_val_if_fail (nth < self->sources->len, NULL);

  return &g_array_index (self->sources, VtrSpirvSource, nth);
}

gboolean
vtr_spirv_has_source (VtrSpirv *self)
{
  for (guint i = 0; i < self->sources->len; i++)
    if (g_array_index (self->sources, VtrSpirvSource, i).text != NULL)
      return TRUE;
  return FALSE;
}

gboolean
vtr_spirv_knows_resources (VtrSpirv *self)
{
  return !self->grouped;
}

guint
vtr_spirv_get_n_resources (VtrSpirv *self)
{
  return self->resources->len;
}

const VtrSpirvResource *
vtr_spirv_get_resource (VtrSpirv *self, guint nth)
{
  g_return_val_if_fail (nth < self->resources->len, NULL);

  return &g_array_index (self->resources, VtrSpirvResource, nth);
}

guint
vtr_spirv_get_n_constants (VtrSpirv *self)
{
  return self->constants->len;
}

const VtrSpirvConstant *
vtr_spirv_get_constant (VtrSpirv *self, guint nth)
{
  g_return_val_if_fail (nth < self->constants->len, NULL);

  return &g_array_index (self->constants, VtrSpirvConstant, nth);
}

/* --- Specialization -------------------------------------------------------------------------- */

/* Returns: NULL when @values does not set constant @id. */
static const VtrSpirvValue *
find_value (const VtrSpirvValue *values, guint n, guint32 id)
{
  for (guint i = 0; i < n; i++)
    if (values[i].constant == id)
      return &values[i];
  return NULL;
}

/* Sets the words of a constant instruction (with its opcode word). */
static void
set_constant (guint32 *words, gsize n, const guint8 *value, gsize size)
{
  guint32 opcode = words[0] & 0xffff;
  guint64 bits = 0;

  if (size > sizeof bits)
    return;
  memcpy (&bits, value, size);
  if (opcode == SpvOpSpecConstantTrue || opcode == SpvOpSpecConstantFalse)
    words[0] = (words[0] & 0xffff0000) |
               (bits != 0 ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse);
  else if (opcode == SpvOpSpecConstant && n >= 4)
    {
      words[3] = (guint32)bits;
      if (n >= 5)
        words[4] = (guint32)(bits >> 32);
    }
}

GBytes *
vtr_spirv_specialize (GBytes *code, const VtrSpirvValue *values, guint n_values)
{
  g_autoptr (GHashTable) ids = NULL;
  gsize n_words;
  guint32 *words;

  if (n_values == 0)
    return g_bytes_ref (code);
  words = vtr_spirv_copy_words (code, &n_words, NULL);
  if (words == NULL)
    return g_bytes_ref (code);

  /* Decorations come before what they decorate. */
  ids = g_hash_table_new (NULL, NULL);
  for (gsize at = VTR_SPIRV_HEADER_WORDS; at < n_words;)
    {
      gsize n = words[at] >> 16;
      guint32 opcode = words[at] & 0xffff;
      gpointer constant;

      if (n == 0 || n > n_words - at)
        break;
      if (opcode == SpvOpDecorate && n >= 4 && words[at + 2] == SpvDecorationSpecId)
        g_hash_table_insert (ids, GUINT_TO_POINTER (words[at + 1]),
                             GUINT_TO_POINTER (words[at + 3]));
      else if ((opcode == SpvOpSpecConstant || opcode == SpvOpSpecConstantTrue ||
                opcode == SpvOpSpecConstantFalse) &&
               n >= 3 &&
               g_hash_table_lookup_extended (ids, GUINT_TO_POINTER (words[at + 2]), NULL,
                                             &constant))
        {
          const VtrSpirvValue *value =
            find_value (values, n_values, GPOINTER_TO_UINT (constant));

          if (value != NULL)
            set_constant (words + at, n, value->bytes, value->size);
        }
      at += n;
    }
  return g_bytes_new_take (words, n_words * 4);
}
