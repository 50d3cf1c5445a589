#version 450
layout (set = 0, binding = 0) uniform Tint
{
  vec4 tint;
};
layout (set = 0, binding = 1) uniform sampler2D picture;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  color = hue * tint + 0.5 * texture (picture, gl_FragCoord.xy / vec2 (64, 48));
}
