#version 450
layout (push_constant) uniform Push
{
  vec4 place; // x, y, size, z
  vec4 color;
};
layout (location = 0) out vec4 hue;
layout (location = 1) flat out uint number;
layout (location = 2, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32) out vec4 kept;
layout (location = 3, xfb_buffer = 0, xfb_offset = 16) out vec4 also;

void
main ()
{
  vec2 corner = vec2 (gl_VertexIndex & 1, gl_VertexIndex >> 1);

  gl_Position = vec4 (place.xy + corner * place.z, place.w, 1);
  hue = color;
  number = uint (gl_VertexIndex);
  kept = vec4 (gl_Position.xyz, float (gl_VertexIndex));
  also = color.abgr;
}
