/* What the recorder keeps of a context so that it need not ask the driver: bound buffers, pixel storage, vertex arrays. Kept
 * from launch on, whether anything is recorded or not.
 *
 * Threading: the thread on which the context is current. */
#pragma once

#include "vtr-capture-api.h"

#include "api/vtr-gl-args.h"
#include "gl/vtr-gl-env.h"

#define VTR_GL_MAX_ATTRIBS 32u

typedef struct VtrGlContext VtrGlContext;

/* Where a vertex shader's input comes from. All zero: as in a new array. */
typedef struct
{
  bool enabled;
  bool is_memory; /* of the program: .pointer is an address */
  uint32_t element_size;
  uint32_t stride; /* 0: elements lie one right behind the other */
  uint32_t divisor;
  const uint8_t *pointer;
} VtrGlAttrib;

typedef struct VtrGlArray VtrGlArray;
struct VtrGlArray
{
  VtrGlArray *next;
  uint32_t name;
  uint32_t element_buffer;
  VtrGlAttrib attribs[VTR_GL_MAX_ATTRIBS];
};

typedef struct
{
  VtrGlEnv env; /* answers the walkers */
  uint32_t bound[VTR_GL_N_BOUND];
  VtrGlArray first; /* the array 0 */
  VtrGlArray *arrays;
  VtrGlArray *array; /* that is bound */
} VtrGlTrack;

void vtr_gl_track_init (VtrGlTrack *self);
void vtr_gl_track_clear (VtrGlTrack *self);

/* Behind the driver's part of calls of these names, or of their aliases. */
void vtr_gl_track_glBindBuffer (VtrGlTrack                 *self,
                                const VtrArgs_glBindBuffer *args);
void vtr_gl_track_glBindVertexArray (VtrGlTrack                      *self,
                                     const VtrArgs_glBindVertexArray *args);
void vtr_gl_track_glDeleteBuffers (VtrGlTrack                    *self,
                                   const VtrArgs_glDeleteBuffers *args);
void vtr_gl_track_glDeleteVertexArrays (VtrGlTrack                         *self,
                                        const VtrArgs_glDeleteVertexArrays *args);
void vtr_gl_track_glVertexAttribPointer (VtrGlTrack                          *self,
                                         const VtrArgs_glVertexAttribPointer *args);
void vtr_gl_track_glVertexAttribIPointer (VtrGlTrack                           *self,
                                          const VtrArgs_glVertexAttribIPointer *args);
void vtr_gl_track_glEnableVertexAttribArray (VtrGlTrack                              *self,
                                             const VtrArgs_glEnableVertexAttribArray *args);
void vtr_gl_track_glDisableVertexAttribArray (VtrGlTrack                               *self,
                                              const VtrArgs_glDisableVertexAttribArray *args);
void vtr_gl_track_glVertexAttribDivisor (VtrGlTrack                          *self,
                                         const VtrArgs_glVertexAttribDivisor *args);
void vtr_gl_track_glVertexAttribBinding (VtrGlTrack                          *self,
                                         const VtrArgs_glVertexAttribBinding *args);
void vtr_gl_track_glBindVertexBuffer (VtrGlTrack                       *self,
                                      const VtrArgs_glBindVertexBuffer *args);
void vtr_gl_track_glPixelStorei (VtrGlTrack                  *self,
                                 const VtrArgs_glPixelStorei *args);
void vtr_gl_track_glPixelStoref (VtrGlTrack                  *self,
                                 const VtrArgs_glPixelStoref *args);
/* What is behind glPopClientAttrib() is not kept. */
void vtr_gl_track_glPopClientAttrib (VtrGlTrack                      *self,
                                     const VtrArgs_glPopClientAttrib *args);

/* ---- vtr-gl-observe.c ---- */

/* VtrCaptureApi.observe_state: what a draw reads of arrays in the program's memory. */
void vtr_gl_observe_state (const VtrLayerCall *call,
                           const void         *args,
                           VtrObserveSink      sink,
                           void               *data);
