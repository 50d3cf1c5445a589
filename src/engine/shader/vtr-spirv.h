/* A SPIR-V module as far as it can be read without any compiler: entry points, embedded source,
 * resources and specialization constants. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VTR_SHADER_ERROR (vtr_shader_error_quark ())
GQuark vtr_shader_error_quark (void);

typedef enum
{
  VTR_SHADER_ERROR_DAMAGED,     /* no SPIR-V, or it breaks off */
  VTR_SHADER_ERROR_UNSUPPORTED, /* valid, but cannot be shown in that form here */
  VTR_SHADER_ERROR_TOOL,        /* the shader tool cannot be started, died or took too long */
} VtrShaderError;

/* An entry point; @stage is a VtrShaderStage, 0 for execution models without one. */
typedef struct
{
  const char *name;
  guint32 stage;
  guint32 model; /* SpvExecutionModel */
  guint32 id;
} VtrSpirvEntry;

/* A source text in the module, as the compiler embedded it. */
typedef struct
{
  const char *file;     /* "" when the module does not say */
  const char *language; /* "GLSL", "HLSL", …; "" unknown */
  guint32 version;      /* 450; 0 unknown */
  const char *text;     /* NULL: only the name is there */
} VtrSpirvSource;

/* A variable with a set and a binding. */
typedef struct
{
  guint32 set, binding;
  guint32 variable;       /* its id */
  gboolean read, written; /* what decorations leave open, and what functions do with a block */
} VtrSpirvResource;

typedef struct
{
  guint32 constant; /* SpecId */
  const char *name; /* "" when stripped */
} VtrSpirvConstant;

/**
 * VtrSpirv:
 *
 * Everything read is checked against the module's size; what comes out may be nonsense for a
 * nonsensical module, but never a crash. Words of either byte order. Texts are valid UTF-8 and
 * owned by it.
 *
 * Source: SPIR-V specification 1.6, chapter 2.3 (layout) and 3 (instructions);
 * NonSemantic.Shader.DebugInfo.100. Threading: any (immutable). Atomically reference-counted.
 */
typedef struct _VtrSpirv VtrSpirv;

VtrSpirv *vtr_spirv_new (GBytes  *code,
                         GError **error);
VtrSpirv *vtr_spirv_ref (VtrSpirv *self);
void vtr_spirv_unref (VtrSpirv *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrSpirv, vtr_spirv_unref)

/* "1.3" */
guint vtr_spirv_get_version_major (VtrSpirv *self);
guint vtr_spirv_get_version_minor (VtrSpirv *self);
/* Its generator: "glslang", …; NULL: an unknown number. */
const char *vtr_spirv_get_generator (VtrSpirv *self);
guint32 vtr_spirv_get_n_instructions (VtrSpirv *self);

guint vtr_spirv_get_n_entries (VtrSpirv *self);
const VtrSpirvEntry *vtr_spirv_get_entry (VtrSpirv *self,
                                          guint     nth);
/* @name may be NULL, @stage 0: any. Returns: NULL when there is none. */
const VtrSpirvEntry *vtr_spirv_find_entry (VtrSpirv   *self,
                                           const char *name,
                                           guint32     stage);
guint vtr_spirv_get_n_sources (VtrSpirv *self);
const VtrSpirvSource *vtr_spirv_get_source (VtrSpirv *self,
                                            guint     nth);
/* One that has a text. */
gboolean vtr_spirv_has_source (VtrSpirv *self);
/* FALSE: there may be more than are listed. */
gboolean vtr_spirv_knows_resources (VtrSpirv *self);
guint vtr_spirv_get_n_resources (VtrSpirv *self);
const VtrSpirvResource *vtr_spirv_get_resource (VtrSpirv *self,
                                                guint     nth);
/* The value to which a pipeline sets a specialization constant. */
typedef struct
{
  guint32 constant; /* SpecId */
  gsize size;
  const guint8 *bytes;
} VtrSpirvValue;

/* The module with the defaults of its specialization constants replaced by @values, the first of each constant: what a
   pipeline makes of it, still readable by any tool. (transfer full) */
GBytes *vtr_spirv_specialize (GBytes              *code,
                              const VtrSpirvValue *values,
                              guint                n);
guint vtr_spirv_get_n_constants (VtrSpirv *self);
const VtrSpirvConstant *vtr_spirv_get_constant (VtrSpirv *self,
                                                guint     nth);

G_END_DECLS
