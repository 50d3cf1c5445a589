#version 450
layout (input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput color_in;
layout (input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput depth_in;
layout (input_attachment_index = 2, set = 0, binding = 2) uniform usubpassInput stencil_in;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  color = hue * 0.5 + vec4 (subpassLoad (color_in).brg * 0.5, 0) +
          vec4 (subpassLoad (depth_in).r * 0.25, float (subpassLoad (stencil_in).r) / 16, 0, 0);
}
