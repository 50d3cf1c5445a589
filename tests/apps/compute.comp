#version 450
/* One step of a chain: every word depends on its neighbour's last value, so that a wrong or missing
   step anywhere shows in the result. */
layout (local_size_x_id = 0) in;
layout (constant_id = 1) const uint factor = 3;

layout (set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout (set = 0, binding = 1) buffer Target { uint target[]; };
layout (set = 0, binding = 2) uniform Parameters { uvec4 salt; };
layout (push_constant) uniform Push { uint count; uint round; uint shift; };

void
main ()
{
  uint i = gl_GlobalInvocationID.x;

  if (i >= count)
    return;

  uint left = source[(i + count - 1) % count];
  uint value = source[i] * factor + (left >> shift) + salt[i & 3] + round;
  target[i] = value ^ (value << 7) ^ i;
}
