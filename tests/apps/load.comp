#version 450
/* Does nothing: pipelines that merely live. */
layout (local_size_x = 1) in;

void
main ()
{
}
