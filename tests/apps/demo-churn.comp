#version 450
layout (local_size_x = 64) in;
layout (set = 0, binding = 0) buffer Numbers
{
  uint numbers[];
};
layout (push_constant) uniform Push
{
  uint first;
  uint step;
};

void
main ()
{
  uint i = first + gl_GlobalInvocationID.x;

  numbers[i] = numbers[i] * 5 + step + gl_GlobalInvocationID.x;
}
