/* vtr-app-random: records command buffers once, and submits or executes them again and again. */
#include "vtr-app-random.h"

#include <string.h>

/* --- What a recording keeps ------------------------------------------------------------------ */

#define KEEP(list, n, object) \
  do \
    { \
      for (uint32_t i = 0; i < (n); i++) \
        if ((list)[i] == (object)) \
          return; \
      if ((n) == VTR_RANDOM_MAX) \
        vtr_app_fail ("a recording uses too much"); \
      (list)[(n)++] = (object); \
      (object)->n_pins++; \
    } \
  while (0)

void
vtr_random_record_buffer (VtrRandom       *self,
                          VtrRandomBuffer *buffer)
{
  if (self->recording != NULL)
    KEEP (self->recording->buffers, self->recording->n_buffers, buffer);
}

/* Whenever it is run, its images are in GENERAL before and after. */
void
vtr_random_record_image (VtrRandom      *self,
                         VtrRandomImage *image)
{
  VtrRandomRecording *recording = self->recording;

  if (recording == NULL)
    return;
  KEEP (recording->images, recording->n_images, image);
  memcpy (recording->saved[recording->n_images - 1], image->layouts, sizeof image->layouts);
  for (uint32_t i = 0; i < VTR_RANDOM_MAX_PARTS; i++)
    image->layouts[i] = VK_IMAGE_LAYOUT_GENERAL;
}

void
vtr_random_record_set (VtrRandom    *self,
                       VtrRandomSet *set)
{
  if (self->recording != NULL)
    KEEP (self->recording->sets, self->recording->n_sets, set);
}

void
vtr_random_record_target (VtrRandom       *self,
                          VtrRandomTarget *target)
{
  if (self->recording != NULL)
    KEEP (self->recording->targets, self->recording->n_targets, target);
}

static void
forget (VtrRandom          *self,
        VtrRandomRecording *recording)
{
  for (uint32_t i = 0; i < recording->n_buffers; i++)
    recording->buffers[i]->n_pins--;
  for (uint32_t i = 0; i < recording->n_images; i++)
    recording->images[i]->n_pins--;
  for (uint32_t i = 0; i < recording->n_sets; i++)
    recording->sets[i]->n_pins--;
  for (uint32_t i = 0; i < recording->n_targets; i++)
    recording->targets[i]->n_pins--;
  vkFreeCommandBuffers (self->gpu.device, self->recording_pool, 1, &recording->commands);
  memset (recording, 0, sizeof *recording);
}

/* --- Making ---------------------------------------------------------------------------------- */

static const char *const recorded[] = { "clear-image", "upload", "download", "copy-buffer",
                                        "fill-buffer", "copy-image", "blit-image", "resolve-image",
                                        "compute", "draw-pass", "compute-address" };

static const VtrRandomOperation *
find (const char *name)
{
  const VtrRandomOperation *const tables[] = { vtr_random_copy_operations,
                                               vtr_random_compute_operations,
                                               vtr_random_draw_operations };

  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    for (const VtrRandomOperation *o = tables[i]; o->name != NULL; o++)
      if (strcmp (o->name, name) == 0)
        return o;
  vtr_app_fail ("there is no operation %s", name);
}

static void
begin (VtrRandom          *self,
       VtrRandomRecording *recording)
{
  const VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = self->recording_pool,
    .level = recording->secondary ? VK_COMMAND_BUFFER_LEVEL_SECONDARY
                                  : VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  const VkCommandBufferInheritanceInfo inherited = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = recording->simultaneous ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0,
    .pInheritanceInfo = recording->secondary ? &inherited : NULL,
  };

  vtr_app_check (vkAllocateCommandBuffers (self->gpu.device, &allocate, &recording->commands),
                 "vkAllocateCommandBuffers");
  vtr_app_check (vkBeginCommandBuffer (recording->commands, &info), "vkBeginCommandBuffer");
}

VkCommandBuffer
vtr_random_begin_inside (VtrRandom             *self,
                         const VtrRandomTarget *target,
                         uint32_t               subpass,
                         uint32_t               nth)
{
  const VtrRandomImage *depth = target->images[VTR_RANDOM_COLORS];
  const VkImageAspectFlags aspects = depth != NULL ? depth->aspects : 0;
  const VkFormat format = target->formats[VTR_RANDOM_COLORS];
  const VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = self->frames[self->frame % VTR_RANDOM_AHEAD].inner[nth],
    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    .commandBufferCount = 1,
  };
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .colorAttachmentCount = target->n_colors,
    .pColorAttachmentFormats = target->formats,
    .depthAttachmentFormat =
      (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0 ? format : VK_FORMAT_UNDEFINED,
    .stencilAttachmentFormat =
      (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0 ? format : VK_FORMAT_UNDEFINED,
    .rasterizationSamples = target->samples,
  };
  const VkCommandBufferInheritanceInfo inherited = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = target->pass == VK_NULL_HANDLE ? &rendering : NULL,
    .renderPass = target->pass,
    .subpass = subpass,
    .framebuffer = vtr_random_chance (self, 50) ? target->framebuffer : VK_NULL_HANDLE,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
             VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    .pInheritanceInfo = &inherited,
  };
  VkCommandBuffer commands;

  vtr_app_check (vkAllocateCommandBuffers (self->gpu.device, &allocate, &commands),
                 "vkAllocateCommandBuffers");
  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
  return commands;
}

static void
record (VtrRandom *self)
{
  const VkCommandBuffer commands = self->commands;
  const uint32_t n = vtr_random_between (self, 1, 4);
  VtrRandomRecording *recording = NULL;

  for (size_t i = 0; i < sizeof self->recordings / sizeof self->recordings[0]; i++)
    if (self->recordings[i].commands == VK_NULL_HANDLE)
      recording = &self->recordings[i];
  if (recording == NULL)
    return;
  recording->secondary = vtr_random_chance (self, 50);
  recording->simultaneous = vtr_random_chance (self, 60);
  begin (self, recording);
  self->recording = recording;
  self->commands = recording->commands;
  vtr_random_barrier (self);
  for (uint32_t i = 0; i < n; i++)
    find (VTR_RANDOM_PICK (self, recorded))->run (self);
  for (uint32_t i = 0; i < recording->n_images; i++)
    vtr_random_use_image (self, recording->images[i], VK_IMAGE_LAYOUT_GENERAL);
  vtr_random_barrier (self);
  vtr_app_check (vkEndCommandBuffer (recording->commands), "vkEndCommandBuffer");
  for (uint32_t i = 0; i < recording->n_images; i++)
    memcpy (recording->images[i]->layouts, recording->saved[i],
            sizeof recording->images[i]->layouts);
  self->recording = NULL;
  self->commands = commands;
}

/* --- Running --------------------------------------------------------------------------------- */

static void
use_all (VtrRandom          *self,
         VtrRandomRecording *recording)
{
  recording->last_use = self->frame;
  for (uint32_t i = 0; i < recording->n_buffers; i++)
    vtr_random_use_buffer (self, recording->buffers[i]);
  for (uint32_t i = 0; i < recording->n_images; i++)
    vtr_random_use_image (self, recording->images[i], VK_IMAGE_LAYOUT_GENERAL);
  for (uint32_t i = 0; i < recording->n_sets; i++)
    recording->sets[i]->last_use = self->frame;
  for (uint32_t i = 0; i < recording->n_targets; i++)
    recording->targets[i]->last_use = self->frame;
}

static void
run (VtrRandom *self)
{
  VtrRandomRecording *recording = &VTR_RANDOM_PICK (self, self->recordings);
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &recording->commands,
  };

  if (recording->commands == VK_NULL_HANDLE ||
      (!recording->simultaneous && !vtr_random_is_idle (self, recording->last_use)))
    return;
  vtr_random_barrier (self);
  use_all (self, recording);
  if (recording->secondary)
    {
      vkCmdExecuteCommands (self->commands, 1, &recording->commands);
      return;
    }
  vtr_random_submit (self);
  vtr_app_check (vkQueueSubmit (self->gpu.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
}

static void
drop (VtrRandom *self)
{
  VtrRandomRecording *recording = &VTR_RANDOM_PICK (self, self->recordings);

  if (recording->commands != VK_NULL_HANDLE && vtr_random_is_idle (self, recording->last_use))
    forget (self, recording);
}

void
vtr_random_recordings_init (VtrRandom *self)
{
  const VkCommandPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = self->gpu.family,
  };

  vtr_app_check (vkCreateCommandPool (self->gpu.device, &info, NULL, &self->recording_pool),
                 "vkCreateCommandPool");
}

void
vtr_random_recordings_finish (VtrRandom *self)
{
  for (size_t i = 0; i < sizeof self->recordings / sizeof self->recordings[0]; i++)
    if (self->recordings[i].commands != VK_NULL_HANDLE)
      forget (self, &self->recordings[i]);
  vkDestroyCommandPool (self->gpu.device, self->recording_pool, NULL);
}

const VtrRandomOperation vtr_random_recording_operations[] = {
  { "record", "recordings", 5, record },
  { "run-recorded", "recordings", 12, run },
  { "drop-recorded", "recordings", 2, drop },
  { "submit", "submits", 5, vtr_random_submit },
  { 0 },
};
