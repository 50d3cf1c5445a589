#version 450
/* One round of a worker: what it left in the round before, and what the CPU wrote for this one. */
layout (local_size_x = 16) in;

layout (set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout (set = 0, binding = 1) buffer Result { uint result[]; };
layout (push_constant) uniform Push { uint slot; uint previous; };

void
main ()
{
  uint i = gl_LocalInvocationID.x;

  result[slot * 16 + i] = source[i] + 3 * result[previous * 16 + i];
}
