#version 450
layout (set = 0, binding = 0) uniform samplerCubeArray cubes;
layout (set = 0, binding = 1) uniform sampler2D slice;
layout (set = 0, binding = 2) uniform usampler2D bits;
layout (set = 0, binding = 3) uniform sampler2D blocks;
layout (set = 0, binding = 4) uniform sampler1DArray lines;
layout (set = 0, binding = 5, rgba8) uniform image2D stored;
layout (set = 0, binding = 6) uniform usampler2D stencil;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  vec2 at = gl_FragCoord.xy / vec2 (64, 48);
  ivec2 texel = ivec2 (gl_FragCoord.xy);

  color = hue * 0.25;
  color += 0.2 * texture (cubes, vec4 (at * 2 - 1, hue.r - 0.4, at.x * 2));
  color += 0.2 * texture (slice, at);
  color += 0.2 * vec4 (texelFetch (bits, texel & 7, 0)) / 255;
  color += 0.2 * textureLod (blocks, at, 4 * at.y);
  color += 0.2 * textureLod (lines, vec2 (at.x, at.y * 3), at.y);
  color += 0.002 * vec4 (texelFetch (stencil, texel & 15, 0).r);
  if ((texel.x & 3) == 1 && (texel.y & 3) == 2)
    {
      color.g += 0.5 * imageLoad (stored, texel >> 2).g;
      imageStore (stored, texel >> 2, color);
    }
}
