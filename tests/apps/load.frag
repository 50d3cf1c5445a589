#version 450
layout (set = 0, binding = 0) uniform Tint { vec4 tint; };
layout (location = 0) in vec4 shade;
layout (location = 0) out vec4 color;

void
main ()
{
  color = shade * tint;
}
