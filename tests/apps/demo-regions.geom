#version 450
layout (triangles, invocations = 3) in;
layout (triangle_strip, max_vertices = 3) out;
layout (location = 0) in vec4 hue[];
layout (location = 1) flat in uint number[];
layout (location = 0) out vec4 hue_out;
layout (location = 1) flat out uint number_out;

void
main ()
{
  for (int i = 0; i < 3; i++)
    {
      gl_Position = gl_in[i].gl_Position;
      gl_Layer = gl_InvocationID;
      gl_ViewportIndex = (gl_InvocationID + 1) % 3;
      hue_out = hue[(i + gl_InvocationID) % 3];
      number_out = number[i];
      EmitVertex ();
    }
  EndPrimitive ();
}
