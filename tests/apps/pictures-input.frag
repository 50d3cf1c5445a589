#version 450
layout (location = 0) in vec4 hue;
layout (location = 1) flat in uint number;
layout (input_attachment_index = 0, binding = 0) uniform subpassInput first;
layout (input_attachment_index = 1, binding = 1) uniform subpassInput second;
layout (location = 0) out vec4 color0;

void
main ()
{
  color0 = subpassLoad (first).gbra * 0.5 + subpassLoad (second) * 0.25 + hue * 0.25;
}
