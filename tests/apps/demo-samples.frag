#version 450
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  color = hue * (0.25 + 0.25 * float (gl_SampleID)) + vec4 (gl_SamplePosition, 0, 0);
  gl_SampleMask[0] = gl_SampleMaskIn[0] & 0xd;
}
