/* Read-back of one sample of a multisampled image. */
#include "vtr-replay-vk-private.h"

bool
vtr_read_sample (VtrReplayVk              *vk,
                 VtrTable                 *table,
                 const VtrReplayReadImage *read,
                 uint64_t                  size)
{
  (void)table;
  (void)read;
  (void)size;
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
               "Single samples of multisampled images cannot be read yet.");
  return false;
}
