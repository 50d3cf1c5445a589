#version 460
/* -DTYPE=vec4, uvec4, ivec4; -DSET: reads a set of everything; -DINPUT: an input attachment. */
layout (location = 0) in vec4 tint;
layout (location = 0) out TYPE out0;
layout (location = 1) out TYPE out1;
layout (location = 2) out TYPE out2;
#ifdef SET
layout (set = 0, binding = 0) uniform Uniform { vec4 values[4]; };
layout (set = 0, binding = 1) uniform sampler2D pictures[2];
layout (set = 0, binding = 2) uniform texture2D plain;
layout (set = 0, binding = 3) uniform sampler how;
layout (set = 0, binding = 4, std430) readonly buffer Storage { uint words[16]; };
layout (set = 0, binding = 5) uniform textureBuffer texels;
#endif
#ifdef INPUT
layout (set = 0, binding = 0, input_attachment_index = 0) uniform INPUT before;
#endif

void
main ()
{
  vec4 color = tint;
#ifdef SET
  vec2 at = gl_FragCoord.xy / 24.0;
  color += texture (pictures[0], at) + textureLod (pictures[1], at.yx, 0);
  color += texture (sampler2D (plain, how), at * 2) * 0.5;
  color += unpackUnorm4x8 (words[uint (gl_FragCoord.x) % 16]) * 0.5;
  color += texelFetch (texels, int (gl_FragCoord.y) % 16) * 0.5;
  color += clamp (values[uint (gl_FragCoord.x) % 4], vec4 (0), vec4 (1)) * 0.5;
  color = fract (color);
#endif
#ifdef INPUT
  color = color * 0.5 + vec4 (subpassLoad (before)) * 0.5;
#endif
  out0 = TYPE (color * SCALE);
  out1 = TYPE (color.wxyz * SCALE);
  out2 = TYPE (color.zwxy * SCALE);
}
