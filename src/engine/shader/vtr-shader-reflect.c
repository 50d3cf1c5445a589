/* Writes the inputs, outputs and resources of a shader as JSON, with SPIRV-Cross. */
#include "engine/shader/vtr-shader-cross.h"

#include <json-glib/json-glib.h>

/* A type may contain the same structure many times over, so the output is limited in depth and
 * number. */
#define MAX_DEPTH 12
#define MAX_MEMBERS 65536

typedef struct
{
  VtrShaderCross cross;
  JsonBuilder *json;
  guint members; /* written so far */
} Reflector;

static void
set_string (Reflector *self, const char *name, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value != NULL ? value : "", -1);

  json_builder_set_member_name (self->json, name);
  json_builder_add_string_value (self->json, valid);
}

static void
set_int (Reflector *self, const char *name, gint64 value)
{
  json_builder_set_member_name (self->json, name);
  json_builder_add_int_value (self->json, value);
}

static void
set_boolean (Reflector *self, const char *name, gboolean value)
{
  json_builder_set_member_name (self->json, name);
  json_builder_add_boolean_value (self->json, value);
}

/* --- Types ----------------------------------------------------------------------------------- */

static const char *
scalar_name (spvc_basetype base)
{
  static const char *const names[] = {
    [SPVC_BASETYPE_VOID] = "void",
    [SPVC_BASETYPE_BOOLEAN] = "bool",
    [SPVC_BASETYPE_INT8] = "int8_t",
    [SPVC_BASETYPE_UINT8] = "uint8_t",
    [SPVC_BASETYPE_INT16] = "int16_t",
    [SPVC_BASETYPE_UINT16] = "uint16_t",
    [SPVC_BASETYPE_INT32] = "int",
    [SPVC_BASETYPE_UINT32] = "uint",
    [SPVC_BASETYPE_INT64] = "int64_t",
    [SPVC_BASETYPE_UINT64] = "uint64_t",
    [SPVC_BASETYPE_ATOMIC_COUNTER] = "atomic_uint",
    [SPVC_BASETYPE_FP16] = "float16_t",
    [SPVC_BASETYPE_FP32] = "float",
    [SPVC_BASETYPE_FP64] = "double",
    [SPVC_BASETYPE_STRUCT] = "struct",
    [SPVC_BASETYPE_SAMPLER] = "sampler",
    [SPVC_BASETYPE_ACCELERATION_STRUCTURE] = "accelerationStructure",
  };

  return (guint)base < G_N_ELEMENTS (names) && names[base] != NULL ? names[base] : "?";
}

/* "f16", "d", "u": what a vector of it begins with. */
static const char *
vector_prefix (spvc_basetype base)
{
  switch (base)
    {
    case SPVC_BASETYPE_BOOLEAN:
      return "b";
    case SPVC_BASETYPE_INT8:
      return "i8";
    case SPVC_BASETYPE_UINT8:
      return "u8";
    case SPVC_BASETYPE_INT16:
      return "i16";
    case SPVC_BASETYPE_UINT16:
      return "u16";
    case SPVC_BASETYPE_INT32:
      return "i";
    case SPVC_BASETYPE_UINT32:
      return "u";
    case SPVC_BASETYPE_INT64:
      return "i64";
    case SPVC_BASETYPE_UINT64:
      return "u64";
    case SPVC_BASETYPE_FP16:
      return "f16";
    case SPVC_BASETYPE_FP64:
      return "d";
    default:
      return "";
    }
}

/* "utexture2DArray", "sampler2DMS", "image3D" */
static void
append_image (Reflector *self, spvc_type type, GString *out)
{
  static const char *const dimensions[] = { "1D", "2D", "3D", "Cube", "2DRect", "Buffer", "" };
  spvc_type sampled =
    spvc_compiler_get_type_handle (self->cross.compiler, spvc_type_get_image_sampled_type (type));
  spvc_basetype base = sampled != NULL ? spvc_type_get_basetype (sampled) : SPVC_BASETYPE_FP32;
  SpvDim dimension = spvc_type_get_image_dimension (type);

  if (base != SPVC_BASETYPE_FP32)
    g_string_append (out, vector_prefix (base));
  if (spvc_type_get_basetype (type) == SPVC_BASETYPE_SAMPLED_IMAGE)
    g_string_append (out, "sampler");
  else if (dimension == SpvDimSubpassData)
    g_string_append (out, "subpassInput");
  else
    g_string_append (out, spvc_type_get_image_is_storage (type) ? "image" : "texture");
  g_string_append (out, (guint)dimension < G_N_ELEMENTS (dimensions) ? dimensions[dimension] : "?");
  if (spvc_type_get_image_multisampled (type))
    g_string_append (out, "MS");
  if (spvc_type_get_image_arrayed (type))
    g_string_append (out, "Array");
  if (spvc_type_get_image_is_depth (type))
    g_string_append (out, "Shadow");
}

static void
append_base (Reflector *self, spvc_type_id id, spvc_type type, GString *out)
{
  spvc_basetype base = spvc_type_get_basetype (type);
  unsigned columns = spvc_type_get_columns (type), rows = spvc_type_get_vector_size (type);
  const char *name;

  if (base == SPVC_BASETYPE_IMAGE || base == SPVC_BASETYPE_SAMPLED_IMAGE)
    append_image (self, type, out);
  else if (base == SPVC_BASETYPE_STRUCT)
    {
      name = spvc_compiler_get_name (self->cross.compiler, spvc_type_get_base_type_id (type));
      if (name == NULL || *name == '\0')
        name = spvc_compiler_get_name (self->cross.compiler, id);
      g_string_append (out, name != NULL && *name != '\0' ? name : "struct");
    }
  else if (columns > 1)
    {
      g_string_append_printf (out, "%smat%u", vector_prefix (base), columns);
      if (columns != rows)
        g_string_append_printf (out, "x%u", rows);
    }
  else if (rows > 1)
    g_string_append_printf (out, "%svec%u", vector_prefix (base), rows);
  else
    g_string_append (out, scalar_name (base));
}

/* "vec4", "mat4[3]", "Light[]" */
static char *
describe_type (Reflector *self, spvc_type_id id)
{
  spvc_type type = spvc_compiler_get_type_handle (self->cross.compiler, id);
  GString *out = g_string_new (NULL);

  if (type == NULL)
    return g_string_free (g_string_append (out, "?"), FALSE);
  append_base (self, id, type, out);
  /* Cross lists the innermost dimension first; C and GLSL write it last. */
  for (unsigned i = spvc_type_get_num_array_dimensions (type); i-- > 0;)
    {
      unsigned size = spvc_type_get_array_dimension (type, i);

      if (!spvc_type_array_dimension_is_literal (type, i))
        g_string_append (out, "[spec]");
      else if (size == 0)
        g_string_append (out, "[]");
      else
        g_string_append_printf (out, "[%u]", size);
    }
  return g_string_free (out, FALSE);
}

static void add_members (Reflector    *self,
                         spvc_type_id  id,
                         guint         depth);

static void
add_member (Reflector *self, spvc_type type, spvc_type_id struct_id, unsigned i, guint depth)
{
  spvc_compiler compiler = self->cross.compiler;
  spvc_type_id member = spvc_type_get_member_type (type, i);
  spvc_type member_type = spvc_compiler_get_type_handle (compiler, member);
  g_autofree char *type_name = describe_type (self, member);
  unsigned offset = 0, stride = 0;
  size_t size = 0;

  json_builder_begin_object (self->json);
  set_string (self, "name", spvc_compiler_get_member_name (compiler, struct_id, i));
  set_string (self, "type", type_name);
  if (spvc_compiler_has_member_decoration (compiler, struct_id, i, SpvDecorationOffset) &&
      spvc_compiler_type_struct_member_offset (compiler, type, i, &offset) == SPVC_SUCCESS)
    {
      set_int (self, "offset", offset);
      if (spvc_compiler_get_declared_struct_member_size (compiler, type, i, &size) ==
          SPVC_SUCCESS)
        set_int (self, "size", (gint64)size);
      if (member_type != NULL && spvc_type_get_num_array_dimensions (member_type) > 0 &&
          spvc_compiler_type_struct_member_array_stride (compiler, type, i, &stride) ==
            SPVC_SUCCESS)
        set_int (self, "arrayStride", stride);
      if (member_type != NULL && spvc_type_get_columns (member_type) > 1 &&
          spvc_compiler_type_struct_member_matrix_stride (compiler, type, i, &stride) ==
            SPVC_SUCCESS)
        {
          set_int (self, "matrixStride", stride);
          set_boolean (self, "rowMajor",
                       spvc_compiler_has_member_decoration (compiler, struct_id, i,
                                                            SpvDecorationRowMajor));
        }
    }
  if (spvc_compiler_has_member_decoration (compiler, struct_id, i, SpvDecorationLocation))
    set_int (self, "location",
             spvc_compiler_get_member_decoration (compiler, struct_id, i, SpvDecorationLocation));
  if (member_type != NULL && spvc_type_get_basetype (member_type) == SPVC_BASETYPE_STRUCT)
    add_members (self, member, depth + 1);
  json_builder_end_object (self->json);
}

static void
add_members (Reflector *self, spvc_type_id id, guint depth)
{
  spvc_type type = spvc_compiler_get_type_handle (self->cross.compiler, id);
  spvc_type_id struct_id = type != NULL ? spvc_type_get_base_type_id (type) : id;
  unsigned n = type != NULL ? spvc_type_get_num_member_types (type) : 0;

  json_builder_set_member_name (self->json, "members");
  json_builder_begin_array (self->json);
  for (unsigned i = 0; i < n && depth < MAX_DEPTH && self->members < MAX_MEMBERS; i++)
    {
      self->members++;
      add_member (self, type, struct_id, i, depth);
    }
  json_builder_end_array (self->json);
}

/* --- Resources ------------------------------------------------------------------------------- */

static void
add_block (Reflector *self, const spvc_reflected_resource *resource)
{
  spvc_type type =
    spvc_compiler_get_type_handle (self->cross.compiler, resource->base_type_id);
  size_t size = 0;

  if (type == NULL || spvc_type_get_basetype (type) != SPVC_BASETYPE_STRUCT)
    return;
  if (spvc_compiler_get_declared_struct_size (self->cross.compiler, type, &size) == SPVC_SUCCESS)
    set_int (self, "size", (gint64)size);
  add_members (self, resource->base_type_id, 0);
}

static void
set_decoration (Reflector *self, const char *name, SpvId id, SpvDecoration decoration)
{
  if (spvc_compiler_has_decoration (self->cross.compiler, id, decoration))
    set_int (self, name, spvc_compiler_get_decoration (self->cross.compiler, id, decoration));
}

static const char *
resource_name (Reflector *self, const spvc_reflected_resource *resource)
{
  const char *name = spvc_compiler_get_name (self->cross.compiler, resource->id);

  return name != NULL && *name != '\0' ? name : resource->name;
}

static void
add_interface (Reflector *self, spvc_resources resources, spvc_resource_type kind, const char *name)
{
  const spvc_reflected_resource *list = NULL;
  size_t n = 0;

  json_builder_set_member_name (self->json, name);
  json_builder_begin_array (self->json);
  spvc_resources_get_resource_list_for_type (resources, kind, &list, &n);
  for (size_t i = 0; i < n; i++)
    {
      g_autofree char *type = describe_type (self, list[i].type_id);

      json_builder_begin_object (self->json);
      set_decoration (self, "location", list[i].id, SpvDecorationLocation);
      set_decoration (self, "component", list[i].id, SpvDecorationComponent);
      set_string (self, "name", resource_name (self, &list[i]));
      set_string (self, "type", type);
      if (spvc_compiler_has_decoration (self->cross.compiler, list[i].id, SpvDecorationFlat))
        set_string (self, "interpolation", "flat");
      else if (spvc_compiler_has_decoration (self->cross.compiler, list[i].id,
                                             SpvDecorationNoPerspective))
        set_string (self, "interpolation", "noperspective");
      add_block (self, &list[i]);
      json_builder_end_object (self->json);
    }
  json_builder_end_array (self->json);
}

static const struct
{
  spvc_resource_type type;
  const char *name; /* as type of descriptor in words */
} descriptor_kinds[] = {
  { SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, "uniform buffer" },
  { SPVC_RESOURCE_TYPE_STORAGE_BUFFER, "storage buffer" },
  { SPVC_RESOURCE_TYPE_SAMPLED_IMAGE, "image + sampler" },
  { SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, "image" },
  { SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, "sampler" },
  { SPVC_RESOURCE_TYPE_STORAGE_IMAGE, "storage image" },
  { SPVC_RESOURCE_TYPE_SUBPASS_INPUT, "input attachment" },
  { SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE, "acceleration structure" },
};

static void
add_descriptor (Reflector *self, const spvc_reflected_resource *resource, guint kind)
{
  spvc_compiler compiler = self->cross.compiler;
  g_autofree char *type = describe_type (self, resource->type_id);
  spvc_type handle = spvc_compiler_get_type_handle (compiler, resource->type_id);
  unsigned count = 1;

  if (handle != NULL && spvc_type_get_num_array_dimensions (handle) > 0)
    count = spvc_type_array_dimension_is_literal (handle, 0)
              ? spvc_type_get_array_dimension (handle, 0)
              : 0;
  json_builder_begin_object (self->json);
  set_int (self, "set",
           spvc_compiler_get_decoration (compiler, resource->id, SpvDecorationDescriptorSet));
  set_int (self, "binding",
           spvc_compiler_get_decoration (compiler, resource->id, SpvDecorationBinding));
  set_string (self, "name", resource_name (self, resource));
  set_string (self, "kind", descriptor_kinds[kind].name);
  set_string (self, "type", type);
  set_int (self, "count", count);
  set_decoration (self, "inputAttachmentIndex", resource->id, SpvDecorationInputAttachmentIndex);
  if (descriptor_kinds[kind].type == SPVC_RESOURCE_TYPE_STORAGE_BUFFER ||
      descriptor_kinds[kind].type == SPVC_RESOURCE_TYPE_STORAGE_IMAGE)
    {
      set_boolean (self, "readable",
                   !spvc_compiler_has_decoration (compiler, resource->id,
                                                  SpvDecorationNonReadable));
      set_boolean (self, "writable",
                   !spvc_compiler_has_decoration (compiler, resource->id,
                                                  SpvDecorationNonWritable));
    }
  add_block (self, resource);
  json_builder_end_object (self->json);
}

static void
add_descriptors (Reflector *self, spvc_resources resources)
{
  json_builder_set_member_name (self->json, "descriptors");
  json_builder_begin_array (self->json);
  for (guint kind = 0; kind < G_N_ELEMENTS (descriptor_kinds); kind++)
    {
      const spvc_reflected_resource *list = NULL;
      size_t n = 0;

      spvc_resources_get_resource_list_for_type (resources, descriptor_kinds[kind].type, &list,
                                                 &n);
      for (size_t i = 0; i < n; i++)
        add_descriptor (self, &list[i], kind);
    }
  json_builder_end_array (self->json);
}

static void
add_push_constants (Reflector *self, spvc_resources resources)
{
  const spvc_reflected_resource *list = NULL;
  size_t n = 0;

  json_builder_set_member_name (self->json, "pushConstants");
  json_builder_begin_array (self->json);
  spvc_resources_get_resource_list_for_type (resources, SPVC_RESOURCE_TYPE_PUSH_CONSTANT, &list,
                                             &n);
  for (size_t i = 0; i < n; i++)
    {
      g_autofree char *type = describe_type (self, list[i].type_id);

      json_builder_begin_object (self->json);
      set_string (self, "name", resource_name (self, &list[i]));
      set_string (self, "type", type);
      add_block (self, &list[i]);
      json_builder_end_object (self->json);
    }
  json_builder_end_array (self->json);
}

static void
add_constant_value (Reflector *self, spvc_constant constant, spvc_type type)
{
  spvc_basetype base = type != NULL ? spvc_type_get_basetype (type) : SPVC_BASETYPE_UNKNOWN;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  json_builder_set_member_name (self->json, "value");
  switch (base)
    {
    case SPVC_BASETYPE_BOOLEAN:
      json_builder_add_boolean_value (self->json,
                                      spvc_constant_get_scalar_u32 (constant, 0, 0) != 0);
      break;
    case SPVC_BASETYPE_FP16:
    case SPVC_BASETYPE_FP32:
      {
        float value = base == SPVC_BASETYPE_FP32 ? spvc_constant_get_scalar_fp32 (constant, 0, 0)
                                                 : spvc_constant_get_scalar_fp16 (constant, 0, 0);

        json_builder_add_string_value (
          self->json, g_ascii_formatd (number, sizeof number, "%.9g", (double)value));
        break;
      }
    case SPVC_BASETYPE_FP64:
      json_builder_add_string_value (
        self->json, g_ascii_formatd (number, sizeof number, "%.17g",
                                     spvc_constant_get_scalar_fp64 (constant, 0, 0)));
      break;
    case SPVC_BASETYPE_INT8:
    case SPVC_BASETYPE_INT16:
    case SPVC_BASETYPE_INT32:
      json_builder_add_int_value (self->json, spvc_constant_get_scalar_i32 (constant, 0, 0));
      break;
    default:
      json_builder_add_int_value (self->json, spvc_constant_get_scalar_u32 (constant, 0, 0));
      break;
    }
}

static void
add_specialization (Reflector *self)
{
  spvc_compiler compiler = self->cross.compiler;
  const spvc_specialization_constant *list = NULL;
  size_t n = 0;

  json_builder_set_member_name (self->json, "specializationConstants");
  json_builder_begin_array (self->json);
  if (spvc_compiler_get_specialization_constants (compiler, &list, &n) != SPVC_SUCCESS)
    n = 0;
  for (size_t i = 0; i < n; i++)
    {
      spvc_constant constant = spvc_compiler_get_constant_handle (compiler, list[i].id);
      spvc_type_id id = constant != NULL ? spvc_constant_get_type (constant) : 0;
      spvc_type type = constant != NULL ? spvc_compiler_get_type_handle (compiler, id) : NULL;
      g_autofree char *name = constant != NULL ? describe_type (self, id) : NULL;

      if (constant == NULL)
        continue;
      json_builder_begin_object (self->json);
      set_int (self, "id", list[i].constant_id);
      set_string (self, "name", spvc_compiler_get_name (compiler, list[i].id));
      set_string (self, "type", name);
      add_constant_value (self, constant, type);
      json_builder_end_object (self->json);
    }
  json_builder_end_array (self->json);
}

static void
add_workgroup (Reflector *self)
{
  spvc_compiler compiler = self->cross.compiler;
  spvc_specialization_constant size[3] = { 0 };

  if (self->cross.model != SpvExecutionModelGLCompute &&
      self->cross.model != SpvExecutionModelTaskEXT &&
      self->cross.model != SpvExecutionModelMeshEXT)
    return;
  spvc_compiler_get_work_group_size_specialization_constants (compiler, &size[0], &size[1],
                                                              &size[2]);
  json_builder_set_member_name (self->json, "workgroupSize");
  json_builder_begin_array (self->json);
  for (unsigned i = 0; i < 3; i++)
    {
      spvc_constant constant =
        size[i].id != 0 ? spvc_compiler_get_constant_handle (compiler, size[i].id) : NULL;

      json_builder_add_int_value (
        self->json, constant != NULL
                      ? spvc_constant_get_scalar_u32 (constant, 0, 0)
                      : spvc_compiler_get_execution_mode_argument_by_index (
                          compiler, SpvExecutionModeLocalSize, i));
    }
  json_builder_end_array (self->json);
}

static gboolean
reflect (Reflector *self, char **message)
{
  spvc_resources resources = NULL;
  spvc_set active = NULL;

  /* Only what the entry point reaches. */
  if (spvc_compiler_get_active_interface_variables (self->cross.compiler, &active) !=
        SPVC_SUCCESS ||
      spvc_compiler_create_shader_resources_for_active_variables (self->cross.compiler, &resources,
                                                                  active) != SPVC_SUCCESS)
    return vtr_shader_cross_fail (&self->cross, message);

  json_builder_begin_object (self->json);
  set_string (self, "entryPoint", self->cross.entry);
  set_int (self, "stage", vtr_shader_cross_stage (self->cross.model));
  add_workgroup (self);
  add_interface (self, resources, SPVC_RESOURCE_TYPE_STAGE_INPUT, "inputs");
  add_interface (self, resources, SPVC_RESOURCE_TYPE_STAGE_OUTPUT, "outputs");
  add_descriptors (self, resources);
  add_push_constants (self, resources);
  add_specialization (self);
  json_builder_end_object (self->json);
  return TRUE;
}

gboolean
vtr_shader_tool_reflect (const VtrShaderJob *job, GString *out, char **message)
{
  Reflector self = { .json = json_builder_new () };
  gboolean done = vtr_shader_cross_init (&self.cross, job, SPVC_BACKEND_GLSL, message) &&
                  reflect (&self, message);

  if (done)
    {
      g_autoptr (JsonNode) root = json_builder_get_root (self.json);
      g_autofree char *text = json_to_string (root, FALSE);

      g_string_append (out, text);
    }
  vtr_shader_cross_finish (&self.cross);
  g_object_unref (self.json);
  return done;
}
