#version 450
layout (triangles) in;
layout (triangle_strip, max_vertices = 6) out;
layout (location = 0) in vec4 hue[];
layout (location = 1) flat in uint number[];
layout (location = 0) out vec4 hue_out;
layout (location = 1) flat out uint number_out;

void
main ()
{
  for (int copy = 0; copy < 2; copy++)
    {
      for (int i = 0; i < 3; i++)
        {
          gl_Position = gl_in[i].gl_Position * vec4 (1 - 0.4 * copy, 1 - 1.6 * copy, 1, 1);
          hue_out = hue[i].gbra * (1 - 0.5 * copy);
          number_out = number[i];
          EmitVertex ();
        }
      EndPrimitive ();
    }
}
