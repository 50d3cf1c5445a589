// Copies one sample of a multisampled colour image; the attachment's format packs it again.
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout (set = 0, binding = 0) uniform TEXTURE image;
layout (push_constant) uniform Which { uint width; uint height; int which_sample; };
layout (location = 0) out TEXEL texel;

void
main ()
{
  texel = texelFetch (image, ivec2 (gl_FragCoord.xy), which_sample);
}
