#version 450
layout (push_constant) uniform Push
{
  float depth;
  uint holes;
};
layout (location = 0) out vec4 color[2];

void
main ()
{
  if (holes != 0 && (uint (gl_FragCoord.x) + uint (gl_FragCoord.y)) % 2 == 0)
    discard;
  color[0] = vec4 (1 - depth, depth, 0.5, 0.75);
  color[1] = vec4 (0.5);
}
