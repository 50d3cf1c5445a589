#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout (set = 0, binding = 0, std430) readonly buffer Places
{
  uint place[];
} places[2];
layout (set = 0, binding = 1) uniform sampler2D pictures[];
layout (push_constant) uniform Push
{
  vec4 gap[2];
  uvec4 which; // of places; what to add to the place
} push;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  uint x = uint (gl_FragCoord.x) / 4u, y = uint (gl_FragCoord.y) / 8u;
  uint n = places[push.which.x].place[(x + 3u * y + push.which.y) & 15u];

  color = hue * 0.25 + 0.75 * texture (pictures[nonuniformEXT (n)], gl_FragCoord.xy / vec2 (64, 48));
}
