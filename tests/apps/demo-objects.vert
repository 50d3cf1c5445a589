#version 450
layout (push_constant) uniform Push
{
  vec4 place; // x, y, size, z
  vec4 color;
};
layout (location = 0) out vec4 hue;

void
main ()
{
  vec2 corner = vec2 (gl_VertexIndex & 1, gl_VertexIndex >> 1);

  gl_Position = vec4 (place.xy + corner * place.z, place.w, 1);
  hue = color * (0.5 + 0.25 * (corner.x + corner.y)) + vec4 (0, 0, 0, 0.25);
}
