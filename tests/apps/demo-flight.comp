#version 450
layout (local_size_x = 64) in;
/* Slots of 1024 bytes: what the program writes, and what the device does. */
layout (set = 0, binding = 0) buffer Slots
{
  uint words[512];
};
layout (push_constant) uniform Push
{
  uint first;
};

void
main ()
{
  uint i = gl_LocalInvocationID.x;
  uint given = words[first + i];

  words[first + 64 + i] = words[first + 64 + i] * 3 + given;
  atomicAdd (words[first + 128], given & 15u);
}
