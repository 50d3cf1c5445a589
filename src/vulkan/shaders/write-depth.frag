// Puts the depths of an image into one sample of a multisampled one; the sample mask says which.
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout (set = 0, binding = 0) uniform texture2D image;
layout (push_constant) uniform Where { int y; uint bit; };

void
main ()
{
  gl_FragDepth = texelFetch (image, ivec2 (gl_FragCoord.xy) - ivec2 (0, y), 0).r;
}
