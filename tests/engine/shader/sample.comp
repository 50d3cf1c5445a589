#version 450

layout(local_size_x_id = 1, local_size_y = 4) in;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D target;
layout(set = 0, binding = 2, r32f) uniform readonly image2D source;
layout(set = 2, binding = 0) buffer Data { uint values[]; } data;

void main ()
{
  ivec2 at = ivec2 (gl_GlobalInvocationID.xy);

  data.values[at.x] = 1;
  imageStore (target, at, imageLoad (source, at));
}
