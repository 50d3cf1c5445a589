#version 460
/* -DIMAGE, -DTEXELS, -DADDRESS, -DSAMPLE; else from one buffer to the other. */
#ifdef TEXELS
#extension GL_EXT_samplerless_texture_functions : require
#endif
#ifdef ADDRESS
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout (buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
#endif
layout (local_size_x = 8) in;
layout (push_constant) uniform Push { vec4 place; vec4 color; uvec2 address; uint seed; uint n; };
layout (constant_id = 0) const uint factor = 3;
#ifndef ADDRESS
layout (set = 0, binding = 0, std430) buffer Target { uint target[]; };
#endif
#if defined (SAMPLE)
layout (set = 0, binding = 1) uniform sampler2DArray picture;
#elif defined (IMAGE)
layout (set = 0, binding = 1, r32ui) uniform uimage2D picture;
#elif defined (TEXELS)
layout (set = 0, binding = 1) uniform utextureBuffer texels;
layout (set = 0, binding = 2, r32ui) uniform uimageBuffer written;
#elif !defined (ADDRESS)
layout (set = 0, binding = 1, std430) readonly buffer Source { uint source[]; };
#endif

uint
hash (uint x)
{
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

void
main ()
{
  uint i = gl_GlobalInvocationID.x;

  if (i >= n)
    return;
#if defined (SAMPLE)
  vec2 place = (vec2 (i % 16, i / 16) + 0.5) / 16.0;
  target[i] = packUnorm4x8 (textureLod (picture, vec3 (place, color.x), color.y) * 0.5 + 0.25);
#elif defined (IMAGE)
  ivec2 at = ivec2 (i % 4, i / 4) % imageSize (picture);
  uint value = hash (seed + i * factor);
  if (i < imageSize (picture).x)
    {
      value += imageLoad (picture, ivec2 (i, 0)).x;
      imageStore (picture, ivec2 (i, 0), uvec4 (hash (value)));
    }
  target[i] += value;
#elif defined (TEXELS)
  uint value = hash (seed + texelFetch (texels, int (i) % textureSize (texels)).x * factor);
  int to = int (i) % imageSize (written);
  if (i < imageSize (written))
    imageStore (written, to, uvec4 (value + imageLoad (written, to).x));
  target[i] ^= value;
#elif defined (ADDRESS)
  Words (address).words[i] = hash (Words (address).words[i] + seed * factor);
#else
  target[i] = hash (target[i] + source[(i * factor) % source.length ()] + seed);
#endif
}
