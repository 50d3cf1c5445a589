#version 460
#extension GL_EXT_ray_tracing : require
layout (shaderRecordEXT, std430) buffer Record { vec4 tint; };
layout (location = 0) rayPayloadInEXT vec4 color;
hitAttributeEXT vec2 place;

/* Where the corners of the triangle are: demo-rays-positions.c makes it so, as the compiler of Debian 12
 * knows no name for it. */
vec3 corners[3];

void
main ()
{
  color = vec4 (place * 0.5, 0.125 * float (gl_GeometryIndexEXT + 2 * gl_PrimitiveID), 0) +
          vec4 (tint.xyz * float (gl_InstanceCustomIndexEXT % 8) * 0.125, 1);
  if (gl_HitKindEXT == gl_HitKindFrontFacingTriangleEXT ||
      gl_HitKindEXT == gl_HitKindBackFacingTriangleEXT)
    color.rgb += 0.25 * vec3 (fract (corners[0].x + corners[1].yz), fract (corners[2].y));
}
