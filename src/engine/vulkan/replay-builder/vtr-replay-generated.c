/* Changes device-generated commands so that a replay preprocesses them when it executes them. */
#include "engine/vulkan/replay-builder/vtr-replay-generated.h"

#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "vtr-api-args.h"

#ifdef VK_EXT_device_generated_commands
static gboolean
create_layout (VtrReplayBuilder  *self,
               const VtrCommand  *command,
               GError           **error)
{
  VtrArgs_vkCreateIndirectCommandsLayoutEXT args =
    *(const VtrArgs_vkCreateIndirectCommandsLayoutEXT *)command->args;
  VkIndirectCommandsLayoutCreateInfoEXT info;

  if (args.pCreateInfo != NULL)
    {
      info = *args.pCreateInfo;
      info.flags &= ~(VkIndirectCommandsLayoutUsageFlagsEXT)
                      VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT;
      args.pCreateInfo = &info;
    }
  return vtr_replay_builder_call (self, command->id, &args, command->id, error);
}

static gboolean
execute (VtrReplayBuilder  *self,
         const VtrCommand  *command,
         GError           **error)
{
  VtrArgs_vkCmdExecuteGeneratedCommandsEXT args =
    *(const VtrArgs_vkCmdExecuteGeneratedCommandsEXT *)command->args;

  args.isPreprocessed = VK_FALSE;
  return vtr_replay_builder_call (self, command->id, &args, command->id, error);
}
#endif

static gboolean
create_layout_nv (VtrReplayBuilder  *self,
                  const VtrCommand  *command,
                  GError           **error)
{
  VtrArgs_vkCreateIndirectCommandsLayoutNV args =
    *(const VtrArgs_vkCreateIndirectCommandsLayoutNV *)command->args;
  VkIndirectCommandsLayoutCreateInfoNV info;

  if (args.pCreateInfo != NULL)
    {
      info = *args.pCreateInfo;
      info.flags &= ~(VkIndirectCommandsLayoutUsageFlagsNV)
                      VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_NV;
      args.pCreateInfo = &info;
    }
  return vtr_replay_builder_call (self, command->id, &args, command->id, error);
}

static gboolean
execute_nv (VtrReplayBuilder  *self,
            const VtrCommand  *command,
            GError           **error)
{
  VtrArgs_vkCmdExecuteGeneratedCommandsNV args =
    *(const VtrArgs_vkCmdExecuteGeneratedCommandsNV *)command->args;

  args.isPreprocessed = VK_FALSE;
  return vtr_replay_builder_call (self, command->id, &args, command->id, error);
}

gboolean
vtr_replay_custom_create_commands_layout (VtrReplayBuilder  *self,
                                          const VtrCommand  *command,
                                          GError           **error)
{
#ifdef VK_EXT_device_generated_commands
  if (command->id == VTR_CMD_vkCreateIndirectCommandsLayoutEXT)
    return create_layout (self, command, error);
#endif
  return create_layout_nv (self, command, error);
}

gboolean
vtr_replay_custom_execute_generated (VtrReplayBuilder  *self,
                                     const VtrCommand  *command,
                                     GError           **error)
{
#ifdef VK_EXT_device_generated_commands
  if (command->id == VTR_CMD_vkCmdExecuteGeneratedCommandsEXT)
    return execute (self, command, error);
#endif
  return execute_nv (self, command, error);
}
