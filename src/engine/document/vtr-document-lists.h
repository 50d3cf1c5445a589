/* The long lists of a document (vtr-trace-lists.h). */
#pragma once

#include "engine/document/vtr-document.h"
#include "engine/model/vtr-trace-lists.h"

G_BEGIN_DECLS

/* Block: any thread. (transfer full) */
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

G_END_DECLS
