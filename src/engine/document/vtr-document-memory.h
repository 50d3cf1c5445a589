/* Memory at a command, for the window, paths and the command line. */
#pragma once

#include "engine/document/vtr-document.h"
#include "engine/state/vtr-path.h"
#include "engine/vulkan/memory/vtr-memory.h"

G_BEGIN_DECLS

/* The memory of the trace; its index is made on first use. (transfer none) */
VtrMemory *vtr_document_get_memory (VtrDocument *self);

/* Which bytes. */
typedef struct
{
  VtrPlace address;
  guint32 pool; /* VTR_MEMORY_APPLICATION, or object id of a VkDeviceMemory */
  guint64 offset, size;
  gboolean replay;            /* what only the GPU knows is read back by replay */
  const VtrPictureEdit *edit; /* (nullable): of that replay */
} VtrMemoryQuery;

/* Reads "commands/12@1/memory/41/0x100-0x200?read=replay&type=vec4". What may follow the question
   mark: read (trace, replay), type, layout (scalar, std430, std140), stride; disable and shader
   (vtr-picture-edit.h), which say read=replay. @type: (out) (nullable):
   .type … as text. Errors: VTR_RESOLVE_ERROR_PATH. */
#define VTR_MEMORY_TYPE_AUTO "auto" /* .type: what the command's shaders say of that place */
typedef struct
{
  char *type; /* NULL: none */
  char *layout;
  guint64 stride; /* 0: the type's */
} VtrMemoryTypeQuery;

void vtr_memory_type_query_clear (VtrMemoryTypeQuery *self);
gboolean vtr_memory_query_parse (VtrDocument         *document,
                                 const char          *path,
                                 VtrMemoryQuery      *out,
                                 VtrMemoryTypeQuery  *type,
                                 GError             **error);

/* Blocks. With .replay, spans that were GPU_WRITTEN or GPU_MAYBE come back as REPLAYED with their
   bytes. Errors: those of vtr_memory_read() and of a replay. */
VtrMemoryView *vtr_document_get_memory_view (VtrDocument           *self,
                                             const VtrMemoryQuery  *query,
                                             GCancellable          *cancellable,
                                             GError               **error);
void vtr_document_get_memory_view_async (VtrDocument          *self,
                                         const VtrMemoryQuery *query,
                                         GCancellable         *cancellable,
                                         GAsyncReadyCallback   callback,
                                         gpointer              data);
VtrMemoryView *vtr_document_get_memory_view_finish (VtrDocument   *self,
                                                    GAsyncResult  *result,
                                                    GError       **error);

/* vtr_memory_list_ranges() on a worker. Returns: a GArray of VtrMemoryRange (transfer full). */
void vtr_document_list_memory_async (VtrDocument         *self,
                                     const VtrPlace      *address,
                                     GCancellable        *cancellable,
                                     GAsyncReadyCallback  callback,
                                     gpointer             data);
GArray *vtr_document_list_memory_finish (VtrDocument   *self,
                                         GAsyncResult  *result,
                                         GError       **error);

/* How far the index is, in thousandths, while somebody waits for it; 1000: ready. Any thread. */
guint vtr_document_get_memory_progress (VtrDocument *self);

G_END_DECLS
