/* Sizes that the specifications of OpenGL give: numbers, pixels, parameters. */
#include "gl/vtr-gl-pixels.h"

#include "api/vtr-gl-enums.h"

uint32_t
vtr_gl_type_size (uint32_t type)
{
  static const uint8_t sizes[] = {
    [GL_BYTE - GL_BYTE] = 1,
    [GL_UNSIGNED_BYTE -
      GL_BYTE] = 1,
    [GL_SHORT -
      GL_BYTE] = 2,
    [GL_UNSIGNED_SHORT -
      GL_BYTE] = 2,
    [GL_INT -
      GL_BYTE] = 4,
    [GL_UNSIGNED_INT -
      GL_BYTE] = 4,
    [GL_FLOAT -
      GL_BYTE] = 4,
    [GL_2_BYTES -
      GL_BYTE] = 2,
    [GL_3_BYTES -
      GL_BYTE] = 3,
    [GL_4_BYTES -
      GL_BYTE] = 4,
    [GL_DOUBLE -
      GL_BYTE] = 8,
    [GL_HALF_FLOAT -
      GL_BYTE] = 2,
    [GL_FIXED -
      GL_BYTE] = 4,
    [GL_INT64_NV -
      GL_BYTE] = 8,
    [GL_UNSIGNED_INT64_NV -
      GL_BYTE] = 8,
  };

  if (type == GL_HALF_FLOAT_OES)
    return 2;
  return type - GL_BYTE < sizeof sizes ? sizes[type - GL_BYTE] : 0;
}

/* Bits of a pixel whose components share a number; 0: @type is none such. */
static uint32_t
packed_bits (uint32_t type)
{
  switch (type)
    {
    case GL_UNSIGNED_BYTE_3_3_2:
    case GL_UNSIGNED_BYTE_2_3_3_REV:
      return 8;
    case GL_UNSIGNED_SHORT_4_4_4_4:
    case GL_UNSIGNED_SHORT_5_5_5_1:
    case GL_UNSIGNED_SHORT_5_6_5:
    case GL_UNSIGNED_SHORT_5_6_5_REV:
    case GL_UNSIGNED_SHORT_4_4_4_4_REV:
    case GL_UNSIGNED_SHORT_1_5_5_5_REV:
    case GL_UNSIGNED_SHORT_8_8_APPLE:
    case GL_UNSIGNED_SHORT_8_8_REV_APPLE:
      return 16;
    case GL_UNSIGNED_INT_8_8_8_8:
    case GL_UNSIGNED_INT_8_8_8_8_REV:
    case GL_UNSIGNED_INT_10_10_10_2:
    case GL_UNSIGNED_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_24_8:
    case GL_UNSIGNED_INT_10F_11F_11F_REV:
    case GL_UNSIGNED_INT_5_9_9_9_REV:
      return 32;
    case GL_FLOAT_32_UNSIGNED_INT_24_8_REV:
      return 64;
    default:
      return 0;
    }
}

static uint32_t
components (uint32_t format)
{
  switch (format)
    {
    case GL_COLOR_INDEX:
    case GL_STENCIL_INDEX:
    case GL_DEPTH_COMPONENT:
    case GL_RED:
    case GL_GREEN:
    case GL_BLUE:
    case GL_ALPHA:
    case GL_LUMINANCE:
    case GL_INTENSITY:
    case GL_RED_INTEGER:
    case GL_GREEN_INTEGER:
    case GL_BLUE_INTEGER:
    case GL_ALPHA_INTEGER:
    case GL_LUMINANCE_INTEGER_EXT:
      return 1;
    case GL_RG:
    case GL_RG_INTEGER:
    case GL_LUMINANCE_ALPHA:
    case GL_LUMINANCE_ALPHA_INTEGER_EXT:
    case GL_DEPTH_STENCIL:
    case GL_YCBCR_MESA:
      return 2;
    case GL_RGB:
    case GL_BGR:
    case GL_RGB_INTEGER:
    case GL_BGR_INTEGER:
    case GL_SRGB:
      return 3;
    case GL_RGBA:
    case GL_BGRA:
    case GL_RGBA_INTEGER:
    case GL_BGRA_INTEGER:
    case GL_ABGR_EXT:
    case GL_CMYK_EXT:
    case GL_SRGB_ALPHA:
      return 4;
    case GL_CMYKA_EXT:
      return 5;
    default:
      return 0;
    }
}

uint32_t
vtr_gl_pixel_bits (uint32_t format,
                   uint32_t type)
{
  if (type == GL_BITMAP)
    return 1;
  if (packed_bits (type) != 0)
    return packed_bits (type);
  return components (format) * vtr_gl_type_size (type) * 8;
}

static bool
multiply (int64_t  a,
          int64_t  b,
          int64_t *out)
{
  return !__builtin_mul_overflow (a, b, out);
}

/* *@total += @a * @b */
static bool
add_product (int64_t *total,
             int64_t  a,
             int64_t  b)
{
  int64_t product;

  return multiply (a, b, &product) && !__builtin_add_overflow (*total, product, total);
}

/* Bytes from row to row. */
static bool
row_distance (const VtrGlPixelStore *store,
              int64_t                bits,
              int64_t                width,
              int64_t               *out)
{
  const int64_t alignment = store->alignment > 0 ? store->alignment : 1;
  const int64_t pixels = store->row_length > 0 ? store->row_length : width;

  if (!multiply (pixels, bits, out) || *out > INT64_MAX - 64)
    return false;
  *out = ((*out + 7) / 8 + alignment - 1) / alignment * alignment;
  return true;
}

bool
vtr_gl_pixel_bytes (const VtrGlPixelStore *store,
                    uint32_t               format,
                    uint32_t               type,
                    unsigned               n_dimensions,
                    const int64_t          extent[3],
                    int64_t               *out)
{
  const int64_t bits = vtr_gl_pixel_bits (format, type);
  const int64_t height = n_dimensions > 1 ? extent[1] : 1;
  const int64_t depth = n_dimensions > 2 ? extent[2] : 1;
  const bool images = n_dimensions > 2;
  int64_t row, image, total = 0, end;

  *out = 0;
  if (bits == 0 || extent[0] < 0 || height < 0 || depth < 0)
    return false;
  if (extent[0] == 0 || height == 0 || depth == 0)
    return true;
  if (!row_distance (store, bits, extent[0], &row) ||
      !multiply (row, images && store->image_height > 0 ? store->image_height : height, &image) ||
      !add_product (&total, store->skip_rows + height - 1, row) ||
      !add_product (&total, images ? store->skip_images + depth - 1 : 0, image))
    return false;
  end = store->skip_pixels + extent[0];
  if (!multiply (end, bits, &end) || end > INT64_MAX - 8)
    return false;
  return !__builtin_add_overflow (total, (end + 7) / 8, out) && *out >= 0;
}

/* Parameters with other than one value, by number; 0: the driver knows how many. */
static const struct
{
  uint32_t pname;
  uint32_t n;
} parameters[] = {
  { GL_COEFF, 0 },
  { GL_ORDER, 0 },
  { GL_DOMAIN, 0 },
  { GL_CURRENT_COLOR, 4 },
  { GL_CURRENT_NORMAL, 3 },
  { GL_CURRENT_TEXTURE_COORDS, 4 },
  { GL_CURRENT_RASTER_COLOR, 4 },
  { GL_CURRENT_RASTER_TEXTURE_COORDS, 4 },
  { GL_CURRENT_RASTER_POSITION, 4 },
  { GL_SMOOTH_POINT_SIZE_RANGE, 2 },
  { GL_SMOOTH_LINE_WIDTH_RANGE, 2 },
  { GL_POLYGON_MODE, 2 },
  { GL_LIGHT_MODEL_AMBIENT, 4 },
  { GL_FOG_COLOR, 4 },
  { GL_DEPTH_RANGE, 2 },
  { GL_ACCUM_CLEAR_VALUE, 4 },
  { GL_VIEWPORT, 4 },
  { GL_MODELVIEW_MATRIX, 16 },
  { GL_PROJECTION_MATRIX, 16 },
  { GL_TEXTURE_MATRIX, 16 },
  { GL_SCISSOR_BOX, 4 },
  { GL_COLOR_CLEAR_VALUE, 4 },
  { GL_COLOR_WRITEMASK, 4 },
  { GL_MAX_VIEWPORT_DIMS, 2 },
  { GL_MAP1_GRID_DOMAIN, 2 },
  { GL_MAP2_GRID_DOMAIN, 4 },
  { GL_MAP2_GRID_SEGMENTS, 2 },
  { GL_TEXTURE_BORDER_COLOR, 4 },
  { GL_AMBIENT, 4 },
  { GL_DIFFUSE, 4 },
  { GL_SPECULAR, 4 },
  { GL_POSITION, 4 },
  { GL_SPOT_DIRECTION, 3 },
  { GL_EMISSION, 4 },
  { GL_AMBIENT_AND_DIFFUSE, 4 },
  { GL_COLOR_INDEXES, 3 },
  { GL_TEXTURE_ENV_COLOR, 4 },
  { GL_OBJECT_PLANE, 4 },
  { GL_EYE_PLANE, 4 },
  { GL_BLEND_COLOR, 4 },
  { GL_CONVOLUTION_FILTER_SCALE, 4 },
  { GL_CONVOLUTION_FILTER_BIAS, 4 },
  { GL_COLOR_MATRIX, 16 },
  { GL_COLOR_TABLE_SCALE, 4 },
  { GL_COLOR_TABLE_BIAS, 4 },
  { GL_POINT_DISTANCE_ATTENUATION, 3 },
  { GL_SPRITE_AXIS_SGIX, 3 },
  { GL_SPRITE_TRANSLATION_SGIX, 3 },
  { GL_CONVOLUTION_BORDER_COLOR, 4 },
  { GL_TEXTURE_CLIPMAP_CENTER_SGIX, 2 },
  { GL_TEXTURE_CLIPMAP_OFFSET_SGIX, 2 },
  { GL_TEXTURE_CLIPMAP_VIRTUAL_DEPTH_SGIX, 3 },
  { GL_POST_TEXTURE_FILTER_BIAS_SGIX, 4 },
  { GL_POST_TEXTURE_FILTER_SCALE_SGIX, 4 },
  { GL_POST_TEXTURE_FILTER_BIAS_RANGE_SGIX, 2 },
  { GL_POST_TEXTURE_FILTER_SCALE_RANGE_SGIX, 2 },
  { GL_REFERENCE_PLANE_SGIX, 4 },
  { GL_FOG_OFFSET_VALUE_SGIX, 4 },
  { GL_CULL_VERTEX_EYE_POSITION_EXT, 4 },
  { GL_CULL_VERTEX_OBJECT_POSITION_EXT, 3 },
  { GL_VIEWPORT_BOUNDS_RANGE, 2 },
  { GL_COMPUTE_WORK_GROUP_SIZE, 3 },
  { GL_PIXEL_TRANSFORM_2D_MATRIX_EXT, 16 },
  { GL_FRAGMENT_LIGHT_MODEL_AMBIENT_SGIX, 4 },
  { GL_CURRENT_TANGENT_EXT, 3 },
  { GL_CURRENT_BINORMAL_EXT, 3 },
  { GL_CURRENT_SECONDARY_COLOR, 4 },
  { GL_CURRENT_RASTER_SECONDARY_COLOR, 4 },
  { GL_ALIASED_POINT_SIZE_RANGE, 2 },
  { GL_ALIASED_LINE_WIDTH_RANGE, 2 },
  { GL_TRANSPOSE_MODELVIEW_MATRIX, 16 },
  { GL_TRANSPOSE_PROJECTION_MATRIX, 16 },
  { GL_TRANSPOSE_TEXTURE_MATRIX, 16 },
  { GL_TRANSPOSE_COLOR_MATRIX, 16 },
  { GL_MODELVIEW1_MATRIX_EXT, 16 },
  { GL_CONSTANT_COLOR0_NV, 4 },
  { GL_CONSTANT_COLOR1_NV, 4 },
  { GL_CURRENT_VERTEX_ATTRIB, 4 },
  { GL_CURRENT_MATRIX_ARB, 16 },
  { GL_COMPRESSED_TEXTURE_FORMATS, 0 },
  { GL_PROGRAM_BINARY_FORMATS, 0 },
  { GL_DEPTH_BOUNDS_EXT, 2 },
  { GL_TRANSPOSE_CURRENT_MATRIX_ARB, 16 },
  { GL_TEXTURE_CROP_RECT_OES, 4 },
  { GL_RGBA_SIGNED_COMPONENTS_EXT, 4 },
  { GL_SHADER_BINARY_FORMATS, 0 },
  { GL_TEXTURE_SWIZZLE_RGBA, 4 },
  { GL_SAMPLE_POSITION, 2 },
  { GL_PATCH_DEFAULT_INNER_LEVEL, 2 },
  { GL_PATCH_DEFAULT_OUTER_LEVEL, 4 },
  { GL_WINDOW_RECTANGLE_EXT, 4 },
  { GL_PRIMITIVE_BOUNDING_BOX, 8 },
  { GL_PROGRAMMABLE_SAMPLE_LOCATION_ARB, 2 },
  { GL_MULTISAMPLE_LINE_WIDTH_RANGE_ARB, 2 },
  { GL_DEVICE_UUID_EXT, 16 },
  { GL_DRIVER_UUID_EXT, 16 },
  { GL_DEVICE_LUID_EXT, 8 },
};

uint32_t
vtr_gl_parameter_values (uint32_t pname)
{
  size_t low = 0, high = sizeof parameters / sizeof parameters[0];

  if (pname >= GL_MATRIX0_ARB && pname <= GL_MATRIX31_ARB)
    return 16;
  while (low < high)
    {
      const size_t middle = low + (high - low) / 2;

      if (parameters[middle].pname == pname)
        return parameters[middle].n;
      if (parameters[middle].pname < pname)
        low = middle + 1;
      else
        high = middle;
    }
  return 1;
}

uint32_t
vtr_gl_map_values (uint32_t target)
{
  static const uint8_t values[] = {
    [GL_MAP1_COLOR_4 - GL_MAP1_COLOR_4] = 4,
    [GL_MAP1_INDEX -
      GL_MAP1_COLOR_4] = 1,
    [GL_MAP1_NORMAL -
      GL_MAP1_COLOR_4] = 3,
    [GL_MAP1_TEXTURE_COORD_1 -
      GL_MAP1_COLOR_4] = 1,
    [GL_MAP1_TEXTURE_COORD_2 -
      GL_MAP1_COLOR_4] = 2,
    [GL_MAP1_TEXTURE_COORD_3 -
      GL_MAP1_COLOR_4] = 3,
    [GL_MAP1_TEXTURE_COORD_4 -
      GL_MAP1_COLOR_4] = 4,
    [GL_MAP1_VERTEX_3 -
      GL_MAP1_COLOR_4] = 3,
    [GL_MAP1_VERTEX_4 -
      GL_MAP1_COLOR_4] = 4,
  };
  const uint32_t first = target >= GL_MAP2_COLOR_4 ? GL_MAP2_COLOR_4 : GL_MAP1_COLOR_4;

  if (target == GL_GEOMETRY_DEFORMATION_SGIX || target == GL_TEXTURE_DEFORMATION_SGIX)
    return 3;
  if (target >= GL_MAP1_VERTEX_ATTRIB0_4_NV && target <= GL_MAP2_VERTEX_ATTRIB15_4_NV)
    return 4;
  return target - first < sizeof values ? values[target - first] : 0;
}
