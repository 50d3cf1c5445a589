#version 460
#extension GL_EXT_ray_tracing : require
layout (shaderRecordEXT, std430) buffer Record { vec4 tint; };
layout (location = 0) rayPayloadInEXT vec4 color;
hitAttributeEXT vec2 place;

void
main ()
{
  color = vec4 (place * 0.5, 0.125 * float (gl_GeometryIndexEXT + 2 * gl_PrimitiveID), 0) +
          vec4 (tint.xyz * float (gl_InstanceCustomIndexEXT % 8) * 0.125, 1);
}
