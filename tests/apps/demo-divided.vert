#version 450
layout (location = 0) in vec2 place;
layout (location = 1) in vec4 color;
layout (location = 2) in vec2 move;
layout (location = 0) flat out vec4 hue;
layout (location = 1) flat out uint number;

void
main ()
{
  gl_Position = vec4 (place + move, 0.5, 1);
  gl_PointSize = 5.0;
  hue = color;
  number = 0;
}
