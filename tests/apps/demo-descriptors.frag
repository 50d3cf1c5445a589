#version 450
layout (set = 0, binding = 0) uniform Tint
{
  vec4 tint;
};
layout (set = 0, binding = 1) uniform texture2D picture;
layout (set = 0, binding = 2) readonly buffer Numbers
{
  uint numbers[64];
};
layout (set = 0, binding = 3) uniform sampler2D made;
layout (set = 1, binding = 0) uniform sampler embedded;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  vec2 at = gl_FragCoord.xy / vec2 (64, 48);

  color = hue * tint * (0.5 + 0.0625 * float (numbers[3] & 7u)) +
          0.25 * texture (sampler2D (picture, embedded), 2 * at) + 0.25 * texture (made, at.yx);
}
