#version 450
layout (location = 0) in vec4 hue;
layout (location = 1) flat in uint number;
layout (binding = 0, r32ui) uniform uimage2D seen;
layout (location = 0) out vec4 color0;

void
main ()
{
  imageAtomicAdd (seen, ivec2 (gl_FragCoord.xy), 1 + number);
  color0 = hue;
}
