#version 460
/* Places by hashes, or from attributes, or by an address: -DATTRIBUTES, -DADDRESS; -DFEEDBACK: kept in
 * a buffer, too; -DVIEW: differently for each view. */
#ifdef VIEW
#extension GL_EXT_multiview : require
#endif
#ifdef ADDRESS
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout (buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint words[]; };
#endif
layout (push_constant) uniform Push { vec4 place; vec4 color; uvec2 address; uint seed; uint n; };
layout (constant_id = 0) const uint factor = 3;
layout (constant_id = 1) const float scale = 1;
#ifdef ATTRIBUTES
layout (location = 0) in vec4 first;
layout (location = 1) in vec4 second;
#endif
layout (location = 0) out vec4 tint;
#ifdef FEEDBACK
layout (location = 1, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32) out vec4 kept;
layout (location = 2, xfb_buffer = 0, xfb_offset = 16) out vec4 also;
#endif

uint
hash (uint x)
{
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

void
main ()
{
  uint number = uint (gl_VertexIndex) * factor + uint (gl_InstanceIndex) * 131 + seed;
#ifdef DRAW
  number += uint (gl_DrawID) * 17;
#endif
  number = hash (number);
#ifdef VIEW
  number = hash (number + gl_ViewIndex);
#endif
#ifdef ADDRESS
  number = hash (number + Words (address).words[number % n]);
#endif
  vec4 part = unpackUnorm4x8 (number);
#ifdef ATTRIBUTES
  part = fract (part * 0.25 + first + second.wzyx);
#endif
  gl_Position = vec4 (place.xy + part.xy * place.zw, part.z * scale, 1);
  gl_PointSize = 1;
  tint = color * 0.5 + part.wzyx * 0.5;
#ifdef FEEDBACK
  kept = part;
  also = vec4 (gl_VertexIndex, gl_InstanceIndex, tint.xy);
#endif
}
