#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout (push_constant) uniform Push
{
  vec4 place; // x, y, size, z
  vec4 color;
};
layout (location = 0) out vec4 hue;
layout (location = 1) flat out uint number;
out float gl_ClipDistance[2];
out float gl_CullDistance[1];

void
main ()
{
  vec2 corner = vec2 (gl_VertexIndex & 1, gl_VertexIndex >> 1);

  gl_Position = vec4 (place.xy + corner * place.z, place.w, 1);
  gl_ClipDistance[0] = 0.6 - corner.x;
  gl_ClipDistance[1] = corner.x + corner.y - 0.2;
  gl_CullDistance[0] = place.x + 0.75;
  gl_Layer = int (color.r * 10) % 3;
  gl_ViewportIndex = int (color.g * 6) % 3;
  hue = color;
  number = 0;
}
