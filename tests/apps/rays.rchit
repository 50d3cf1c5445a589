#version 460
#extension GL_EXT_ray_tracing : require
layout (location = 0) rayPayloadInEXT vec4 color;
hitAttributeEXT vec2 place;

void
main ()
{
  color = vec4 (place, 0.5, 1);
}
