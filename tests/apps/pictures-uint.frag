#version 450
layout (location = 0) in vec4 hue;
layout (location = 1) flat in uint number;
layout (location = 0) out vec4 color0;
layout (location = 1) out uvec4 color1;

void
main ()
{
  color0 = hue;
  color1 = uvec4 (number * 3000000u + 77u);
}
