/* vtr-app-demo-generated: commands that the device generates (VK_EXT_device_generated_commands):
 * draws by sets of pipelines and of shader objects, with vertex buffers, indices and constants from
 * memory; dispatches that are preprocessed a frame before they run.
 *
 * Sequences are 68 bytes long, so that every second address in them is not aligned to 8.
 *
 * --counts: draws, indexed draws and mesh draws whose number and place are in memory, too, instead.
 */
#include "demo-generated.h"

#include <stdio.h>
#include <string.h>

#define MAX_DRAWS 2u /* of a sequence that counts them */

#ifdef VK_EXT_device_generated_commands

/* ---- Memory ---- */

static bool is_counting; /* --counts */

VkDeviceAddress
demo_generated_address (Generated          *self,
                        const VtrAppBuffer *buffer)
{
  return vtr_app_address (&self->demo.scene.gpu, buffer->buffer);
}

/* Where an execution keeps what the driver makes of its sequences. */
static uint32_t
scratch_of (const Generated *self,
            uint32_t         kind,
            uint32_t         frame)
{
  (void)self;
  return kind == DISPATCHES && frame % 2 != 0 ? N_KINDS : kind;
}

static void
make_scratch (Generated *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkBufferUsageFlags2CreateInfoKHR usage = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
    .usage = VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT |
             VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR,
  };
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .pNext = &usage,
  };
  const VkMemoryAllocateFlagsInfo addresses = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkMemoryRequirements needs;

  for (uint32_t kind = self->first_kind; kind < self->end_kind; kind++)
    {
      const VkGeneratedCommandsPipelineInfoEXT pipeline = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
        .pipeline = demo_generated_pipeline (self, kind),
      };
      const VkGeneratedCommandsMemoryRequirementsInfoEXT wish = {
        .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
        .pNext = kind >= INDEXED_DRAWS ? &pipeline : NULL,
        .indirectExecutionSet = kind < INDEXED_DRAWS ? self->sets[kind] : VK_NULL_HANDLE,
        .indirectCommandsLayout = self->layouts[kind],
        .maxSequenceCount = N_SEQUENCES,
        .maxDrawCount = MAX_DRAWS,
      };
      VkMemoryRequirements2 size = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };

      self->get_size (gpu->device, &wish, &size);
      if (self->scratch_size < size.memoryRequirements.size)
        self->scratch_size = size.memoryRequirements.size;
    }
  self->scratch_size = (self->scratch_size + 4095) / 4096 * 4096;
  info.size = (N_KINDS + 1) * self->scratch_size;
  vtr_app_check (vkCreateBuffer (gpu->device, &info, NULL, &self->scratch), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, self->scratch, &needs);
  self->scratch_memory =
    vtr_app_allocate_with (gpu, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &addresses);
  vtr_app_check (vkBindBufferMemory (gpu->device, self->scratch, self->scratch_memory, 0),
                 "vkBindBufferMemory");
  self->scratch_address = vtr_app_address (gpu, self->scratch);
}

VtrAppBuffer
demo_generated_buffer (Generated          *self,
                       VkDeviceSize        size,
                       VkBufferUsageFlags  usage)
{
  return vtr_app_buffer (&self->demo.scene.gpu, size,
                         usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

static void
make_buffers (Generated *self)
{
  static const Vertex vertices[] = {
    { { -0.9f, -0.9f }, { 255, 0, 64, 255 } },
    { { 0.4f, -0.8f }, { 0, 255, 0, 128 } },
    { { -0.7f, 0.5f }, { 64, 32, 255, 255 } },
    { { 0.8f, 0.7f }, { 255, 255, 0, 64 } },
    { { -0.1f, 0.9f }, { 0, 128, 255, 200 } },
    { { 0.9f, -0.3f }, { 90, 0, 90, 255 } },
    { { -0.9f, 0.1f }, { 255, 128, 0, 255 } },
  };
  static const uint16_t indices[] = { 0, 1, 3, 4, 2, 5, 6, 1, 4 };

  self->sequences = demo_generated_buffer (self, 4096, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  self->vertices = demo_generated_buffer (self, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  self->indices = demo_generated_buffer (self, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  memcpy (self->vertices.mapped, vertices, sizeof vertices);
  memcpy (self->indices.mapped, indices, sizeof indices);
}

/* ---- Sequences ---- */

static uint8_t *
sequence (Generated *self,
          uint32_t   offset)
{
  return (uint8_t *)self->sequences.mapped + offset;
}

static void
write_draws (Generated *self)
{
  const uint32_t frame = self->demo.frame, n = 1 + frame % N_SEQUENCES;
  const VkDeviceAddress vertices = demo_generated_address (self, &self->vertices);

  for (uint32_t i = 0; i < N_SEQUENCES; i++)
    {
      const uint32_t first = (i + frame) % 4;
      const VkBindVertexBufferIndirectCommandEXT source = {
        vertices + first * sizeof (Vertex), (uint32_t)(7 - first) * sizeof (Vertex),
        sizeof (Vertex)
      };
      const Draw draw = { .program = i % 2,
                          .push = { 1, 0.75f, 0.5f, 1, 0.25f * (float)i, -0.5f, 0.5f },
                          .vertices = source,
                          .draw = { 3, 1, i % 2, i } };
      const ObjectDraw object = { .programs = { 0, 1 + i },
                                  .push = { 0.5f, 1, 0.75f, 1, -0.5f, 0.25f * (float)i, 0.5f },
                                  .vertices = source,
                                  .draw = { 3, 1, 0, i } };
      const IndexedDraw indexed = {
        .indices = { demo_generated_address (self, &self->indices) + 2 * i, 18 - 2 * i,
                     VK_INDEX_TYPE_UINT16 },
        .draw = { 3, 1, 3 * (frame % 2), 0, 0 },
      };

      memcpy (sequence (self, (uint32_t)(i * sizeof draw)), &draw, sizeof draw);
      memcpy (sequence (self, OBJECTS + (uint32_t)(i * sizeof object)), &object, sizeof object);
      memcpy (sequence (self, INDEXED + (uint32_t)(i * sizeof indexed)), &indexed,
              sizeof indexed);
    }
  memcpy (sequence (self, COUNT), &n, sizeof n);
}

uint32_t
demo_generated_offset (uint32_t kind,
                       uint32_t frame)
{
  switch (kind)
    {
    case DISPATCHES:
      return COMPUTE + frame % 2 * 512;
    case OBJECT_DRAWS:
      return OBJECTS;
    case INDEXED_DRAWS:
      return INDEXED;
    default:
      return kind >= COUNTED_DRAWS ? (kind - COUNTED_DRAWS) * 512 : 0;
    }
}

static void
write_dispatches (Generated *self,
                  uint32_t   frame)
{
  const uint32_t offset = demo_generated_offset (DISPATCHES, frame);

  for (uint32_t i = 0; i < 2; i++)
    {
      const Dispatch dispatch = { 5 * ((i + frame) % 2), 128 * i, { 1, 1, 1 } };

      memcpy (sequence (self, offset + (uint32_t)(i * sizeof dispatch)), &dispatch,
              sizeof dispatch);
    }
}

static VkGeneratedCommandsInfoEXT
describe (Generated *self,
          uint32_t   kind,
          uint32_t   frame)
{
  const VkDeviceAddress sequences = demo_generated_address (self, &self->sequences);

  return (VkGeneratedCommandsInfoEXT){
    .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
    .shaderStages = demo_generated_stages (kind),
    .indirectExecutionSet = kind < INDEXED_DRAWS ? self->sets[kind] : VK_NULL_HANDLE,
    .indirectCommandsLayout = self->layouts[kind],
    .indirectAddress = sequences + demo_generated_offset (kind, frame),
    .indirectAddressSize = 512,
    .preprocessAddress =
      self->scratch_address + scratch_of (self, kind, frame) * self->scratch_size,
    .preprocessSize = self->scratch_size,
    .maxSequenceCount = kind == DISPATCHES ? 2 : N_SEQUENCES,
    .sequenceCountAddress = kind == DRAWS ? sequences + COUNT : 0,
    .maxDrawCount = MAX_DRAWS,
  };
}

static void
bind_compute (Generated *self)
{
  const VkCommandBuffer commands = self->demo.commands;

  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->compute[0]);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->numbers.layout, 0, 1,
                           &self->numbers.set, 0, NULL);
}

/* The dispatches of @frame, for a later submission. */
static void
prepare_dispatches (Generated *self,
                    uint32_t   frame)
{
  const VkGeneratedCommandsInfoEXT info = describe (self, DISPATCHES, frame);

  write_dispatches (self, frame);
  bind_compute (self);
  self->preprocess (self->demo.commands, &info, self->demo.commands);
  vtr_app_barrier (self->demo.commands);
}

void
demo_generated_execute (Generated *self,
                        uint32_t   kind)
{
  const VkGeneratedCommandsInfoEXT info = describe (self, kind, self->demo.frame);
  const VkGeneratedCommandsPipelineInfoEXT pipeline = {
    .sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
    .pipeline = demo_generated_pipeline (self, kind),
  };
  VkGeneratedCommandsInfoEXT with = info;

  if (kind >= INDEXED_DRAWS)
    with.pNext = &pipeline;
  if (!self->demo.scene.stopped)
    self->execute (self->demo.commands, kind == DISPATCHES, &with);
}

static void
bind_objects (Generated *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const VkVertexInputBindingDescription2EXT vertex = {
    VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, NULL, 0, sizeof (Vertex),
    VK_VERTEX_INPUT_RATE_VERTEX, 1
  };
  VkVertexInputAttributeDescription2EXT inputs[2];

  for (uint32_t i = 0; i < 2; i++)
    {
      const VkVertexInputAttributeDescription *attribute = &demo_generated_attributes[i];

      inputs[i] = (VkVertexInputAttributeDescription2EXT){
        VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, NULL,
        attribute->location, attribute->binding, attribute->format, attribute->offset
      };
    }
  vtr_app_demo_shaders_set_state (&self->objects, commands);
  self->objects.vertex_input (commands, 1, &vertex, 2, inputs);
  vtr_app_demo_shaders_bind (&self->objects, commands, self->shaders);
}

/* ---- The demo ---- */

static void
start (VtrAppDemo *demo)
{
  Generated *self = (Generated *)demo;

  self->create_layout = VTR_APP_NEED (demo, vkCreateIndirectCommandsLayoutEXT);
  self->destroy_layout = VTR_APP_NEED (demo, vkDestroyIndirectCommandsLayoutEXT);
  self->create_set = VTR_APP_NEED (demo, vkCreateIndirectExecutionSetEXT);
  self->destroy_set = VTR_APP_NEED (demo, vkDestroyIndirectExecutionSetEXT);
  self->update_pipelines = VTR_APP_NEED (demo, vkUpdateIndirectExecutionSetPipelineEXT);
  self->update_shaders = VTR_APP_NEED (demo, vkUpdateIndirectExecutionSetShaderEXT);
  self->get_size = VTR_APP_NEED (demo, vkGetGeneratedCommandsMemoryRequirementsEXT);
  self->preprocess = VTR_APP_NEED (demo, vkCmdPreprocessGeneratedCommandsEXT);
  self->execute = VTR_APP_NEED (demo, vkCmdExecuteGeneratedCommandsEXT);
  self->first_kind = is_counting ? COUNTED_DRAWS : 0;
  self->end_kind = is_counting ? N_KINDS : COUNTED_DRAWS;
  if (is_counting)
    {
      demo_generated_make_counted_programs (self);
      make_buffers (self);
      demo_generated_make_counted_buffers (self);
      make_scratch (self);
      return;
    }
  vtr_app_demo_shaders_init (&self->objects, demo);
  demo_generated_make_programs (self);
  make_buffers (self);
  make_scratch (self);
  prepare_dispatches (self, 0);
  vtr_app_demo_flush (demo);
}

static void
draw (VtrAppDemo *demo)
{
  Generated *self = (Generated *)demo;
  const VkWriteIndirectExecutionSetPipelineEXT second = {
    VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT, NULL, 1,
    self->graphics[1 + demo->frame % 2]
  };
  const VkWriteIndirectExecutionSetShaderEXT third = {
    VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, NULL, 2,
    self->shaders[2 - demo->frame % 2]
  };
  const VkDeviceSize zero = 0, stride = sizeof (Vertex);

  if (is_counting)
    {
      demo_generated_draw_counted (self);
      return;
    }
  self->update_pipelines (demo->scene.gpu.device, self->sets[DRAWS], 1, &second);
  self->update_shaders (demo->scene.gpu.device, self->sets[OBJECT_DRAWS], 1, &third);
  write_draws (self);
  bind_compute (self);
  demo_generated_execute (self, DISPATCHES);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
  vtr_app_demo_begin_rendering (demo);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics[0]);
  demo_generated_execute (self, DRAWS);
  if (vtr_app_demo_check (demo))
    {
      const float push[8] = { 1, 1, 0.5f, 1, 0.5f, 0.5f, 0.4f };

      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics[0]);
      vkCmdPushConstants (demo->commands, self->layout, STAGES, 0, sizeof push, push);
      vkCmdBindVertexBuffers2 (demo->commands, 0, 1, &self->vertices.buffer, &zero, NULL, &stride);
      demo_generated_execute (self, INDEXED_DRAWS);
    }
  if (vtr_app_demo_check (demo))
    {
      bind_objects (self);
      demo_generated_execute (self, OBJECT_DRAWS);
      vtr_app_demo_check (demo);
    }
  vtr_app_demo_end_rendering (demo);
  if (!demo->scene.stopped)
    prepare_dispatches (self, demo->frame + 1);
}

static void
finish (VtrAppDemo *demo)
{
  Generated *self = (Generated *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;

  for (uint32_t i = self->first_kind; i < self->end_kind; i++)
    self->destroy_layout (gpu->device, self->layouts[i], NULL);
  for (uint32_t i = 0; i < INDEXED_DRAWS && !is_counting; i++)
    self->destroy_set (gpu->device, self->sets[i], NULL);
  for (uint32_t i = 0; i < 3 && !is_counting; i++)
    self->objects.destroy (gpu->device, self->shaders[i], NULL);
  vkDestroyBuffer (gpu->device, self->scratch, NULL);
  vkFreeMemory (gpu->device, self->scratch_memory, NULL);
  vtr_app_buffer_finish (gpu, &self->sequences);
  vtr_app_buffer_finish (gpu, &self->vertices);
  vtr_app_buffer_finish (gpu, &self->indices);
  if (is_counting)
    vtr_app_buffer_finish (gpu, &self->counted);
}

/* Before options are read: whether extensions are there is asked first. */
static bool
has_option (int          argc,
            char       **argv,
            const char  *name)
{
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], name) == 0)
      return true;
  return false;
}

int
main (int    argc,
      char **argv)
{
  const bool counts = has_option (argc, argv, "--counts");
  const char *const extensions[] = { VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
                                     VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                     counts ? VK_EXT_MESH_SHADER_EXTENSION_NAME
                                            : VK_EXT_SHADER_OBJECT_EXTENSION_NAME,
                                     NULL };
  static const VtrAppOption options[] = {
    { "--counts", NULL, NULL, &is_counting, "Draws and mesh draws that are counted in memory" },
    { 0 },
  };
  static const VkPhysicalDeviceMeshShaderFeaturesEXT meshes = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
    .taskShader = VK_TRUE,
    .meshShader = VK_TRUE,
  };
  static const VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT,
    .deviceGeneratedCommands = VK_TRUE,
  };
  static const VkPhysicalDeviceMaintenance5FeaturesKHR maintenance = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
    .maintenance5 = VK_TRUE,
  };
  static const VkPhysicalDeviceShaderObjectFeaturesEXT objects = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
    .shaderObject = VK_TRUE,
  };
  Generated self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "commands that the device generates",
                                              .options = options,
                                              .extensions = extensions,
                                              .features = { .multiDrawIndirect = VK_TRUE },
                                              .features12 = { .bufferDeviceAddress = VK_TRUE,
                                                              .drawIndirectCount = counts },
                                              .features13 = { .maintenance4 = counts },
                                              .more = { { &generated, sizeof generated },
                                                        { &maintenance, sizeof maintenance },
                                                        { counts ? (const void *)&meshes
                                                                 : &objects,
                                                          counts ? sizeof meshes
                                                                 : sizeof objects } },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know "
        "VK_EXT_device_generated_commands.");
  return VTR_APP_SKIPPED;
}

#endif
