#version 450
layout (constant_id = 3) const float strength = 1.0;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  color = hue.gbra * strength;
}
