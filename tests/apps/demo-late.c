/* vtr-app-demo-late: changes each resource right after a frame has shown it: by the same commands,
 * through memory that is mapped (now or always) or shared with another buffer, by destroying it,
 * by a command buffer that was recorded long before.
 *
 * Each kind is one row of the picture, in a shade that counts frames. A capture that copies
 * contents after its first frame has begun must have copied them before. */
#include "vtr-app-demo.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROW 4u /* texels */
#define ROW_BYTES (VTR_APP_DEMO_WIDTH * ROW * 4u)
#define SIZE (3u * 1024u * 1024u) /* of a buffer: more than a record holds */

enum
{
  FILLED,    /* buffer: filled */
  CLEARED,   /* image: cleared */
  PREBUILT,  /* buffer: filled by commands that were recorded before the first frame */
  MADE_ANEW, /* image: destroyed, and another one is made */
  MAPPED,    /* buffer: its memory is mapped and written to */
  ALIASED,   /* buffer: another one is made in its memory and filled */
  STILL,     /* buffer: never changed, and named by the first frame only */
  STORAGE,   /* buffer: shaders could write to it without being named */
  HELD,      /* buffer: mapped as long as it lives, and written to by the CPU */
  DRAWN,     /* image: drawn to by a pass with a framebuffer, before it is shown */
  RENDERED,  /* image: drawn to by a pass that names its views, before it is shown */
};

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer filled, prebuilt, mapped, aliased, still, storage, held;
  VtrAppImage cleared, made_anew, drawn, rendered;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkPipeline draws, renders;
  VkCommandBuffer commands[2]; /* in turns */
  uint32_t exit;               /* frame that ends the program: as exit () does; 0: none */
  uint32_t end;                /* frame that ends the program: as a signal does; 0: none */
  uint32_t lose;               /* frame that ends all child processes; 0: none */
} Late;

static uint32_t
shade (const Late *self,
       uint32_t    row)
{
  return 0xff000000u | (self->demo.frame * 37u + row * 11u + 1u) % 251u * 0x010203u;
}

static VtrAppBuffer
make_buffer (Late *self)
{
  return vtr_app_buffer (&self->demo.scene.gpu, SIZE,
                         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                         VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static VtrAppBuffer
make_held (Late *self)
{
  return vtr_app_buffer (&self->demo.scene.gpu, SIZE,
                         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

static VtrAppBuffer
make_storage (Late *self)
{
  return vtr_app_buffer (&self->demo.scene.gpu, SIZE,
                         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                         VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static VtrAppImage
make_image (Late *self)
{
  return vtr_app_image (&self->demo.scene.gpu, VTR_APP_DEMO_WIDTH, ROW, VTR_APP_DEMO_FORMAT,
                        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                          VK_IMAGE_USAGE_SAMPLED_BIT);
}

static void
fill_buffer (Late               *self,
             const VtrAppBuffer *buffer,
             uint32_t            row)
{
  vkCmdFillBuffer (self->demo.commands, buffer->buffer, 0, VK_WHOLE_SIZE, shade (self, row));
  vtr_app_barrier (self->demo.commands);
}

static VkClearValue
get_color (const Late *self,
           uint32_t    row)
{
  const uint32_t texel = shade (self, row);

  return (VkClearValue){
    .color = { .float32 = { (float)(texel & 0xff) / 255.0f, (float)(texel >> 8 & 0xff) / 255.0f,
                            (float)(texel >> 16 & 0xff) / 255.0f, 1.0f } }
  };
}

static void
clear_image (Late              *self,
             const VtrAppImage *image,
             uint32_t           row)
{
  const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
  const VkClearValue value = get_color (self, row);

  vkCmdClearColorImage (self->demo.commands, image->image, VK_IMAGE_LAYOUT_GENERAL,
                        &value.color, 1, &all);
  vtr_app_barrier (self->demo.commands);
}

static VtrAppImage
make_target (Late *self)
{
  VtrAppImage target =
    vtr_app_image (&self->demo.scene.gpu, VTR_APP_DEMO_WIDTH, ROW, VTR_APP_DEMO_FORMAT,
                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                     VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);

  vtr_app_transition (self->demo.commands, &target, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_GENERAL);
  clear_image (self, &target, DRAWN);
  return target;
}

static void
make_pass (Late *self)
{
  VkFramebufferCreateInfo framebuffer = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &self->drawn.view,
    .width = VTR_APP_DEMO_WIDTH,
    .height = ROW,
    .layers = 1,
  };
  const VkDevice device = self->demo.scene.gpu.device;

  self->pass = vtr_app_demo_pass (device);
  framebuffer.renderPass = self->pass;
  vtr_app_check (vkCreateFramebuffer (device, &framebuffer, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
}

/* Running it twice gives another result than running it once. */
static void
change_blend (VkGraphicsPipelineCreateInfo *create,
              void                         *data)
{
  VkPipelineColorBlendAttachmentState *blend = (void *)create->pColorBlendState->pAttachments;

  (void)data;
  blend->srcColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR;
  blend->dstColorBlendFactor = VK_BLEND_FACTOR_ZERO;
}

static void
make_pipelines (Late *self)
{
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  VtrAppPipelineInfo info = {
    .n_colors = 1, .formats = &format, .blend = true, .change = change_blend
  };

  self->renders = vtr_app_pipeline (&self->demo.scene, &info);
  info.pass = self->pass;
  self->draws = vtr_app_pipeline (&self->demo.scene, &info);
}

/* All of a target. */
static void
draw_over (Late       *self,
           VkPipeline  pipeline)
{
  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vtr_app_viewport (self->demo.commands, VTR_APP_DEMO_WIDTH, ROW);
  vtr_app_triangle (&self->demo.scene, self->demo.commands, -1, -1, 4, 0, self->demo.frame + 3);
}

static void
draw_targets (Late *self)
{
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { .extent = { VTR_APP_DEMO_WIDTH, ROW } },
  };
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->rendered.view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = begin.renderArea,
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };

  vkCmdBeginRenderPass (self->demo.commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  draw_over (self, self->draws);
  vkCmdEndRenderPass (self->demo.commands);
  vkCmdBeginRendering (self->demo.commands, &info);
  draw_over (self, self->renders);
  vkCmdEndRendering (self->demo.commands);
  vtr_app_barrier (self->demo.commands);
}

static void
remake_image (Late        *self,
              VtrAppImage *image,
              uint32_t     row)
{
  if (image->image != VK_NULL_HANDLE)
    vtr_app_image_finish (&self->demo.scene.gpu, image);
  *image = make_image (self);
  vtr_app_transition (self->demo.commands, image, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_GENERAL);
  clear_image (self, image, row);
}

static void
write_mapped (Late *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const uint32_t texel = shade (self, MAPPED);
  void *bytes;

  /* Only memory that the CPU cannot see refuses. */
  if (vkMapMemory (device, self->mapped.memory, 0, VK_WHOLE_SIZE, 0, &bytes) != VK_SUCCESS)
    {
      fill_buffer (self, &self->mapped, MAPPED);
      return;
    }
  for (size_t i = 0; i < ROW_BYTES; i += sizeof texel)
    memcpy ((char *)bytes + i, &texel, sizeof texel);
  vkUnmapMemory (device, self->mapped.memory);
}

static void
write_held (Late *self)
{
  const uint32_t texel = shade (self, HELD);

  for (size_t i = 0; i < ROW_BYTES; i += sizeof texel)
    memcpy ((char *)self->held.mapped + i, &texel, sizeof texel);
}

/* Another buffer in the memory of the old one, which is not named any more. */
static void
write_aliased (Late *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = SIZE,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  VkBuffer old = self->aliased.buffer;

  vtr_app_check (vkCreateBuffer (device, &info, NULL, &self->aliased.buffer), "vkCreateBuffer");
  vtr_app_check (vkBindBufferMemory (device, self->aliased.buffer, self->aliased.memory, 0),
                 "vkBindBufferMemory");
  fill_buffer (self, &self->aliased, ALIASED);
  vtr_app_demo_flush (&self->demo);
  vkDestroyBuffer (device, old, NULL);
}

static void
prebuild (Late *self)
{
  for (uint32_t i = 0; i < 2; i++)
    {
      const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO
      };

      self->commands[i] = vtr_app_commands (&self->demo.scene.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
      vtr_app_check (vkBeginCommandBuffer (self->commands[i], &begin), "vkBeginCommandBuffer");
      vkCmdFillBuffer (self->commands[i], self->prebuilt.buffer, 0, VK_WHOLE_SIZE,
                       0xff204060u + i * 0x503010u);
      vtr_app_barrier (self->commands[i]);
      vtr_app_check (vkEndCommandBuffer (self->commands[i]), "vkEndCommandBuffer");
    }
}

static void
run_prebuilt (Late *self)
{
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands[self->demo.frame % 2],
  };

  vtr_app_check (vkQueueSubmit (self->demo.scene.gpu.queue, 1, &submit, VK_NULL_HANDLE),
                 "vkQueueSubmit");
  vtr_app_check (vkQueueWaitIdle (self->demo.scene.gpu.queue), "vkQueueWaitIdle");
}

static void
start (VtrAppDemo *demo)
{
  Late *self = (Late *)demo;
  VtrAppBuffer *const buffers[] = { &self->filled, &self->prebuilt, &self->mapped, &self->aliased,
                                    &self->still };

  for (uint32_t i = 0; i < 5; i++)
    {
      *buffers[i] = make_buffer (self);
      fill_buffer (self, buffers[i], i);
    }
  self->storage = make_storage (self);
  fill_buffer (self, &self->storage, STORAGE);
  self->drawn = make_target (self);
  self->rendered = make_target (self);
  make_pass (self);
  make_pipelines (self);
  self->held = make_held (self);
  write_held (self);
  remake_image (self, &self->cleared, CLEARED);
  remake_image (self, &self->made_anew, MADE_ANEW);
  prebuild (self);
}

/* ---- A frame ---- */

static void
show_buffer (Late               *self,
             const VtrAppBuffer *buffer,
             uint32_t            row)
{
  const VkBufferImageCopy part = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 0, (int32_t)(row * ROW), 0 },
    .imageExtent = { VTR_APP_DEMO_WIDTH, ROW, 1 },
  };

  vkCmdCopyBufferToImage (self->demo.commands, buffer->buffer, self->demo.color->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &part);
}

static void
show_image (Late              *self,
            const VtrAppImage *image,
            uint32_t           row)
{
  const VkImageCopy part = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { 0, (int32_t)(row * ROW), 0 },
    .extent = { VTR_APP_DEMO_WIDTH, ROW, 1 },
  };

  vkCmdCopyImage (self->demo.commands, image->image, VK_IMAGE_LAYOUT_GENERAL,
                  self->demo.color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &part);
}

/* Whether the driver has mapped @bytes so that child processes see what changes in them. */
static bool
is_shared (const void *bytes)
{
  const uintptr_t at = (uintptr_t)bytes;
  FILE *file = fopen ("/proc/self/maps", "re");
  bool shared = false;
  char line[512];

  while (file != NULL && !shared && fgets (line, sizeof line, file) != NULL)
    {
      unsigned long begin, end;
      char permissions[5];

      shared = sscanf (line, "%lx-%lx %4s", &begin, &end, permissions) == 3 && begin <= at &&
               at < end && permissions[3] == 's';
    }
  if (file != NULL)
    fclose (file);
  return shared;
}

/* The program has none; a layer may, if it can keep memory with them. */
static void
end_children (Late *self)
{
  char path[64], text[256] = "";
  FILE *file;

  snprintf (path, sizeof path, "/proc/self/task/%d/children", (int)getpid ());
  file = fopen (path, "re");
  if (file == NULL || fgets (text, sizeof text, file) == NULL)
    {
      if (!is_shared (self->held.mapped))
        vtr_app_fail ("there are no child processes");
      fputs ("The driver's memory is shared, and there are no child processes.\n", stderr);
    }
  if (file != NULL)
    fclose (file);
  for (char *at = text, *next; strtol (at, &next, 10) > 0; at = next)
    kill ((pid_t)strtol (at, NULL, 10), SIGKILL);
}

static void
draw (VtrAppDemo *demo)
{
  Late *self = (Late *)demo;

  if (demo->frame > 0 && demo->frame == self->exit)
    exit (0);
  if (demo->frame > 0 && demo->frame == self->end)
    _exit (0);
  if (demo->frame > 0 && demo->frame == self->lose)
    end_children (self);
  if (waitpid (-1, NULL, WNOHANG) != -1)
    vtr_app_fail ("there is a child process that is not the program's");
  draw_targets (self);
  vtr_app_demo_flush (demo);
  show_buffer (self, &self->filled, FILLED);
  show_image (self, &self->cleared, CLEARED);
  show_buffer (self, &self->prebuilt, PREBUILT);
  show_image (self, &self->made_anew, MADE_ANEW);
  show_buffer (self, &self->mapped, MAPPED);
  show_buffer (self, &self->aliased, ALIASED);
  show_buffer (self, &self->storage, STORAGE);
  show_buffer (self, &self->held, HELD);
  show_image (self, &self->drawn, DRAWN);
  show_image (self, &self->rendered, RENDERED);
  if (demo->frame == 0)
    show_buffer (self, &self->still, STILL);
  vtr_app_barrier (demo->commands);
  if (!vtr_app_demo_check (demo))
    return;
  fill_buffer (self, &self->filled, FILLED);
  fill_buffer (self, &self->storage, STORAGE);
  clear_image (self, &self->cleared, CLEARED);
  vtr_app_demo_flush (demo);
  run_prebuilt (self);
  remake_image (self, &self->made_anew, MADE_ANEW);
  write_mapped (self);
  write_held (self);
  write_aliased (self);
}

static void
finish (VtrAppDemo *demo)
{
  Late *self = (Late *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;

  vtr_app_buffer_finish (gpu, &self->filled);
  vtr_app_buffer_finish (gpu, &self->prebuilt);
  vtr_app_buffer_finish (gpu, &self->mapped);
  vtr_app_buffer_finish (gpu, &self->aliased);
  vtr_app_buffer_finish (gpu, &self->still);
  vtr_app_buffer_finish (gpu, &self->storage);
  vtr_app_buffer_finish (gpu, &self->held);
  vkDestroyFramebuffer (gpu->device, self->framebuffer, NULL);
  vkDestroyRenderPass (gpu->device, self->pass, NULL);
  vtr_app_image_finish (gpu, &self->drawn);
  vtr_app_image_finish (gpu, &self->rendered);
  vtr_app_image_finish (gpu, &self->cleared);
  vtr_app_image_finish (gpu, &self->made_anew);
}

int
main (int    argc,
      char **argv)
{
  Late self = { 0 };
  const VtrAppOption options[] = {
    { "--exit", &self.exit, NULL, NULL, "frame that ends the program with all alive (0: none)" },
    { "--lose", &self.lose, NULL, NULL, "frame that ends all child processes (0: none)" },
    { "--end", &self.end, NULL, NULL, "the same, so that nobody hears of it (0: none)" },
    { 0 },
  };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "contents that change at once",
                                              .options = options,
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
