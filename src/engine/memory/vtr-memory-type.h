/* Bytes as numbers, vectors, matrices and structures. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* How members are aligned. */
typedef enum
{
  VTR_MEMORY_LAYOUT_SCALAR, /* each at a multiple of its component: C, VK_EXT_scalar_block_layout */
  VTR_MEMORY_LAYOUT_STD430, /* storage buffers and push constants */
  VTR_MEMORY_LAYOUT_STD140, /* uniform buffers */
} VtrMemoryLayout;

typedef enum
{
  VTR_MEMORY_TYPE_SCALAR,
  VTR_MEMORY_TYPE_VECTOR,
  VTR_MEMORY_TYPE_MATRIX, /* members: its columns */
  VTR_MEMORY_TYPE_STRUCT,
  VTR_MEMORY_TYPE_ARRAY,
} VtrMemoryTypeKind;

/**
 * VtrMemoryType:
 *
 * Written as in shaders:
 *
 *     u8 i16 u32 i64 f16 f32 f64 · unorm8 snorm16 · hex8 hex32 · float half double int uint bool
 *     vec3 ivec2 uvec4 dvec2 · f32x3 unorm8x4 · mat4 mat3x2 (columns x rows) · TYPE[8]
 *     {vec3 position; vec2 uv @16; stride 32} · Light {vec3 color; float range}
 *     block Camera {row_major mat4x3 stride 16 view @0; Light lights[4 stride 32] @64; uint ids[]}
 *
 * "@16" puts a member there, whatever the layout says; "stride" gives the structure's size, and the
 * bytes between columns (rows, if row_major) of a matrix or between elements of an array. A block
 * stands once at the beginning of a range; other types repeat to its end. An array without a length
 * goes on to the end of the range: see vtr_memory_type_fit().
 *
 * Threading: any (immutable). Atomically reference-counted.
 */
typedef struct _VtrMemoryType VtrMemoryType;

/* Errors: G_IO_ERROR_INVALID_ARGUMENT, saying what was expected. */
VtrMemoryType *vtr_memory_type_parse (const char       *text,
                                      VtrMemoryLayout   layout,
                                      GError          **error);
VtrMemoryType *vtr_memory_type_ref (VtrMemoryType *self);
void vtr_memory_type_unref (VtrMemoryType *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrMemoryType, vtr_memory_type_unref)

/* The type with the length that its open array, if it has one, gets in a range of @size bytes.
   (transfer full) */
VtrMemoryType *vtr_memory_type_fit (VtrMemoryType *self,
                                    guint64        size);

VtrMemoryTypeKind vtr_memory_type_get_kind (const VtrMemoryType *self);
/* Whether it stands once in a range: a block, or a type with an open array. */
gboolean vtr_memory_type_is_single (const VtrMemoryType *self);
/* Bytes of one. At least 1. */
guint64 vtr_memory_type_get_size (const VtrMemoryType *self);
/* From one to the next in an array. At least 1. */
guint64 vtr_memory_type_get_stride (const VtrMemoryType *self);
/* Members of a structure, elements of an array, columns of a matrix; 0 for scalars and vectors. */
guint64 vtr_memory_type_get_n_members (const VtrMemoryType *self);
/* @name: (out) (nullable): of a structure's member; NULL for elements and columns. */
const VtrMemoryType *vtr_memory_type_get_member (const VtrMemoryType  *self,
                                                 guint64               nth,
                                                 const char          **name,
                                                 guint64              *offset);
/* "vec3", "Light", "{…}", "float[8]". (transfer full) */
char *vtr_memory_type_describe (const VtrMemoryType *self);

/* Components of a scalar (1) or vector. */
guint vtr_memory_type_get_n_components (const VtrMemoryType *self);
guint64 vtr_memory_type_get_component_size (const VtrMemoryType *self);
/* Where component @nth of a scalar or vector begins. */
guint64 vtr_memory_type_get_component_offset (const VtrMemoryType *self,
                                              guint                nth);
/* Component @nth of the scalar or vector at @bytes: "1.5", "-3", "0x1f", "true". (transfer full) */
char *vtr_memory_type_format_component (const VtrMemoryType *self,
                                        const guint8        *bytes,
                                        guint                nth);
/* Like vtr_memory_type_format_component (), as a number; integers beyond 53 bits lose their lowest. */
double vtr_memory_type_read_component (const VtrMemoryType *self,
                                       const guint8        *bytes,
                                       guint                nth);
/* Whether components are whole numbers (shown without a point). */
gboolean vtr_memory_type_is_integer (const VtrMemoryType *self);
/* A whole value in one line: "1.5", "(1, 2, 3)", "{(1, 2, 3), 4}". (transfer full) */
char *vtr_memory_type_format (const VtrMemoryType *self,
                              const guint8        *bytes);

/* "scalar", "std430", "std140". Returns: FALSE for others. */
gboolean vtr_memory_layout_from_name (const char      *name,
                                      VtrMemoryLayout *out);

G_END_DECLS
