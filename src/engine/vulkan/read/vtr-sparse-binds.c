/* Calls a function for each memory object that a sparse binding names. */
#include "engine/vulkan/read/vtr-sparse-binds.h"

void
vtr_sparse_binds_foreach_memory (const VkBindSparseInfo *info,
                                 void (*each) (VkDeviceMemory memory,
                                               gpointer data),
                                 gpointer data)
{
  for (guint32 i = 0; info->pBufferBinds != NULL && i < info->bufferBindCount; i++)
    for (guint32 k = 0;
         info->pBufferBinds[i].pBinds != NULL && k < info->pBufferBinds[i].bindCount; k++)
      each (info->pBufferBinds[i].pBinds[k].memory, data);
  for (guint32 i = 0; info->pImageOpaqueBinds != NULL && i < info->imageOpaqueBindCount; i++)
    for (guint32 k = 0;
         info->pImageOpaqueBinds[i].pBinds != NULL && k < info->pImageOpaqueBinds[i].bindCount; k++)
      each (info->pImageOpaqueBinds[i].pBinds[k].memory, data);
  for (guint32 i = 0; info->pImageBinds != NULL && i < info->imageBindCount; i++)
    for (guint32 k = 0; info->pImageBinds[i].pBinds != NULL && k < info->pImageBinds[i].bindCount;
         k++)
      each (info->pImageBinds[i].pBinds[k].memory, data);
}
