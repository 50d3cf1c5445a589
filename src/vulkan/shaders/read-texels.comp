// Writes one sample of every texel of a multisampled depth or stencil aspect to a buffer, four bytes each.
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout (local_size_x = 8, local_size_y = 8) in;
layout (set = 0, binding = 0) uniform TEXTURE image;
layout (set = 0, binding = 1, std430) writeonly buffer Texels { uint texels[]; };
layout (push_constant) uniform Which { uint width; uint height; int which_sample; };

void
main ()
{
  uvec2 at = gl_GlobalInvocationID.xy;

  if (at.x < width && at.y < height)
    texels[at.y * width + at.x] = BITS (texelFetch (image, ivec2 (at), which_sample).r);
}
