#version 450
layout (input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput first;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  color = hue * 0.5 + subpassLoad (first).brga * 0.5;
}
