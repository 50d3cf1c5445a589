/* A vendor library of EGL that witnesses what a program calls and shows. It shares no code with Vitrine. */
#pragma once

#define EGL_EGLEXT_PROTOTYPES 0
#define GL_GLEXT_LEGACY
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glcorearb.h>
#include <GL/glext.h>
#include <stdatomic.h>

/* Types that only the headers of ES have. */
typedef void *GLeglImageOES;
typedef void *GLeglClientBufferEXT;
typedef int GLfixed;
typedef int GLclampx;
typedef GLDEBUGPROC GLDEBUGPROCKHR;

typedef void (*WitnessProc) (void);

typedef struct
{
  const char *name;
  WitnessProc stub;
  WitnessProc next;
  _Atomic unsigned long calls;
} WitnessEntry;

extern WitnessEntry witness_entries[]; /* in the order of their names */
extern const unsigned witness_n_entries;

static inline void
witness_count (WitnessEntry *entry)
{
  atomic_fetch_add_explicit (&entry->calls, 1, memory_order_relaxed);
}
