#version 450
layout (local_size_x = 8) in;
layout (binding = 0) buffer Count
{
  uint invocations;
};

void
main ()
{
  atomicAdd (invocations, 1);
}
