#version 450
layout (set = 0, binding = 0) uniform samplerBuffer texels;
layout (set = 0, binding = 1, r32ui) uniform uimageBuffer counts;
layout (set = 0, binding = 2) uniform sampler2D picture;
layout (set = 0, binding = 3, std430) readonly buffer Numbers
{
  vec4 number[];
} numbers;
layout (set = 0, binding = 4) uniform samplerBuffer others;
layout (set = 0, binding = 5) uniform Factor
{
  vec4 factor;
};
layout (set = 0, binding = 6) uniform sampler2D bordered;
layout (set = 0, binding = 7) uniform sampler2D greatest;
layout (set = 0, binding = 8, rgba8) uniform image2D stored;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  ivec2 texel = ivec2 (gl_FragCoord.xy);
  vec2 at = gl_FragCoord.xy / vec2 (64, 48);

  // What is beyond the end is nothing, and so is what is not there at all.
  color = hue * 0.5 + 0.2 * texelFetch (texels, texel.x) + factor;
  color += texture (picture, at) + texelFetch (others, texel.y);
  color.rgb += numbers.number[texel.x].rgb + numbers.number[1000].rgb;
  color += 0.3 * texture (bordered, at * 2 - 0.5) + 0.2 * texture (greatest, at);
  imageAtomicAdd (counts, texel.x / 8 + texel.y / 32, 1u + uint (numbers.number.length ()));
  imageStore (stored, texel, color);
}
