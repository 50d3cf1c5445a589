/* The long lists of a trace: its images, its shaders, and the commands that use them. */
#pragma once

#include "engine/model/vtr-shader-list.h"
#include "engine/model/vtr-texture-list.h"
#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

/**
 * VtrTraceLists:
 *
 * Each list is made on first use, in one pass over the trace, kept and shared; callers at the same time are joined.
 * Threading: any.
 */
typedef struct _VtrTraceLists VtrTraceLists;

/* Takes a reference to @analysis. */
VtrTraceLists *vtr_trace_lists_new (VtrAnalysis *analysis);
/* Cancels the lists that are being made and waits for them. */
void vtr_trace_lists_free (VtrTraceLists *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTraceLists, vtr_trace_lists_free)

/* Block. (transfer full) */
VtrTextureList *vtr_trace_lists_get_textures (VtrTraceLists  *self,
                                              GCancellable   *cancellable,
                                              GError        **error);
VtrShaderList *vtr_trace_lists_get_shaders (VtrTraceLists  *self,
                                            GCancellable   *cancellable,
                                            GError        **error);

/* Like vtr_trace_lists_get_shaders (), on a worker thread. @source: the result's source object, which has to
 * keep @self. */
void vtr_trace_lists_get_textures_async (VtrTraceLists       *self,
                                         gpointer             source,
                                         GCancellable        *cancellable,
                                         GAsyncReadyCallback  callback,
                                         gpointer             data);
VtrTextureList *vtr_trace_lists_get_textures_finish (GAsyncResult  *result,
                                                     GError       **error);
void vtr_trace_lists_get_shaders_async (VtrTraceLists       *self,
                                        gpointer             source,
                                        GCancellable        *cancellable,
                                        GAsyncReadyCallback  callback,
                                        gpointer             data);
VtrShaderList *vtr_trace_lists_get_shaders_finish (GAsyncResult  *result,
                                                   GError       **error);

/* The images that a command uses: a GArray of VtrUse, attachments first. .run: of the command's command list,
 * VTR_NO_RUN for its first. Some hundred microseconds; any thread. */
GArray *vtr_uses_list_at_place (VtrAnalysis     *analysis,
                                const VtrPlace  *place,
                                GError         **error);

/* Goes to the next (@step 1) or previous (-1) command that writes image @image, an object's id: a draw, dispatch, copy
 * or clear. @place: (inout). Blocks as long as the commands in between take, some hundred microseconds each; any
 * thread. Returns: FALSE without @error when there is none. */
gboolean vtr_uses_find_write (VtrAnalysis   *analysis,
                              guint32        image,
                              int            step,
                              VtrPlace      *place,
                              GCancellable  *cancellable,
                              GError       **error);

/* The stages of the pipeline bound for command @index (of a draw, that for graphics, …), in order of the pipeline.
 * Returns: a GArray of VtrBoundShader. Errors: VTR_RESOLVE_ERROR_NOTHING with a sentence when no pipeline is bound
 * there. Threading: any. */
GArray *vtr_bound_shaders_list_at (VtrAnalysis  *analysis,
                                   guint64       index,
                                   GError      **error);

G_END_DECLS
