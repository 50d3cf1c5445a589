/* Adds the positions of the hit triangle to a shader, as a global variable. */
#include "demo-rays-positions.h"

#include "demo_rays_positions_rchit.h"
#include "demo_rays_rchit.h"
#include "vtr-app-demo.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What SPIR-V calls them. */
enum
{
  OP_NAME = 5,
  OP_EXTENSION = 10,
  OP_EXT_INST_IMPORT = 11,
  OP_CAPABILITY = 17,
  OP_TYPE_POINTER = 32,
  OP_VARIABLE = 59,
  OP_DECORATE = 71,
  CLASS_INPUT = 1,
  CLASS_PRIVATE = 6,
  DECORATION_BUILT_IN = 11,
  BUILT_IN_POSITIONS = 5335,
  CAPABILITY_POSITIONS = 5336,
};

#define HEADER 5u /* words */
#define EXTENSION "SPV_KHR_ray_tracing_position_fetch"
#define EXTENSION_WORDS ((sizeof EXTENSION + 3) / 4)

static uint32_t
find_name (const uint32_t *code,
           size_t          n,
           const char     *name)
{
  for (size_t at = HEADER; at < n; at += code[at] >> 16)
    if ((code[at] & 0xffff) == OP_NAME && strcmp ((const char *)&code[at + 2], name) == 0)
      return code[at + 1];
  vtr_app_fail ("the shader has no variable “%s”", name);
}

static size_t
put (uint32_t *out,
     size_t used,
     uint32_t op,
     size_t n,
     ...)
{
  va_list words;

  out[used++] = (uint32_t)(n + 1) << 16 | op;
  va_start (words, n);
  for (size_t i = 0; i < n; i++)
    out[used++] = va_arg (words, uint32_t);
  va_end (words);
  return used;
}

static size_t
put_extension (uint32_t *out,
               size_t    used)
{
  out[used] = (uint32_t)(EXTENSION_WORDS + 1) << 16 | OP_EXTENSION;
  memset (&out[used + 1], 0, EXTENSION_WORDS * 4);
  memcpy (&out[used + 1], EXTENSION, sizeof EXTENSION);
  return used + 1 + EXTENSION_WORDS;
}

/* @code, whose only private variable is called @name: that holds the positions. *@size: bytes. */
static uint32_t *
fetch_positions (const uint32_t *code,
                 size_t         *size,
                 const char     *name)
{
  const size_t n = *size / 4;
  const uint32_t variable = find_name (code, n, name);
  uint32_t *out = malloc (*size + 128);
  bool extended = false, decorated = false;
  size_t used = HEADER;

  if (out == NULL)
    vtr_app_fail ("no memory");
  memcpy (out, code, HEADER * 4);
  used = put (out, used, OP_CAPABILITY, 1, (uint32_t)CAPABILITY_POSITIONS);
  for (size_t at = HEADER; at < n; at += code[at] >> 16)
    {
      const uint32_t op = code[at] & 0xffff, words = code[at] >> 16;

      if (!extended && (op == OP_EXTENSION || op == OP_EXT_INST_IMPORT))
        {
          used = put_extension (out, used);
          extended = true;
        }
      if (!decorated && op == OP_DECORATE)
        {
          used = put (out, used, OP_DECORATE, 3, variable, (uint32_t)DECORATION_BUILT_IN,
                      (uint32_t)BUILT_IN_POSITIONS);
          decorated = true;
        }
      memcpy (&out[used], &code[at], words * 4);
      if (op == OP_TYPE_POINTER && out[used + 2] == CLASS_PRIVATE)
        out[used + 2] = CLASS_INPUT;
      if (op == OP_VARIABLE && out[used + 3] == CLASS_PRIVATE)
        out[used + 3] = CLASS_INPUT;
      used += words;
    }
  *size = used * 4;
  return out;
}

const uint32_t *
vtr_app_rays_hit (bool    positions,
                  size_t *size)
{
  static uint32_t *fetching;
  static size_t fetching_size = sizeof demo_rays_positions_rchit;

  if (!positions)
    {
      *size = sizeof demo_rays_rchit;
      return demo_rays_rchit;
    }
  if (fetching == NULL)
    fetching = fetch_positions (demo_rays_positions_rchit, &fetching_size, "corners");
  *size = fetching_size;
  return fetching;
}

bool
vtr_app_rays_want_positions (int    argc,
                             char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--positions") == 0)
      {
#ifndef VK_KHR_ray_tracing_position_fetch
        puts ("The Vulkan headers that this was built with do not know "
              "VK_KHR_ray_tracing_position_fetch.");
        exit (VTR_APP_SKIPPED);
#endif
        return true;
      }
  return false;
}
