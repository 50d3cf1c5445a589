#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
/* Functions of 16-bit numbers, which drivers that compile for a processor leave to its libraries. */
layout (constant_id = 0) const float scale = 1;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  f16vec4 value = f16vec4 (hue) * float16_t (scale) + f16vec4 (gl_FragCoord.xyxy / 64);

  color = 0.25 * vec4 (exp2 (value)) + 0.125 * vec4 (log2 (value + float16_t (1)));
}
