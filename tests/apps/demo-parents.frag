#version 450
layout (constant_id = 0) const float RED = 0;
layout (constant_id = 1) const int TURN = 0;
layout (constant_id = 2) const bool SWAP = false;
layout (set = 0, binding = 0) uniform sampler2D picture;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  vec4 c = vec4 (RED, hue.gb, 1) + 0.5 * texture (picture, (gl_FragCoord.xy + float (TURN)) / 48);

  color = SWAP ? c.bgra : c;
}
