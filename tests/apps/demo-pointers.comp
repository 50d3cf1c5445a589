#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout (local_size_x = 1) in;

layout (buffer_reference) buffer Node;
layout (buffer_reference, std430, buffer_reference_align = 16) buffer Node
{
  Node next;
  uint value;
};
layout (buffer_reference, std430) buffer Head
{
  Node first;
};
layout (buffer_reference, std430) buffer Found
{
  vec4 corners[4];
  uint values[];
};
layout (constant_id = 0) const uint64_t NODES = 0; // where they are
layout (constant_id = 1) const bool BUILD = false;
layout (push_constant) uniform Push
{
  Head head;
  Found found;
  uint n, add;
};

// The nodes as a list of pointers, in an order of its own.
void
link ()
{
  Node node = Node (NODES);

  head.first = node;
  for (uint i = 1; i < n; i++)
    {
      node.next = Node (NODES + 16ul * ((i * 5) % n));
      node.value = i;
      node = node.next;
    }
  node.next = Node (0ul);
}

void
main ()
{
  uint i = 0;

  if (BUILD)
    link ();
  else
    for (Node node = head.first; uint64_t (node) != 0ul && i < n; node = node.next, i++)
      {
        node.value = node.value * 5 + add + i;
        found.values[i] = node.value;
        found.corners[i & 3] =
          vec4 (vec2 (node.value & 63, (node.value >> 3) & 63) / 32 - 1, 0.5, float (i));
      }
}
