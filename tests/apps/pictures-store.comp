#version 450
layout (local_size_x = 4, local_size_y = 4, local_size_z = 1) in;
layout (binding = 0, r32ui) uniform uimage2D flat_image;
layout (binding = 1, rgba16f) uniform image3D volume;
layout (binding = 2, rgba8) uniform image2DArray layers;
layout (binding = 3) buffer Numbers
{
  uint numbers[];
};
layout (push_constant) uniform Push
{
  uint round;
};

void
main ()
{
  ivec3 at = ivec3 (gl_GlobalInvocationID);
  float value = float (at.x * 3 + at.y * 5 + at.z * 7 + int (round) * 11) / 256;

  imageAtomicAdd (flat_image, at.xy, uint (at.z + 1) * round);
  imageStore (volume, at.yxz, vec4 (value, -value, value * value, at.z));
  if (at.z < 2)
    imageStore (layers, at, vec4 (value, 1 - value, at.z, 0.5));
  atomicAdd (numbers[at.x + 16 * at.y], uint (at.z) + round);
}
