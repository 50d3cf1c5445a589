#version 450
layout (location = 0) in vec4 hue;
layout (location = 0, index = 0) out vec4 color;
layout (location = 0, index = 1) out vec4 weight;

void
main ()
{
  color = hue;
  weight = hue.bgra * 0.5 + 0.125;
}
