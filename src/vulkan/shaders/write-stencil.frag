// Lets the stencil test set one bit where an image has it: shaders cannot write stencil everywhere.
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout (set = 0, binding = 0) uniform utexture2D image;
layout (push_constant) uniform Where { int y; uint bit; };

void
main ()
{
  if ((texelFetch (image, ivec2 (gl_FragCoord.xy) - ivec2 (0, y), 0).r & bit) == 0)
    discard;
}
