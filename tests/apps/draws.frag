#version 450
layout (location = 0) in vec3 shade;
layout (location = 1) flat in uint instance;
layout (location = 0) out vec4 first;
layout (location = 1) out vec4 second;

void
main ()
{
  first = vec4 (shade, 1.0);
  second = vec4 (gl_FragCoord.xy, gl_FragCoord.z, float (instance) + 1.0);
}
