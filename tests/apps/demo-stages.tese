#version 450
layout (triangles, equal_spacing, cw) in;
layout (location = 0) in vec4 hue[];
layout (location = 0) out vec4 hue_out;
layout (location = 1) flat out uint number;

void
main ()
{
  vec3 t = gl_TessCoord;

  gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position +
                t.z * gl_in[2].gl_Position;
  gl_Position.x += 0.2 * t.x * t.y;
  hue_out = t.x * hue[0] + t.y * hue[1] * 0.5 + t.z * hue[2];
  number = 0;
}
