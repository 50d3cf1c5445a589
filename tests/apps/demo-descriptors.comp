#version 450
layout (local_size_x = 64) in;
layout (set = 0, binding = 2) buffer Numbers
{
  uint numbers[64];
};
layout (set = 0, binding = 4, rgba8) writeonly uniform image2D made;

void
main ()
{
  uint i = gl_LocalInvocationID.x;

  numbers[i] = numbers[i] * 3 + i + 1;
  imageStore (made, ivec2 (i % 8, i / 8), vec4 (numbers[i] & 255u, i * 4, numbers[i] >> 2 & 255u, 255) / 255.0);
}
