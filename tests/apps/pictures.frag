#version 450
layout (location = 0) in vec4 hue;
layout (location = 1) flat in uint number;
layout (location = 0) out vec4 color0;
layout (location = 1) out vec4 color1;
layout (location = 2) out vec4 color2;

void
main ()
{
  color0 = hue;
  color1 = hue.brga * 3 - 1;
  color2 = hue.gbra;
}
