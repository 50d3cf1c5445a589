// Puts the texels of an image into one sample of a multisampled one; the sample mask says which.
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout (set = 0, binding = 0) uniform TEXTURE image;
layout (push_constant) uniform Where { int y; uint bit; };
layout (location = 0) out TEXEL texel;

void
main ()
{
  texel = texelFetch (image, ivec2 (gl_FragCoord.xy) - ivec2 (0, y), 0);
}
