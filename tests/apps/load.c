/* vtr-app-load: many cheap calls, timed.
 *
 * Draws into a 16 x 16 target, four calls a draw (bind set, push 64 bytes, set scissor, draw),
 * triangles without area unless --visible: what is left is the cost of the calls. The clock is the
 * thread's CPU time around the recording loop alone, which neighbours on the machine do not
 * disturb. */
#include "load-live.h"
#include "load-objects.h"
#include "vtr-app-renderdoc.h"

#include "load.frag.h"
#include "load.vert.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS_PER_DRAW 4u
#define TARGET 16u
#define MAX_THREADS 64u
#define N_SETS 8u
#define PAGE 4096u
#define MAPPED_SIZE (64u << 20)

typedef struct
{
  float place[4];
  float color[4];
  float more[8];
} Push;

_Static_assert(sizeof (Push) == 64, "the load pushes 64 bytes a draw");

typedef struct _Load Load;

typedef struct
{
  Load *load;
  pthread_t thread;
  VkCommandPool pool;
  VkCommandBuffer *commands; /* load.n_secondaries, in load.secondaries */
  uint32_t first;            /* of its draws */
  uint32_t n_draws;
  double cpu_ns; /* of the last frame, from the first vkBegin to the last vkEndCommandBuffer */
  double wall_ns;
} Worker;

struct _Load
{
  VtrAppGpu gpu;
  VtrAppImage target;
  VtrAppBuffer uniform;
  VtrAppBuffer mapped;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkDescriptorSetLayout set_layout;
  VkDescriptorPool descriptors;
  VkDescriptorSet sets[N_SETS];
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkCommandBuffer primary;

  uint32_t n_draws;
  uint32_t n_frames;
  uint32_t n_threads;     /* 0: the primary itself is recorded into */
  uint32_t n_secondaries; /* of each thread */
  VkCommandBuffer *secondaries;
  uint32_t mapped_kib;
  uint32_t n_pages; /* written whole, one after another */
  uint32_t n_others;
  LoadLive live;
  LoadObjects objects;
  bool visible;
  uint32_t frame;
  bool done;
  pthread_barrier_t start;
  pthread_barrier_t end;
  Worker workers[MAX_THREADS];
};

static double
now_ns (clockid_t clock)
{
  struct timespec time;

  clock_gettime (clock, &time);

  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void
create_target (Load *self)
{
  VkAttachmentDescription attachment = {
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
    .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  };
  VkAttachmentReference reference = { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
  VkSubpassDescription subpass = {
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
    .colorAttachmentCount = 1,
    .pColorAttachments = &reference,
  };
  VkRenderPassCreateInfo pass_info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkFramebufferCreateInfo framebuffer_info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 1,
    .width = TARGET,
    .height = TARGET,
    .layers = 1,
  };

  self->target = vtr_app_image (&self->gpu, TARGET, TARGET, attachment.format,
                                VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                  VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  vtr_app_check (vkCreateRenderPass (self->gpu.device, &pass_info, NULL, &self->pass),
                 "vkCreateRenderPass");
  framebuffer_info.renderPass = self->pass;
  framebuffer_info.pAttachments = &self->target.view;
  vtr_app_check (vkCreateFramebuffer (self->gpu.device, &framebuffer_info, NULL,
                                      &self->framebuffer),
                 "vkCreateFramebuffer");
}

static void
create_sets (Load *self)
{
  VkDescriptorSetLayoutBinding binding = {
    0,
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    1,
    VK_SHADER_STAGE_FRAGMENT_BIT,
    NULL,
  };
  VkDescriptorSetLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 1,
    .pBindings = &binding,
  };
  VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, N_SETS };
  VkDescriptorPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = N_SETS,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  VkDescriptorSetAllocateInfo allocate_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &self->set_layout,
  };
  VkDevice device = self->gpu.device;

  self->uniform = vtr_app_buffer (&self->gpu, N_SETS * 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  memset (self->uniform.mapped, 0, self->uniform.size);
  vtr_app_check (vkCreateDescriptorSetLayout (device, &layout_info, NULL, &self->set_layout),
                 "vkCreateDescriptorSetLayout");
  vtr_app_check (vkCreateDescriptorPool (device, &pool_info, NULL, &self->descriptors),
                 "vkCreateDescriptorPool");
  allocate_info.descriptorPool = self->descriptors;
  for (uint32_t i = 0; i < N_SETS; i++)
    {
      VkDescriptorBufferInfo info = { self->uniform.buffer, i * 256, 16 };
      VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
        .pBufferInfo = &info,
      };
      float *tint = (float *)(void *)((char *)self->uniform.mapped + i * 256);

      for (uint32_t j = 0; j < 4; j++)
        tint[j] = (float)((i >> (j % 3)) & 1) * 0.5f + 0.5f;
      vtr_app_check (vkAllocateDescriptorSets (device, &allocate_info, &self->sets[i]),
                     "vkAllocateDescriptorSets");
      write.dstSet = self->sets[i];
      vkUpdateDescriptorSets (device, 1, &write, 0, NULL);
    }
}

static void
create_pipeline (Load *self)
{
  VkPushConstantRange range = { VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof (Push) };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkPipelineShaderStageCreateInfo stages[] = {
    {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = vtr_app_shader (&self->gpu, load_vert, sizeof load_vert),
      .pName = "main",
    },
    {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = vtr_app_shader (&self->gpu, load_frag, sizeof load_frag),
      .pName = "main",
    },
  };
  VkPipelineColorBlendAttachmentState blend = { .colorWriteMask = 0xf };
  VkPipelineColorBlendStateCreateInfo blend_state = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &blend,
  };
  VkDevice device = self->gpu.device;
  VtrAppTriangles triangles;

  vtr_app_check (vkCreatePipelineLayout (device, &layout_info, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  vtr_app_triangles (&triangles, TARGET, VK_SAMPLE_COUNT_1_BIT);
  triangles.info.pStages = stages;
  triangles.info.pColorBlendState = &blend_state;
  triangles.info.layout = self->layout;
  triangles.info.renderPass = self->pass;
  vtr_app_check (vkCreateGraphicsPipelines (device, VK_NULL_HANDLE, 1, &triangles.info, NULL,
                                            &self->pipeline),
                 "vkCreateGraphicsPipelines");
  vkDestroyShaderModule (device, stages[0].module, NULL);
  vkDestroyShaderModule (device, stages[1].module, NULL);
}

/* The timed loop; callgrind counts inside it, by its name. */
static __attribute__ ((noinline)) void
record_draws (const Load      *self,
              VkCommandBuffer  commands,
              uint32_t         first,
              uint32_t         n_draws,
              double          *cpu_ns,
              double          *wall_ns)
{
  float scale = self->visible ? 0.25f : 0.0f;
  VkRect2D scissor = { { 0, 0 }, { TARGET, TARGET } };
  Push push = { .place = { 0, 0, scale, scale }, .color = { 1, 1, 1, 1 } };
  double cpu, wall;

  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  wall = now_ns (CLOCK_MONOTONIC);
  cpu = now_ns (CLOCK_THREAD_CPUTIME_ID);
  for (uint32_t i = first; i < first + n_draws; i++)
    {
      push.place[0] = (float)(i % 17) / 8.5f - 1.0f;
      push.place[1] = (float)(i % 13) / 6.5f - 1.0f;
      push.color[0] = (float)((i * 37 + self->frame) % 256) / 255.0f;
      scissor.offset.x = (int32_t)(i % 4);
      scissor.extent.width = TARGET - i % 4;
      vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                               &self->sets[i % N_SETS], 0, NULL);
      vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof push,
                          &push);
      vkCmdSetScissor (commands, 0, 1, &scissor);
      vkCmdDraw (commands, 3, 1, 0, 0);
    }
  *cpu_ns = now_ns (CLOCK_THREAD_CPUTIME_ID) - cpu;
  *wall_ns = now_ns (CLOCK_MONOTONIC) - wall;
}

static void
record_secondary (Worker          *worker,
                  VkCommandBuffer  commands,
                  uint32_t         first,
                  uint32_t         n_draws)
{
  Load *self = worker->load;
  VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
  };
  VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT |
             VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };

  double cpu, wall;

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
  record_draws (self, commands, first, n_draws, &cpu, &wall);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

static void
record_secondaries (Worker *worker)
{
  uint32_t n = worker->load->n_secondaries;
  double wall = now_ns (CLOCK_MONOTONIC);
  double cpu = now_ns (CLOCK_THREAD_CPUTIME_ID);

  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t from = (uint32_t)((uint64_t)worker->n_draws * i / n);
      uint32_t to = (uint32_t)((uint64_t)worker->n_draws * (i + 1) / n);

      record_secondary (worker, worker->commands[i], worker->first + from, to - from);
    }
  worker->cpu_ns = now_ns (CLOCK_THREAD_CPUTIME_ID) - cpu;
  worker->wall_ns = now_ns (CLOCK_MONOTONIC) - wall;
}

static void *
worker_main (void *data)
{
  Worker *worker = data;
  Load *self = worker->load;

  for (;;)
    {
      pthread_barrier_wait (&self->start);
      if (self->done)
        return NULL;

      record_secondaries (worker);
      pthread_barrier_wait (&self->end);
    }
}

static void
start_workers (Load *self)
{
  VkCommandPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = self->gpu.family,
  };
  VkCommandBufferAllocateInfo allocate_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    .commandBufferCount = self->n_secondaries,
  };

  pthread_barrier_init (&self->start, NULL, self->n_threads + 1);
  pthread_barrier_init (&self->end, NULL, self->n_threads + 1);
  self->secondaries = calloc ((size_t)self->n_threads * self->n_secondaries + 1,
                              sizeof *self->secondaries);
  if (self->secondaries == NULL)
    vtr_app_fail ("out of memory");
  for (uint32_t i = 0; i < self->n_threads; i++)
    {
      Worker *worker = &self->workers[i];

      worker->load = self;
      worker->first = (uint32_t)((uint64_t)self->n_draws * i / self->n_threads);
      worker->n_draws =
        (uint32_t)((uint64_t)self->n_draws * (i + 1) / self->n_threads) - worker->first;
      vtr_app_check (vkCreateCommandPool (self->gpu.device, &pool_info, NULL, &worker->pool),
                     "vkCreateCommandPool");
      allocate_info.commandPool = worker->pool;
      worker->commands = self->secondaries + (size_t)i * self->n_secondaries;
      vtr_app_check (vkAllocateCommandBuffers (self->gpu.device, &allocate_info, worker->commands),
                     "vkAllocateCommandBuffers");
      if (pthread_create (&worker->thread, NULL, worker_main, worker) != 0)
        vtr_app_fail ("a thread could not be started");
    }
}

static void
stop_workers (Load *self)
{
  self->done = true;
  pthread_barrier_wait (&self->start);
  for (uint32_t i = 0; i < self->n_threads; i++)
    {
      pthread_join (self->workers[i].thread, NULL);
      vkDestroyCommandPool (self->gpu.device, self->workers[i].pool, NULL);
    }
  free (self->secondaries);
}

/* Writes 64 bytes into every page drawn at random until @mapped_kib have been written. */
static void
write_mapped (Load     *self,
              uint64_t *random)
{
  for (uint32_t i = 0; i < self->mapped_kib * 1024u / 64u; i++)
    {
      uint32_t page = vtr_app_random (random) % (MAPPED_SIZE / PAGE);
      uint32_t *words = (uint32_t *)(void *)((char *)self->mapped.mapped + (size_t)page * PAGE);

      for (uint32_t j = 0; j < 16; j++)
        words[j] = vtr_app_random (random);
    }
}

/* Fills pages one after another, going on where the last frame ended. */
static void
write_pages (Load     *self,
             uint64_t *random)
{
  for (uint32_t i = 0; i < self->n_pages; i++)
    {
      uint32_t page = (self->frame * self->n_pages + i) % (MAPPED_SIZE / PAGE);
      uint32_t *words = (uint32_t *)(void *)((char *)self->mapped.mapped + (size_t)page * PAGE);

      for (uint32_t j = 0; j < PAGE / 4; j++)
        words[j] = vtr_app_random (random);
    }
}

/* Calls that are not recorded into a command buffer: one that only asks, one that passes a
 * structure with a pointer in it. Returns: nanoseconds of CPU a call. */
static __attribute__ ((noinline)) double
make_others (Load *self)
{
  VkDescriptorBufferInfo info = { self->uniform.buffer, 0, 16 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .pBufferInfo = &info,
  };
  VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkFence fence;
  double cpu;

  if (self->n_others == 0)
    return 0;
  vtr_app_check (vkCreateFence (self->gpu.device, &fence_info, NULL, &fence), "vkCreateFence");
  cpu = now_ns (CLOCK_THREAD_CPUTIME_ID);
  for (uint32_t i = 0; i < self->n_others; i++)
    {
      write.dstSet = self->sets[i % N_SETS];
      info.offset = i % N_SETS * 256;
      vkUpdateDescriptorSets (self->gpu.device, 1, &write, 0, NULL);
      vkGetFenceStatus (self->gpu.device, fence);
    }
  cpu = now_ns (CLOCK_THREAD_CPUTIME_ID) - cpu;
  vkDestroyFence (self->gpu.device, fence, NULL);

  return cpu / (2.0 * self->n_others);
}

/* Nanoseconds per recorded command: @cpu of the threads' own clocks, @wall of the slowest. */
static void
record_frame (Load   *self,
              double *cpu,
              double *wall)
{
  VkClearValue clear = { .color = { .float32 = { 0, 0, 0, 1 } } };
  VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { TARGET, TARGET } },
    .clearValueCount = 1,
    .pClearValues = &clear,
  };
  double n_calls = (double)self->n_draws * CALLS_PER_DRAW;

  vtr_app_begin (self->primary);
  vkCmdBeginRenderPass (self->primary, &begin,
                        self->n_threads > 0 ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS
                                            : VK_SUBPASS_CONTENTS_INLINE);
  if (self->n_threads > 0)
    {
      pthread_barrier_wait (&self->start);
      pthread_barrier_wait (&self->end);
      *cpu = *wall = 0;
      for (uint32_t i = 0; i < self->n_threads; i++)
        {
          double own = (double)self->workers[i].n_draws * CALLS_PER_DRAW;

          *cpu += self->workers[i].cpu_ns / n_calls;
          if (self->workers[i].wall_ns / own > *wall)
            *wall = self->workers[i].wall_ns / own;
        }
      vkCmdExecuteCommands (self->primary, self->n_threads * self->n_secondaries,
                            self->secondaries);
    }
  else
    {
      record_draws (self, self->primary, 0, self->n_draws, cpu, wall);
      *cpu /= n_calls;
      *wall /= n_calls;
    }
  vkCmdEndRenderPass (self->primary);
}

static int
compare_doubles (const void *a,
                 const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
median (double   values[],
        uint32_t n)
{
  qsort (values, n, sizeof *values, compare_doubles);

  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void
run_frames (Load *self,
            bool  json,
            bool  renderdoc)
{
  double *cpu = calloc (self->n_frames, sizeof *cpu);
  double *wall = calloc (self->n_frames, sizeof *wall);
  double *write = calloc (self->n_frames, sizeof *write);
  double *frame = calloc (self->n_frames, sizeof *frame);
  double *other = calloc (self->n_frames, sizeof *other);
  uint64_t random = 1;

  if (cpu == NULL || wall == NULL || write == NULL || frame == NULL || other == NULL)
    vtr_app_fail ("out of memory");

  for (self->frame = 0; self->frame < self->n_frames; self->frame++)
    {
      double start = now_ns (CLOCK_MONOTONIC);
      bool is_captured = renderdoc && self->frame == self->n_frames / 2;

      if (is_captured)
        vtr_app_renderdoc_begin ();
      write_mapped (self, &random);
      write_pages (self, &random);
      write[self->frame] = (now_ns (CLOCK_MONOTONIC) - start) / 1e6;
      record_frame (self, &cpu[self->frame], &wall[self->frame]);
      vtr_app_run (&self->gpu, self->primary);
      load_live_present (&self->live, &self->gpu);
      if (is_captured && !vtr_app_renderdoc_end ())
        vtr_app_fail ("RenderDoc captured nothing");
      frame[self->frame] = (now_ns (CLOCK_MONOTONIC) - start) / 1e6;
      other[self->frame] = make_others (self);
    }

  if (json)
    printf ("{\"draws\": %u, \"frames\": %u, \"threads\": %u, \"mapped_kib\": %u, "
            "\"commands_per_frame\": %u, \"ns_per_command\": %.2f, \"wall_ns_per_command\": %.2f, "
            "\"write_ms\": %.3f, \"frame_ms\": %.3f, \"other_ns\": %.2f}\n",
            self->n_draws, self->n_frames, self->n_threads, self->mapped_kib,
            self->n_draws * CALLS_PER_DRAW, median (cpu, self->n_frames),
            median (wall, self->n_frames), median (write, self->n_frames),
            median (frame, self->n_frames), median (other, self->n_frames));
  free (cpu);
  free (wall);
  free (write);
  free (frame);
  free (other);
}

static void
write_target (Load       *self,
              const char *path)
{
  VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { TARGET, TARGET, 1 },
  };
  VtrAppBuffer buffer = vtr_app_buffer (&self->gpu, TARGET * TARGET * 4,
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);

  vtr_app_begin (self->primary);
  vtr_app_barrier (self->primary);
  vkCmdCopyImageToBuffer (self->primary, self->target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                          buffer.buffer, 1, &region);
  vtr_app_barrier (self->primary);
  vtr_app_run (&self->gpu, self->primary);
  vtr_app_write_file (path, buffer.mapped, buffer.size);
  vtr_app_buffer_finish (&self->gpu, &buffer);
}

static void
load_finish (Load *self)
{
  VkDevice device = self->gpu.device;

  load_live_finish (&self->live, &self->gpu);
  load_objects_finish (&self->objects, &self->gpu);
  if (self->mapped_kib + self->n_pages > 0)
    vtr_app_buffer_finish (&self->gpu, &self->mapped);
  vtr_app_buffer_finish (&self->gpu, &self->uniform);
  vkDestroyPipeline (device, self->pipeline, NULL);
  vkDestroyPipelineLayout (device, self->layout, NULL);
  vkDestroyDescriptorPool (device, self->descriptors, NULL);
  vkDestroyDescriptorSetLayout (device, self->set_layout, NULL);
  vkDestroyFramebuffer (device, self->framebuffer, NULL);
  vkDestroyRenderPass (device, self->pass, NULL);
  vtr_app_image_finish (&self->gpu, &self->target);
  vtr_app_gpu_finish (&self->gpu);
}

int
main (int    argc,
      char **argv)
{
  static Load self = { .n_draws = 2500, .n_frames = 60, .n_secondaries = 1 };
  const char *report = "";
  const char *output = NULL;
  const char *renderdoc = NULL;
  LoadLiveWish wish = { 0 };
  LoadObjectsWish objects = { 0 };
  const VkPhysicalDeviceVulkan12Features addresses = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .bufferDeviceAddress = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = (void *)&addresses,
  };
  bool window = false, leave = false;
  const VtrAppOption options[] = {
    { "--draws", &self.n_draws, NULL, NULL, "draws a frame, of 4 calls each (2500)" },
    { "--frames", &self.n_frames, NULL, NULL, "frames, each its own submit (60)" },
    { "--threads", &self.n_threads, NULL, NULL, "threads that record secondaries (0: none)" },
    { "--secondaries", &self.n_secondaries, NULL, NULL, "that each thread records a frame (1)" },
    { "--mapped", &self.mapped_kib, NULL, NULL, "KiB written a frame, 64 bytes a page (0)" },
    { "--pages", &self.n_pages, NULL, NULL, "mapped pages filled whole a frame (0)" },
    { "--others", &self.n_others, NULL, NULL, "pairs of other calls a frame (0)" },
    { "--buffers", &wish.buffers_mib, NULL, NULL, "MiB of buffers that merely live (0)" },
    { "--images", &wish.images_mib, NULL, NULL, "MiB of images that merely live (0)" },
    { "--piece", &wish.piece_kib, NULL, NULL, "KiB of each of them (16384)" },
    { "--use", NULL, &wish.use, NULL, "storage, address, mapped; of images: target, storage" },
    { "--together", NULL, NULL, &wish.together, "all of a kind lie in one allocation" },
    { "--views", &objects.n_views, NULL, NULL, "image views that merely live (0)" },
    { "--samplers", &objects.n_samplers, NULL, NULL, "unused samplers (0)" },
    { "--sets", &objects.n_sets, NULL, NULL, "unused sets of 256 descriptors (0)" },
    { "--pipelines", &objects.n_pipelines, NULL, NULL, "unused pipelines, with modules (0)" },
    { "--recorded", &objects.n_recorded, NULL, NULL, "unused recorded command buffers (0)" },
    { "--window", NULL, NULL, &window, "present every frame" },
    { "--leave", NULL, NULL, &leave, "exit right after the last frame, with all alive" },
    { "--visible", NULL, NULL, &self.visible, "draw triangles that have an area" },
    { "--renderdoc", NULL, &renderdoc, NULL, "path of the middle frame's capture by RenderDoc" },
    { "--report", NULL, &report, NULL, "\"json\": print the costs" },
    { "--output", NULL, &output, NULL, "file to write the last image's texels to" },
    { 0 },
  };

  /* lavapipe gives memory back and faults it in again every frame; a layer's own allocations at the
   * end of the heap would stop that and make it look faster than no layer. */
  mallopt (M_TRIM_THRESHOLD, 1 << 30);
  mallopt (M_MMAP_THRESHOLD, 1 << 30);
  mallopt (M_TOP_PAD, 64 << 20);

  vtr_app_options (argc, argv, options);
  if (self.n_draws == 0 || self.n_frames == 0 || self.n_threads > MAX_THREADS ||
      self.n_threads > self.n_draws || self.n_secondaries == 0)
    vtr_app_fail ("there must be draws, frames, secondaries and at most %u threads", MAX_THREADS);

  vtr_app_gpu_init (&self.gpu, load_live_needs_addresses (&wish) ? &features : NULL, window);
  if (renderdoc != NULL && !vtr_app_renderdoc_init (renderdoc))
    vtr_app_fail ("RenderDoc is not in this program: set ENABLE_VULKAN_RENDERDOC_CAPTURE=1");
  create_target (&self);
  create_sets (&self);
  create_pipeline (&self);
  if (self.mapped_kib + self.n_pages > 0)
    self.mapped = vtr_app_buffer (&self.gpu, MAPPED_SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  self.primary = vtr_app_commands (&self.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  load_live_init (&self.live, &self.gpu, window, &wish);
  load_objects_init (&self.objects, &self.gpu, &objects);
  start_workers (&self);
  run_frames (&self, strcmp (report, "json") == 0, renderdoc != NULL);
  if (leave)
    exit (0);
  if (output != NULL)
    write_target (&self, output);
  stop_workers (&self);
  load_finish (&self);

  return 0;
}
