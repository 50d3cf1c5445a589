#version 450
#extension GL_EXT_samplerless_texture_functions : require
// One sample of a multisampled image, four words a texel.
layout (local_size_x = 8, local_size_y = 8) in;
layout (binding = 0) uniform utexture2DMS source;
layout (binding = 1) writeonly buffer Texels
{
  uvec4 texels[];
};
layout (push_constant) uniform Push
{
  uint width, height;
  int which;
};

void
main ()
{
  uvec2 at = gl_GlobalInvocationID.xy;

  if (at.x < width && at.y < height)
    texels[at.y * width + at.x] = texelFetch (source, ivec2 (at), which);
}
