/* A driver of OpenGL, EGL and GLX that answers every command, draws nothing and remembers its last call.
 *
 * The library exports a function for each command, and eglGetProcAddress () and glXGetProcAddress () find them. Names that
 * it gives out count up, whatever it is asked for is there, numbers that it tells are 1, and texts are “mock”. Threading:
 * one thread at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VTR_GL_MOCK_EXPORT __attribute__ ((visibility ("default")))

typedef struct
{
  const char *name;
  void (*function) (void);
} VtrGlMockFunction;

/* In the driver, by number of the command, without VTR_GL_FIRST_ID. */
extern const VtrGlMockFunction vtr_gl_mock_functions[];

/* Calls @function, of the command's type, with @args, its VtrArgs_…. Returns: the bits of the result. */
typedef uint64_t VtrGlMockCaller (void (*function) (void),
                                  const void *args);

/* By number of the command, without VTR_GL_FIRST_ID; in programs that call the driver. */
extern VtrGlMockCaller *const vtr_gl_mock_callers[];

/* What every function of the driver does: remembers the call, fills what the command returns behind pointers, and
 * returns the bits of the result. */
uint64_t vtr_gl_mock_call (uint16_t    cmd,
                           const void *args);

/* The last call. Returns: how many calls of the command there were so far. *@args: its arguments, valid until the next. */
VTR_GL_MOCK_EXPORT uint64_t vtr_gl_mock_last (uint16_t    *cmd,
                                              const void **args);

static inline float
vtr_gl_mock_float (uint64_t bits)
{
  const uint32_t narrow = (uint32_t)bits;
  float value;

  memcpy (&value, &narrow, sizeof value);
  return value;
}

static inline uint64_t
vtr_gl_mock_bits (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}
