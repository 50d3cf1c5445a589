#version 460
layout (location = 0) in vec4 tint;
layout (location = 0) out vec4 color;

void
main ()
{
  color = vec4 (tint.rgb, 1);
}
