#version 450
layout (local_size_x = 8, local_size_y = 4) in;
layout (set = 0, binding = 0) buffer Numbers
{
  uint numbers[64];
};
layout (set = 0, binding = 1, rgba8) uniform image2D color;
layout (push_constant) uniform Push
{
  uint add;
};

void
main ()
{
  uvec2 at = gl_GlobalInvocationID.xy;

  if (gl_LocalInvocationIndex == 0)
    atomicAdd (numbers[gl_WorkGroupID.x + 8 * gl_WorkGroupID.y], add);
  imageStore (color, ivec2 (at), vec4 (vec2 (at) / vec2 (64, 48), float (add & 63u) / 64, 1));
}
