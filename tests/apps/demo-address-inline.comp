#version 460
#extension GL_EXT_buffer_reference : require
layout (local_size_x = 8) in;

layout (buffer_reference, std430) buffer Numbers
{
  uint numbers[];
};
layout (buffer_reference, std430) readonly buffer Places
{
  Numbers from, to;
};
/* Inline: the address is in the set itself. */
layout (set = 0, binding = 0, std140) uniform Block
{
  Places places;
};
layout (push_constant) uniform Push
{
  layout (offset = 8) uint add;
};

void
main ()
{
  uint i = gl_GlobalInvocationID.x;

  places.to.numbers[i] = places.from.numbers[i] * 3 + add;
}
