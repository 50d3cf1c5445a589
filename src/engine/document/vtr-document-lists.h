/* The long lists of a document: its images, its shaders, and the commands that use them. */
#pragma once

#include "engine/document/vtr-document.h"
#include "engine/state/vtr-path.h"
#include "engine/model/vtr-shader-list.h"
#include "engine/model/vtr-texture-list.h"

G_BEGIN_DECLS

/* Each is made on first use, in one pass over the trace, kept with the document and shared; callers
   at the same time are joined. Blocking: any thread. (transfer full) */
VtrTextureList *vtr_document_list_textures (VtrDocument   *self,
                                            GCancellable  *cancellable,
                                            GError       **error);
void vtr_document_list_textures_async (VtrDocument         *self,
                                       GCancellable        *cancellable,
                                       GAsyncReadyCallback  callback,
                                       gpointer             data);
VtrTextureList *vtr_document_list_textures_finish (VtrDocument   *self,
                                                   GAsyncResult  *result,
                                                   GError       **error);
VtrShaderList *vtr_document_list_shaders (VtrDocument   *self,
                                          GCancellable  *cancellable,
                                          GError       **error);
void vtr_document_list_shaders_async (VtrDocument         *self,
                                      GCancellable        *cancellable,
                                      GAsyncReadyCallback  callback,
                                      gpointer             data);
VtrShaderList *vtr_document_list_shaders_finish (VtrDocument   *self,
                                                 GAsyncResult  *result,
                                                 GError       **error);

/* The images that a command uses: a GArray of VtrUse, attachments first. @run: of the command's
   recording, VTR_NO_RUN for its first. Some hundred microseconds; any thread. */
GArray *vtr_document_list_uses_at (VtrDocument  *self,
                                   guint64       index,
                                   guint32       run,
                                   GError      **error);

/* Goes to the next (@step 1) or previous (-1) command that writes image @image, an object's id: a
   draw, dispatch, copy or clear. @address: (inout). Blocks as long as the commands in between take,
   some hundred microseconds each; any thread. Returns: FALSE without @error when there is none. */
gboolean vtr_document_find_write (VtrDocument   *self,
                                  guint32        image,
                                  int            step,
                                  VtrPlace      *address,
                                  GCancellable  *cancellable,
                                  GError       **error);

/* A stage of what is bound at a command. */
typedef struct
{
  guint32 pipeline; /* object id */
  guint32 nth;      /* stage of it */
  VkShaderStageFlagBits stage;
  char *entry;
} VtrBoundShader;

/* The stages of the pipeline bound for command @index (of a draw, that for graphics, …), in
 * order of
   the pipeline. Returns: a GArray of VtrBoundShader. Errors: VTR_RESOLVE_ERROR_NOTHING with a
   sentence when no pipeline is bound there. */
GArray *vtr_document_list_shaders_at (VtrDocument  *self,
                                      guint64       index,
                                      GError      **error);

G_END_DECLS
