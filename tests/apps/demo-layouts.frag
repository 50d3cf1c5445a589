#version 450
layout (set = 0, binding = 0) uniform sampler2D loop;
layout (set = 0, binding = 1) uniform sampler2D levels;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  ivec2 texel = ivec2 (gl_FragCoord.xy);

  color = hue * 0.4 + 0.5 * texelFetch (loop, texel % textureSize (loop, 0), 0).gbra;
  color += 0.2 * texelFetch (levels, texel % textureSize (levels, 0), 0);
}
