/* Makes the lists of a document, which their callers keep. */
#include "engine/document/vtr-document-lists.h"

#include "engine/document/vtr-document-private.h"

VtrTextureList *
vtr_document_list_textures (VtrDocument   *self,
                            GCancellable  *cancellable,
                            GError       **error)
{
  return vtr_trace_lists_get_textures (self->lists, cancellable, error);
}

void
vtr_document_list_textures_async (VtrDocument         *self,
                                  GCancellable        *cancellable,
                                  GAsyncReadyCallback  callback,
                                  gpointer             data)
{
  vtr_trace_lists_get_textures_async (self->lists, self, cancellable, callback, data);
}

VtrTextureList *
vtr_document_list_textures_finish (VtrDocument   *self,
                                   GAsyncResult  *result,
                                   GError       **error)
{
  return vtr_trace_lists_get_textures_finish (result, error);
}

VtrShaderList *
vtr_document_list_shaders (VtrDocument   *self,
                           GCancellable  *cancellable,
                           GError       **error)
{
  return vtr_trace_lists_get_shaders (self->lists, cancellable, error);
}

void
vtr_document_list_shaders_async (VtrDocument         *self,
                                 GCancellable        *cancellable,
                                 GAsyncReadyCallback  callback,
                                 gpointer             data)
{
  vtr_trace_lists_get_shaders_async (self->lists, self, cancellable, callback, data);
}

VtrShaderList *
vtr_document_list_shaders_finish (VtrDocument   *self,
                                  GAsyncResult  *result,
                                  GError       **error)
{
  return vtr_trace_lists_get_shaders_finish (result, error);
}
