#version 450
layout (constant_id = 0) const int turn = 0;
layout (set = 0, binding = 0) uniform sampler2D fixed_;
layout (set = 0, binding = 2) uniform texture2D pictures[2];
layout (set = 0, binding = 5) uniform sampler ways[2];
layout (set = 2, binding = 1) uniform Tint
{
  vec4 tint;
} tints[2];
layout (set = 2, binding = 3, std430) buffer Counts
{
  uint count[];
} counts;
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;

void
main ()
{
  vec2 at = gl_FragCoord.xy / vec2 (64, 48);

  color = hue * tints[turn].tint + 0.25 * texture (fixed_, at * 3 - 1);
  color += 0.25 * texture (sampler2D (pictures[0], ways[1]), at * 2).brga;
  color += 0.125 * texture (sampler2D (pictures[1], ways[0]), at * 2 - 0.5) * tints[1 - turn].tint;
  atomicAdd (counts.count[int (at.x * 8)], 1u);
}
