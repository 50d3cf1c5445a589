/* Passes a recorded command on into another command buffer. */
#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

gboolean
vtr_transform_command_into (VtrTransform     *self,
                            VkCommandBuffer   to,
                            VtrCommand       *command,
                            GError          **error)
{
  VkCommandBuffer *slot = command->args; /* the first parameter of all of them */
  VkCommandBuffer original = *slot;
  gboolean ok;

  *slot = to;
  ok = vtr_transform_command (self, command, error);
  *slot = original;
  return ok;
}
