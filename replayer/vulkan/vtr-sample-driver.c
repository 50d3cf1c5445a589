/* Fills in the device functions that src/vulkan's readers and writers of single samples call. */
#include "vtr-sample-driver.h"

void
vtr_sample_driver_init (VtrSamplesDriver *self,
                        VtrReplayVk      *vk,
                        VtrTable         *table)
{
  self->device = table->device;
  self->memory = &table->memory;
#define FILL_IN(name) self->name = VTR_CALL (vk, table, vk##name);
  VTR_SAMPLES_COMMANDS (FILL_IN)
#undef FILL_IN
}
