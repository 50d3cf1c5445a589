/* vtr-app-random: records passes full of draws. */
#include "vtr-app-random.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STAGES \
  (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT)

#define PREDICATE_AT 128u
#define COUNTER_AT 256u

/* What the draws of a pass use; made before it begins, as it needs barriers. */
typedef struct
{
  VtrRandomTarget *target;
  const VtrRandomKind *kinds;
  VtrRandomSet *sets[VTR_RANDOM_KINDS];
  VtrRandomBuffer *vertices, *indices, *addressed, *indirect, *predicate, *kept, *counter;
  uint32_t n_indirect;
  bool fed; /* .kept is */
  VtrRandomQuery query;
} Pass;

static VtrRandomBuffer *
use_some (VtrRandom          *self,
          VkBufferUsageFlags  usage,
          VkDeviceSize        size)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, usage, size, NULL);

  if (buffer != NULL)
    vtr_random_use_buffer (self, buffer);
  return buffer;
}

/* Draws that the GPU reads: five numbers each, which do for both kinds, then how many there are. */
static void
write_indirect (VtrRandom *self,
                Pass      *pass)
{
  uint32_t data[24] = { 0 };

  pass->indirect = use_some (self, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, 256);
  if (pass->indirect == NULL)
    return;
  for (uint32_t i = 0; i < 4; i++)
    {
      data[i * 5] = vtr_random_between (self, 3, 12);
      data[i * 5 + 1] = vtr_random_between (self, 1, 2);
      data[i * 5 + 2] = vtr_random_below (self, 4);
      data[i * 5 + 4] = 0;
    }
  data[20] = pass->n_indirect = vtr_random_between (self, 1, 4);
  vkCmdUpdateBuffer (self->commands, pass->indirect->buffer, 0, sizeof data, data);
}

/* Whether draws are to be drawn, which the GPU reads, behind what write_indirect() writes. */
static void
write_predicate (VtrRandom *self,
                 Pass      *pass)
{
  const uint32_t value = vtr_random_below (self, 3);

  if (self->core || !vtr_random_may (self, 25, "conditional"))
    return;
  pass->predicate =
    use_some (self, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT, PREDICATE_AT + 4);
  if (pass->predicate != NULL)
    {
      vtr_random_barrier (self);
      vkCmdUpdateBuffer (self->commands, pass->predicate->buffer, PREDICATE_AT, 4, &value);
    }
}

static bool
either_overlaps (const Pass            *pass,
                 const VtrRandomBuffer *buffer)
{
  return vtr_random_overlap (pass->kept, buffer) || vtr_random_overlap (pass->counter, buffer);
}

/* Transform feedback buffers, which store and count vertices; there are no other draws in the
 * pass. */
static void
prepare_feedback (VtrRandom *self,
                  Pass      *pass)
{
  VtrRandomBuffer *const others[] = { pass->vertices, pass->indices, pass->addressed,
                                      pass->indirect, pass->predicate };
  const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT;
  bool taken = false;

  if (self->core || !vtr_random_may (self, 30, "feedback"))
    return;
  pass->kept = vtr_random_buffer (self, usage, 640, NULL);
  pass->counter =
    pass->kept != NULL ? vtr_random_buffer (self, usage, COUNTER_AT + 4, pass->kept) : NULL;
  if (pass->counter == NULL)
    return;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    taken |= either_overlaps (pass, others[i]);
  for (uint32_t i = 0; i < VTR_RANDOM_KINDS; i++)
    for (uint32_t j = 0; pass->sets[i] != NULL && j < VTR_RANDOM_BINDINGS; j++)
      taken |= either_overlaps (pass, pass->sets[i]->buffers[j]);
  if (taken)
    pass->counter = NULL;
  if (pass->counter == NULL)
    return;
  vtr_random_use_buffer (self, pass->kept);
  vtr_random_use_buffer (self, pass->counter);
  vtr_random_barrier (self);
  vkCmdFillBuffer (self->commands, pass->counter->buffer, COUNTER_AT, 4,
                   vtr_random_below (self, 4) * 32);
}

static void
prepare (VtrRandom *self,
         Pass      *pass)
{
  vtr_random_barrier (self);
  pass->vertices = use_some (self, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, 640);
  pass->indices = use_some (self, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, 640);
  pass->addressed = use_some (self, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, 640);
  if (vtr_random_may (self, 30, "indirect"))
    write_indirect (self, pass);
  write_predicate (self, pass);
  prepare_feedback (self, pass);
  pass->query = vtr_random_query_prepare (self);
  for (uint32_t i = 0; i < 5; i++)
    if (vtr_random_chance (self, 40))
      pass->sets[i] = vtr_random_set (self, VTR_RANDOM_DRAW, &self->kinds[i],
                                      pass->target->images, VTR_RANDOM_COLORS + 1);
  vtr_random_barrier (self);
}

/* Indices that are read from anywhere: vertices are made from numbers, not fetched. */
static void
draw_indexed (VtrRandom  *self,
              const Pass *pass)
{
  const VkIndexType types[] = { VK_INDEX_TYPE_UINT16, VK_INDEX_TYPE_UINT32,
                                self->core ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT8_EXT };
  const uint32_t n = vtr_random_between (self, 3, 30);

  vkCmdBindIndexBuffer (self->commands, pass->indices->buffer, 8 * vtr_random_below (self, 8),
                        VTR_RANDOM_PICK (self, types));
  if (pass->indirect != NULL && vtr_random_chance (self, 40))
    vkCmdDrawIndexedIndirect (self->commands, pass->indirect->buffer, 0, pass->n_indirect, 20);
  else if (!self->core && vtr_random_may (self, 20, "multidraw"))
    {
      const VkMultiDrawIndexedInfoEXT draws[] = { { 0, n, 0 }, { 3, n / 2, 1 } };

      self->vkCmdDrawMultiIndexedEXT (self->commands, 2, draws, 1, 0, sizeof draws[0], NULL);
    }
  else
    vkCmdDrawIndexed (self->commands, n, vtr_random_between (self, 1, 2),
                      vtr_random_below (self, 8), (int32_t)vtr_random_below (self, 4),
                      vtr_random_below (self, 3));
}

static void
draw_plain (VtrRandom  *self,
            const Pass *pass)
{
  const uint32_t n = vtr_random_between (self, 3, 24);

  if (pass->indirect != NULL && vtr_random_chance (self, 50))
    {
      if (!self->core && vtr_random_chance (self, 50))
        vkCmdDrawIndirectCount (self->commands, pass->indirect->buffer, 0,
                                pass->indirect->buffer, 80, 4, 20);
      else
        vkCmdDrawIndirect (self->commands, pass->indirect->buffer, 0, pass->n_indirect, 20);
    }
  else if (!self->core && vtr_random_may (self, 20, "multidraw"))
    {
      const VkMultiDrawInfoEXT draws[] = { { 0, n }, { 1, n / 2 }, { 2, 3 } };

      self->vkCmdDrawMultiEXT (self->commands, 3, draws, 2, 1, sizeof draws[0]);
    }
  else
    {
      vkCmdDraw (self->commands, n, vtr_random_between (self, 1, 3), vtr_random_below (self, 8),
                 vtr_random_below (self, 3));
    }
}

static void
begin_feedback (VtrRandom  *self,
                const Pass *pass)
{
  const VkDeviceSize offset = 0, size = 640, counter = COUNTER_AT;
  const bool goes_on = vtr_random_chance (self, 50);

  self->vkCmdBindTransformFeedbackBuffersEXT (self->commands, 0, 1, &pass->kept->buffer, &offset,
                                              vtr_random_chance (self, 50) ? &size : NULL);
  self->vkCmdBeginTransformFeedbackEXT (self->commands, 0, goes_on ? 1 : 0,
                                        goes_on ? &pass->counter->buffer : NULL,
                                        goes_on ? &counter : NULL);
}

static void
draw (VtrRandom *self,
      Pass      *pass,
      uint32_t   subpass)
{
  const VtrRandomPipeline *pipeline = vtr_random_pipeline (self, pass->target, subpass);
  VtrRandomPush push = vtr_random_push (self);
  VkPipelineLayout layout = self->plain;
  const VkDeviceSize counter = COUNTER_AT;
  const VtrRandomSet *set = NULL;

  if (pipeline == NULL || (pipeline->address && pass->addressed == NULL) ||
      (pipeline->attributes && pass->vertices == NULL) ||
      (pipeline->feedback && (pass->counter == NULL || pass->fed || self->beside)))
    return;
  if (pipeline->kind != NULL)
    {
      set = pass->sets[pipeline->kind - pass->kinds];
      layout = pipeline->kind->layout;
      if (set == NULL)
        return;
    }
  if (pipeline->input)
    layout = pass->target->input_layout;
  vkCmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
  vtr_random_set_states (self, pass->target, pipeline);
  if (set != NULL)
    vtr_random_bind_set (self, set, VK_PIPELINE_BIND_POINT_GRAPHICS);
  if (pipeline->input)
    vkCmdBindDescriptorSets (self->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1,
                             &pass->target->input, 0, NULL);
  if (pipeline->attributes)
    {
      const VkBuffer buffers[] = { pass->vertices->buffer, pass->vertices->buffer };
      const VkDeviceSize offsets[] = { 0, 4 * vtr_random_below (self, 16) };

      vkCmdBindVertexBuffers (self->commands, 0, 2, buffers, offsets);
    }
  if (pipeline->address)
    {
      push.address = pass->addressed->address + 16;
      push.n = 64;
    }
  vkCmdPushConstants (self->commands, layout, STAGES, 0, sizeof push, &push);
  if (pipeline->feedback)
    {
      pass->fed = true; /* another would have to wait */
      begin_feedback (self, pass);
    }
  if (pass->indices != NULL && vtr_random_may (self, 35, "indexed") && !pipeline->attributes)
    draw_indexed (self, pass);
  else
    draw_plain (self, pass);
  if (pipeline->feedback)
    self->vkCmdEndTransformFeedbackEXT (self->commands, 0, 1, &pass->counter->buffer, &counter);
}

static void
clear_some (VtrRandom  *self,
            const Pass *pass)
{
  const VtrRandomTarget *target = pass->target;
  VkClearAttachment attachment = { .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT };
  VkClearRect rect = { .layerCount = 1 };

  rect.rect.offset.x = (int32_t)vtr_random_below (self, target->extent.width);
  rect.rect.extent.width =
    vtr_random_between (self, 1, target->extent.width - (uint32_t)rect.rect.offset.x);
  rect.rect.extent.height = vtr_random_between (self, 1, target->extent.height);
  if (target->images[VTR_RANDOM_COLORS] != NULL && vtr_random_chance (self, 40))
    {
      attachment.aspectMask = target->images[VTR_RANDOM_COLORS]->aspects;
      attachment.clearValue.depthStencil =
        (VkClearDepthStencilValue){ vtr_random_float (self), vtr_random_below (self, 256) };
    }
  else
    {
      attachment.colorAttachment = vtr_random_below (self, target->n_colors);
      for (uint32_t i = 0; i < 4; i++)
        if (target->class == VTR_RANDOM_FLOAT)
          attachment.clearValue.color.float32[i] = vtr_random_float (self);
        else
          attachment.clearValue.color.uint32[i] = vtr_random_below (self, 128);
    }
  vkCmdClearAttachments (self->commands, 1, &attachment, 1, &rect);
}

static void
draw_some (VtrRandom *self,
           Pass      *pass,
           uint32_t   subpass)
{
  const uint32_t n = vtr_random_below (self, 5);
  const VkConditionalRenderingBeginInfoEXT condition = {
    .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
    .buffer = pass->predicate != NULL ? pass->predicate->buffer : VK_NULL_HANDLE,
    .offset = PREDICATE_AT,
    .flags = vtr_random_below (self, 2) * VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT,
  };
  const bool conditional = pass->predicate != NULL && vtr_random_chance (self, 60);

  if (conditional)
    self->vkCmdBeginConditionalRenderingEXT (self->commands, &condition);
  for (uint32_t i = 0; i < n; i++)
    draw (self, pass, subpass);
  /* A clear must be inside the render area, so only dynamic rendering over the whole image. */
  if (pass->target->whole && subpass == 0 && vtr_random_chance (self, 20))
    clear_some (self, pass);
  if (conditional)
    self->vkCmdEndConditionalRenderingEXT (self->commands);
}

static void
fill_subpass (VtrRandom *self,
              Pass      *pass,
              uint32_t   subpass)
{
  const bool counted = subpass == 0 && !pass->query.outside;

  if (counted)
    vtr_random_query_begin (self, &pass->query);
  do
    draw_some (self, pass, subpass);
  while (vtr_random_resume_target (self, pass->target));
  if (counted)
    vtr_random_query_end (self, &pass->query);
}

typedef struct
{
  VtrRandom self; /* a copy */
  Pass *pass;
  uint32_t subpass;
} Thread;

static void *
draw_beside (void *data)
{
  Thread *thread = data;

  draw_some (&thread->self, thread->pass, thread->subpass);
  vtr_app_check (vkEndCommandBuffer (thread->self.commands), "vkEndCommandBuffer");
  return NULL;
}

/* Each is recorded on its own thread; all objects that they use exist before. */
static void
draw_in_threads (VtrRandom             *self,
                 Pass                  *pass,
                 uint32_t               subpass,
                 const VkCommandBuffer  others[],
                 uint32_t               n)
{
  pthread_t threads[VTR_RANDOM_THREADS];
  Thread *works = calloc (n, sizeof *works);

  if (works == NULL)
    vtr_app_fail ("out of memory");
  for (uint32_t i = 0; i < 2; i++)
    vtr_random_pipeline (self, pass->target, subpass);
  for (uint32_t i = 0; i < n; i++)
    {
      works[i] = (Thread){ .self = *self, .pass = pass, .subpass = subpass };
      works[i].self.state += vtr_random_number (self);
      works[i].self.commands = others[i];
      works[i].self.beside = true;
      if (pthread_create (&threads[i], NULL, draw_beside, &works[i]) != 0)
        vtr_app_fail ("pthread_create");
    }
  for (uint32_t i = 0; i < n; i++)
    pthread_join (threads[i], NULL);
  free (works);
}

/* As the draws of another command buffer, or of several. */
static void
fill_by_others (VtrRandom *self,
                Pass      *pass,
                uint32_t   subpass)
{
  VkCommandBuffer others[VTR_RANDOM_THREADS];
  const uint32_t n = vtr_random_between (self, 1, VTR_RANDOM_THREADS);
  const VkCommandBuffer commands = self->commands;
  const bool threads = vtr_random_may (self, 50, "threads");

  for (uint32_t i = 0; i < n; i++)
    others[i] = vtr_random_begin_inside (self, pass->target, subpass, i);
  if (threads)
    draw_in_threads (self, pass, subpass, others, n);
  for (uint32_t i = 0; i < n && !threads; i++)
    {
      self->commands = others[i];
      draw_some (self, pass, subpass);
      vtr_app_check (vkEndCommandBuffer (self->commands), "vkEndCommandBuffer");
    }
  self->commands = commands;
  if (vtr_random_chance (self, 50))
    vkCmdExecuteCommands (commands, n, others);
  else
    for (uint32_t i = 0; i < n; i++)
      vkCmdExecuteCommands (commands, 1, &others[i]);
}

/* lavapipe of Mesa 22.3 expects that a pipeline, and everything it reads, is bound when a query
 * begins. */
static void
bind_before_query (VtrRandom *self,
                   Pass      *pass)
{
  const VtrRandomPipeline *pipeline;

  if (pass->query.queries == NULL)
    return;
  pipeline = vtr_random_pipeline (self, pass->target, 0);
  if (pipeline == NULL || pipeline->kind != NULL || pipeline->input)
    {
      pass->query.queries = NULL;
      return;
    }
  vkCmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
  vkCmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->address_pipeline);
}

static void
draw_pass (VtrRandom *self)
{
  const bool others = self->recording == NULL && vtr_random_may (self, 25, "secondary");
  const VkSubpassContents contents =
    others ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE;
  const VkSubpassBeginInfo begin = { VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO, NULL, contents };
  const VkSubpassEndInfo end = { .sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO };
  Pass pass = { .target = vtr_random_target (self), .kinds = self->kinds };

  if (pass.target == NULL || (self->recording != NULL && self->recording->secondary &&
                              pass.target->pass != VK_NULL_HANDLE))
    return;
  prepare (self, &pass);
  if (others)
    pass.query.queries = NULL; /* which they would have to inherit */
  bind_before_query (self, &pass);
  if (pass.query.outside)
    vtr_random_query_begin (self, &pass.query);
  vtr_random_begin_target (self, pass.target, others);
  /* One that is begun inside has to end there. */
  if (pass.target->n_parts > 0 && !pass.query.outside)
    pass.query.queries = NULL;
  for (uint32_t i = 0; i < pass.target->n_subpasses; i++)
    {
      if (i > 0 && vtr_random_chance (self, 50))
        vkCmdNextSubpass2 (self->commands, &begin, &end);
      else if (i > 0)
        vkCmdNextSubpass (self->commands, contents);
      if (others)
        fill_by_others (self, &pass, i);
      else
        fill_subpass (self, &pass, i);
    }
  vtr_random_end_target (self, pass.target);
  if (pass.query.outside)
    vtr_random_query_end (self, &pass.query);
  vtr_random_query_show (self, &pass.query);
}

const VtrRandomOperation vtr_random_draw_operations[] = {
  { "draw-pass", "passes", 25, draw_pass },
  { 0 },
};
