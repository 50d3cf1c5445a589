#version 460
#extension GL_EXT_buffer_reference : require
layout (local_size_x = 8) in;

layout (buffer_reference, std430) buffer Numbers
{
  uint numbers[];
};
/* Where to read, where to write: found in memory. */
layout (buffer_reference, std430) readonly buffer Places
{
  Numbers from, to;
};
layout (push_constant) uniform Push
{
  Places places;
  uint add;
};

void
main ()
{
  uint i = gl_GlobalInvocationID.x;

  places.to.numbers[i] = places.from.numbers[i] * 3 + add;
}
