#version 460
#extension GL_EXT_ray_query : require
layout (local_size_x = 8, local_size_y = 4) in;
layout (set = 0, binding = 0) uniform accelerationStructureEXT world;
layout (set = 0, binding = 2) writeonly buffer Distances { vec2 distances[]; };

void
main ()
{
  vec2 at = (vec2 (gl_GlobalInvocationID.xy) + 0.5) / vec2 (16, 8) * 2 - 1;
  uint nth = gl_GlobalInvocationID.y * 16 + gl_GlobalInvocationID.x;
  rayQueryEXT query;

  rayQueryInitializeEXT (query, world, gl_RayFlagsOpaqueEXT, 0x01, vec3 (at, -4), 0.01,
                         vec3 (0, 0, 1), 10);
  while (rayQueryProceedEXT (query))
    ;
  if (rayQueryGetIntersectionTypeEXT (query, true) ==
      gl_RayQueryCommittedIntersectionTriangleEXT)
    distances[nth] =
      vec2 (rayQueryGetIntersectionTEXT (query, true),
            float (rayQueryGetIntersectionInstanceCustomIndexEXT (query, true)));
  else
    distances[nth] = vec2 (-1, 0);
}
