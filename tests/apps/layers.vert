#version 450
layout (push_constant) uniform Push
{
  float depth;
  uint holes;
};

/* Everything that the scissor lets through. */
void
main ()
{
  vec2 at = vec2 (gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1);

  gl_Position = vec4 (at, depth, 1);
}
