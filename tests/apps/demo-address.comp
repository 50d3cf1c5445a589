#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout (local_size_x = 8) in;

layout (buffer_reference, std430) buffer Numbers
{
  uint numbers[];
};
/* Where to read, where to write: found in memory. */
layout (buffer_reference, std430) readonly buffer Places
{
  uint64_t from, to;
};
layout (push_constant) uniform Push
{
  Places places;
  uint add;
};

void
main ()
{
  Numbers from = Numbers (places.from);
  Numbers to = Numbers (places.to);
  uint i = gl_GlobalInvocationID.x;

  to.numbers[i] = from.numbers[i] * 3 + add;
}
