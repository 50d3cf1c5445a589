/* What is changed of the whole stream of a trace on its way to the replayer. */
#pragma once

#include <glib.h>

#include "api/vtr-api-types.h"

G_BEGIN_DECLS

/* VtrShaderReplacement.stage: code of an object of its own. */
#define VTR_REPLACE_OBJECT G_MAXUINT32

/* Other code for a VkShaderModule or a VkShaderEXT, or for a stage that a VkPipeline carries itself. */
typedef struct _VtrShaderReplacement
{
  guint32 object;  /* id */
  guint32 stage;   /* of the pipeline; VTR_REPLACE_OBJECT: it is none */
  guint64 created; /* flat index of the object's creation */
  guint32 element; /* which of the objects made by that */
  GBytes *code;    /* SPIR-V; owned */
} VtrShaderReplacement;

/**
 * VtrStreamEdit:
 *
 * Threading: any (immutable once filled); atomically reference-counted.
 */
typedef struct
{
  gboolean lines;    /* everything is drawn as wireframe */
  gboolean features; /* devices get the features that overlays need, where they have them */
  GArray *disabled;  /* guint64: flat indices of commands that do not run, ascending */
  GArray *shaders;   /* VtrShaderReplacement */
  /* private */
  gint n_references;
} VtrStreamEdit;

VtrStreamEdit *vtr_stream_edit_new (void);
VtrStreamEdit *vtr_stream_edit_ref (VtrStreamEdit *self);
void vtr_stream_edit_unref (VtrStreamEdit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrStreamEdit, vtr_stream_edit_unref)

/* Keeps .disabled sorted; once each. */
void vtr_stream_edit_disable (VtrStreamEdit *self,
                              guint64        index);
gboolean vtr_stream_edit_is_disabled (const VtrStreamEdit *self,
                                      guint64              index);

/* Whether commands of @id can be left out so that the rest is still valid: commands that do
 * work, and neither begin, end nor set anything. */
gboolean vtr_stream_edit_can_disable (VtrCmdId id);

G_END_DECLS
