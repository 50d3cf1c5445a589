/* vtr-app-random: records dispatches. */
#include "vtr-app-random.h"

#define STAGES \
  (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT)

VtrRandomPush
vtr_random_push (VtrRandom *self)
{
  VtrRandomPush push = { .seed = vtr_random_number (self), .n = 1 };

  for (uint32_t i = 0; i < 4; i++)
    push.color[i] = vtr_random_float (self);
  push.place[0] = vtr_random_float (self) * 2 - 1.5f;
  push.place[1] = vtr_random_float (self) * 2 - 1.5f;
  push.place[2] = vtr_random_float (self) * 2;
  push.place[3] = vtr_random_float (self) * 2;
  return push;
}

static void
dispatch (VtrRandom *self,
          uint32_t   n,
          bool       based)
{
  const uint32_t groups[3] = { (n + 7) / 8, 1, 1 };
  const uint32_t base = based ? vtr_random_below (self, groups[0]) : 0;
  VtrRandomBuffer *buffer =
    vtr_random_chance (self, 25)
      ? vtr_random_buffer (self, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, 64, NULL)
      : NULL;

  if (buffer == NULL)
    {
      if (vtr_random_chance (self, 30))
        vkCmdDispatchBase (self->commands, base, 0, 0, groups[0] - base, 1, 1);
      else
        vkCmdDispatch (self->commands, groups[0], 1, 1);
      return;
    }
  vtr_random_use_buffer (self, buffer);
  vkCmdUpdateBuffer (self->commands, buffer->buffer, 16, sizeof groups, groups);
  vtr_random_barrier (self);
  vkCmdDispatchIndirect (self->commands, buffer->buffer, 16);
}

static void
compute (VtrRandom *self)
{
  const VtrRandomShape shape =
    (VtrRandomShape)vtr_random_between (self, 1, VTR_RANDOM_N_SHAPES - 1);
  VtrRandomPush push = vtr_random_push (self);
  const uint32_t nth = vtr_random_below (self, 2);
  const VtrRandomSet *set;

  vtr_random_barrier (self);
  set = vtr_random_set (self, shape, NULL, NULL, 0);
  if (set == NULL)
    return;
  push.n = (uint32_t)(set->ranges[0] / 4);
  vkCmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                     set->kind->pipelines[nth]);
  vtr_random_bind_set (self, set, VK_PIPELINE_BIND_POINT_COMPUTE);
  vkCmdPushConstants (self->commands, set->kind->layout, STAGES, 0, sizeof push, &push);
  dispatch (self, push.n, nth == 1);
}

static void
compute_at_address (VtrRandom *self)
{
  VtrRandomBuffer *buffer =
    vtr_random_buffer (self, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, 256, NULL);
  VtrRandomPush push = vtr_random_push (self);

  if (buffer == NULL)
    return;
  vtr_random_barrier (self);
  vtr_random_use_buffer (self, buffer);
  push.n = 32;
  push.address = buffer->address + 4 * vtr_random_below (self, 32);
  vkCmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->address_pipeline);
  vkCmdPushConstants (self->commands, self->plain, STAGES, 0, sizeof push, &push);
  dispatch (self, push.n, false);
}

const VtrRandomOperation vtr_random_compute_operations[] = {
  { "compute", "compute", 12, compute },
  { "compute-address", "address", 5, compute_at_address },
  { 0 },
};
