/* The file of one presented image, and the size of a texel.
 *
 * A frame file is a VtrWitnessHeader (32 bytes, little endian) followed by the image: rows top
 * to bottom without padding, texels as in memory for the Vulkan format, array layers one after
 * another. vitrine-cli replay --frames-dir writes the same texels into KTX2 files;
 * tests/e2e/harness.py reads both.
 *
 * Threading: any. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VTR_WITNESS_MAGIC "VTRFRAME"
#define VTR_WITNESS_VERSION 1u

typedef struct
{
  char magic[8];
  uint32_t version;
  uint32_t width;  /* texels */
  uint32_t height; /* texels */
  uint32_t format; /* VkFormat */
  uint64_t size;   /* bytes of image data that follow */
} VtrWitnessHeader;

_Static_assert(sizeof (VtrWitnessHeader) == 32, "the frame header is 32 bytes");

/* Bytes of one texel of an uncompressed single-plane colour @format; 0 for any other. */
uint32_t vtr_witness_texel_size (uint32_t format);

/* Writes DIRECTORY/frame-NNNNNN.raw through a temporary name, so that a file with the final name is
 * always complete, even if the process is killed. Returns: false with errno when that failed. */
bool vtr_witness_write_frame (const char             *directory,
                              uint32_t                number,
                              const VtrWitnessHeader *header,
                              const void             *data);
