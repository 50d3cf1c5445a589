/* Fuzzes the decoding of command messages: { u16 command, message }. */
#include "vtr-fuzz.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-print.h"
#include "api/vtr-api-walk.h"

#include <glib.h>
#include <string.h>

#define ARENA_LIMIT (16u << 20)

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  VtrArena arena;
  VtrBuffer text = { 0 };
  VtrDecoded decoded;
  guint16 command;

  if (size < sizeof command)
    return 0;
  memcpy (&command, data, sizeof command);
  command = vtr_cmd_at (command % VTR_N_COMMANDS);
  vtr_arena_init (&arena);
  arena.limit = ARENA_LIMIT;
  for (guint abi = 0; abi < VTR_ABI_COUNT; abi++)
    {
      VtrDecodeOptions options = { .abi = (VtrAbi)abi };

      vtr_arena_reset (&arena);
      if (vtr_api_decode ((VtrCmdId)command, data + 2, size - 2, &options, &arena, &decoded) !=
            VTR_OK ||
          (vtr_cmd_get (command)->classes & VTR_CLASS_C) == 0)
        continue;
      vtr_buffer_clear (&text);
      vtr_api_json ((VtrCmdId)command, decoded.args, &decoded, &(VtrApiEnv){ .decoded = true },
                    &text);
    }
  vtr_buffer_finish (&text);
  vtr_arena_finish (&arena);
  return 0;
}

static void
add_command (VtrFuzzAdd  add,
             void       *user,
             VtrCmdId    id,
             const void *args)
{
  guint16 number = (guint16)id;
  VtrBuffer message = { 0 };

  vtr_buffer_append (&message, &number, sizeof number);
  vtr_api_encode (&message, id, args, 0, 7, 1, 0, NULL);
  add (user, message.data, message.size);
  vtr_buffer_finish (&message);
}

void
vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                     void       *user)
{
  VkCommandBuffer buffers[] = { NULL, NULL };
  VkTimelineSemaphoreSubmitInfo timeline = { .sType =
                                               VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO };
  VkSubmitInfo submits[] = { { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &timeline,
                               .commandBufferCount = 2,
                               .pCommandBuffers = buffers } };
  const char *names[] = { "VK_KHR_swapchain" };
  VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                    .queueCount = 1,
                                    .pQueuePriorities = &(float){ 1 } };
  VkDeviceCreateInfo device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos = &queue,
                                .enabledExtensionCount = 1,
                                .ppEnabledExtensionNames = names };
  VkDevice made = NULL;

  add_command (add, user, VTR_CMD_vkQueueSubmit,
               &(VtrArgs_vkQueueSubmit){ .submitCount = 1, .pSubmits = submits });
  add_command (add, user, VTR_CMD_vkCreateDevice,
               &(VtrArgs_vkCreateDevice){ .pCreateInfo = &device, .pDevice = &made });
  add_command (add, user, VTR_CMD_vkCmdDraw, &(VtrArgs_vkCmdDraw){ .vertexCount = 3 });
}
