#version 460
#extension GL_EXT_ray_query : require
layout (set = 0, binding = 0) uniform accelerationStructureEXT world;
layout (location = 0) out vec4 color;

void
main ()
{
  vec2 at = gl_FragCoord.xy / vec2 (64, 48) * 2 - 1;
  rayQueryEXT query;

  rayQueryInitializeEXT (query, world,
                         gl_RayFlagsOpaqueEXT | gl_RayFlagsTerminateOnFirstHitEXT, 0xff,
                         vec3 (at, 4), 0.01, vec3 (0, 0, -1), 10);
  while (rayQueryProceedEXT (query))
    ;
  color = rayQueryGetIntersectionTypeEXT (query, true) != 0 ? vec4 (0.25, 0.125, 0.5, 1)
                                                            : vec4 (1, 0.75, 0.25, 1);
}
