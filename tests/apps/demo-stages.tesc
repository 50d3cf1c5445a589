#version 450
layout (vertices = 3) out;
layout (location = 0) in vec4 hue[];
layout (location = 0) out vec4 hue_out[];

void
main ()
{
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  hue_out[gl_InvocationID] = hue[gl_InvocationID];
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 3;
  gl_TessLevelInner[0] = 2;
}
