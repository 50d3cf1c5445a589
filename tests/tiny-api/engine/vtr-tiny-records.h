/* Records of the tiny API's objects, and which error a call would make in a state. */
#pragma once

#include "engine/state/vtr-mutator.h"

#include "vtr-tiny-objects.h"

G_BEGIN_DECLS

typedef struct
{
  VtrStateRecord record;
  guint32 picture, store, array; /* bound; ids of objects, 0: none */
  guint32 pen;
  guint32 error; /* what the next tnGetError () tells: TnError */
  guint32 n_swaps;
} VtrTinyContextRecord;

typedef struct
{
  VtrStateRecord record;
  guint32 width, height;
  guint32 written_by; /* flat index of the last command that wrote texels; G_MAXUINT32: none */
} VtrTinyPictureRecord;

typedef struct
{
  VtrStateRecord record;
  guint64 size;
  guint32 written_by; /* as that of a picture */
} VtrTinyStoreRecord;

typedef struct
{
  VtrStateRecord record;
  guint32 store; /* that .points is an offset into; 0: it is an address of the program */
  guint32 stride;
  guint64 points;
} VtrTinyArrayRecord;

/* What is no object's. */
typedef struct
{
  VtrStateRecord record;
  guint32 last_draw, last_swap; /* 1 + flat index; 0: none */
} VtrTinyOwnRecord;

/* Members of VtrStateApi (S2). */
gsize vtr_tiny_record_size (guint32 type);
void vtr_tiny_record_fill (gpointer         shared,
                           const VtrObject *object,
                           VtrStateRecord  *record);

/* The record of object @id in @state; NULL: it is as it was created, or none. */
gconstpointer vtr_tiny_peek (VtrApiState *state,
                             guint32      id);
/* What @context has bound in @state. */
VtrTinyContextRecord vtr_tiny_get_bound (VtrApiState          *state,
                                         const VtrTinyContext *context);
/* Why a call is an error. */
typedef enum
{
  VTR_TINY_SUCCEEDS,
  VTR_TINY_NO_KIND,
  VTR_TINY_TO_WINDOW,
  VTR_TINY_TOO_LARGE,
  VTR_TINY_TEXELS_BEYOND,
  VTR_TINY_NO_STORE,
  VTR_TINY_POINTS_BEYOND,
  VTR_TINY_NO_ROOM,
} VtrTinyFailure;

/* How @command fails in @state, the state before it. @context: that is current. */
VtrTinyFailure vtr_tiny_predict (VtrApiState          *state,
                                 const VtrTinyContext *context,
                                 const VtrCommand     *command);
/* The TnError that the next tnGetError () tells. */
guint32 vtr_tiny_get_error (VtrTinyFailure failure);
/* A sentence for people; not of VTR_TINY_SUCCEEDS. */
const char *vtr_tiny_describe_failure (VtrTinyFailure failure);

/* Members of VtrStateApi (S5, S6). */
void vtr_tiny_object_json (VtrStateView         *view,
                           const VtrObject      *of,
                           const VtrStateRecord *record,
                           JsonObject           *object);
void vtr_tiny_facts_json (VtrStateView *view,
                          JsonObject   *object);
JsonNode *vtr_tiny_bound_json (VtrAnalysis     *analysis,
                               const VtrPlace  *place,
                               GError         **error);

G_END_DECLS
