/* The recorder of OpenGL: what stands between glvnd and the vendors, records calls through the core of the capture layer.
 *
 * Threading: a context belongs to the thread on which it is current; lists have a lock each. */
#pragma once

#include "front/vtr-gl-front.h"
#include "vtr-capture-core.h"
#include "vtr-gl-track.h"
#include "vtr-layer-batch.h"

#include "api/vtr-gl-args.h"

#include <stdatomic.h>
#include <stdbool.h>

/* One command's functions: of GL one, of EGL one for each vendor. */
typedef struct
{
  VtrCmdId cmd;
  VtrGlProc functions[VTR_GL_MAX_VENDORS];
} VtrGlRow;

/* ---- Vendors: vtr-gl-vendors.c ---- */

/* The functions of a vendor's driver, by VtrCmdId - VTR_GL_FIRST_ID; NULL: it was not asked for them. */
typedef struct
{
  VtrGlProc next[VTR_GL_N_COMMANDS];
  VtrGlGetProc get_proc;
  VtrGlGetDisplay get_display;
} VtrGlVendor;

extern VtrGlVendor vtr_gl_vendors[VTR_GL_MAX_VENDORS];

/* A function of the vendor's driver that the recorder itself calls. (nullable) */
VtrGlProc vtr_gl_get_next (unsigned vendor,
                           VtrCmdId cmd);

/* ---- Displays and contexts: vtr-gl-contexts.c ---- */

/* What contexts share that were made with each other. */
typedef struct
{
  VtrNamespace names;
  atomic_uint n_contexts; /* that live */
} VtrGlGroup;

struct VtrGlContext
{
  VtrNamespace names;
  VtrLayerBatch batch;
  VtrGlTrack track;
  unsigned vendor;
  const VtrGlProc *next; /* the driver's functions */
  VtrGlGroup *group;
  VtrGlContext *older;
  void *handle;
  uint32_t thread;   /* gettid(): on which it is current; 0: on none */
  bool is_destroyed; /* while it was current */
};

extern const VtrCaptureApi vtr_gl_capture_api;
extern VtrNamespace vtr_gl_process;

/* The calling thread's. (nullable) */
extern _Thread_local __attribute__ ((tls_model ("initial-exec"))) VtrGlContext *vtr_gl_current;

/* The driver's functions for a call in @context. glvnd calls none without a context. */
static inline const VtrGlProc *
vtr_gl_next (const VtrGlContext *context)
{
  return context != NULL ? context->next : vtr_gl_vendors[0].next;
}

/* The namespace of @display, or of the process where it is not known. */
VtrNamespace *vtr_gl_names_of_display (void *display);

/* Others may act on what the calling thread has done in its context. */
void vtr_gl_publish (void);

/* The same after a change that other contexts of the group see, if there are any. @context: (nullable) */
static inline void
vtr_gl_publish_shared (VtrGlContext *context)
{
  if (context != NULL && atomic_load_explicit (&context->group->n_contexts, memory_order_relaxed) > 1)
    vtr_gl_publish ();
}

/* What the driver answered to the calls of these names. */
void vtr_gl_display_got (unsigned  vendor,
                         void     *display);
void vtr_gl_display_initialized (void     *display,
                                 uint32_t  succeeded);
void vtr_gl_context_created (unsigned  vendor,
                             void     *display,
                             void     *share,
                             void     *handle);
void vtr_gl_context_destroyed (void     *handle,
                               uint32_t  succeeded);
void vtr_gl_context_made_current (void     *handle,
                                  uint32_t  succeeded);
void vtr_gl_window_made (void *surface);
/* Calls of these sorts are recorded, but not what the program does by them: a notice says so, once for each. */
void vtr_gl_map_made (const void *pointer);
void vtr_gl_fixed_array_set (const VtrGlContext *context,
                             const void         *pointer);

/* ---- Extras: vtr-gl-extras.c ---- */

/* To the call under way: what the configuration is; the configuration and kind of a context; what the surfaces are. */
void vtr_gl_add_config (unsigned  vendor,
                        void     *display,
                        void     *config);
void vtr_gl_add_context (unsigned  vendor,
                         void     *display,
                         void     *config,
                         void     *context);
void vtr_gl_add_surfaces (unsigned  vendor,
                          void     *display,
                          void     *draw,
                          void     *read);
