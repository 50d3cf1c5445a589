#version 450
layout (location = 0) in vec3 shade;
layout (location = 1) flat in uint instance;
layout (location = 0) out vec4 first;
layout (location = 1) out vec4 second;

void
main ()
{
  first = vec4 (0.25, shade.g, 0.75, 1.0);
  second = vec4 (float (instance), 1.0, -shade.r, gl_FragCoord.x);
}
