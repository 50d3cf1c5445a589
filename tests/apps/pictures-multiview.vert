#version 450
#extension GL_EXT_multiview : require
layout (push_constant) uniform Push
{
  vec4 place;
  vec4 color;
};
layout (location = 0) out vec4 hue;
layout (location = 1) flat out uint number;

void
main ()
{
  vec2 corner = vec2 (gl_VertexIndex & 1, gl_VertexIndex >> 1);

  gl_Position = vec4 (place.xy + 0.2 * gl_ViewIndex + corner * place.z, place.w, 1);
  hue = color / (1 + gl_ViewIndex);
  number = gl_ViewIndex;
}
