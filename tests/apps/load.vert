#version 450
/* A triangle placed by push constants; of no area when its scale is zero. */
layout (push_constant) uniform Push { vec4 place; vec4 color; vec4 more[2]; };
layout (location = 0) out vec4 shade;

void
main ()
{
  vec2 corner = vec2 (gl_VertexIndex & 1, gl_VertexIndex >> 1) * place.zw;

  gl_Position = vec4 (place.xy + corner, more[0].x, 1.0);
  shade = color + more[1];
}
