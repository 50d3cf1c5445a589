#version 450
layout (local_size_x = 64) in;
layout (set = 0, binding = 0, r32ui) uniform uimage2D image;
layout (set = 0, binding = 1) buffer Numbers
{
  uint numbers[];
};
layout (set = 0, binding = 2, r32ui) uniform uimageBuffer texels;
layout (push_constant) uniform Push
{
  uint step;
};

/* Doing it twice is not the same as once. */
uint
change (uint value)
{
  return (value * 5 + step + gl_GlobalInvocationID.x) | 0xff000000u;
}

void
main ()
{
  int i = int (gl_GlobalInvocationID.x);

  imageStore (image, ivec2 (i, 0), uvec4 (change (imageLoad (image, ivec2 (i, 0)).x)));
  numbers[i] = change (numbers[i]);
  imageStore (texels, i, uvec4 (change (imageLoad (texels, i).x)));
}
