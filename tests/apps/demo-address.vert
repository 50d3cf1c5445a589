#version 460
#extension GL_EXT_buffer_reference : require
layout (buffer_reference, std430) readonly buffer Corners
{
  vec4 corners[];
};
layout (push_constant) uniform Push
{
  Corners corners;
  vec4 color;
};
layout (location = 0) out vec4 hue;
layout (location = 1) flat out uint number;

void
main ()
{
  gl_Position = vec4 (corners.corners[gl_VertexIndex].xyz, 1);
  hue = color + 0.1 * corners.corners[gl_VertexIndex];
  number = 0;
}
