#version 450
layout (location = 0) in vec2 place;
layout (location = 1) in vec4 color;
layout (push_constant) uniform Push
{
  vec4 tint;
  vec4 move;
};
layout (location = 0) out vec4 hue;
layout (location = 1) flat out uint number;

void
main ()
{
  gl_Position = vec4 (place * move.z + move.xy, 0.5, 1);
  hue = color * tint;
  number = gl_InstanceIndex;
}
