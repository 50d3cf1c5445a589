/* Tracks which Vulkan objects are alive, and keeps the encoded calls that made them, so that a
 * capture can begin in the middle of a run. */
#include "vtr-layer-live-state.h"

#include "api/vtr-api-program.h"

#include <stdlib.h>
#include <string.h>

/* ---- Records ---- */

/* The objects that a call refers to, and those that it returned. */
typedef struct
{
  VtrLayerWorld *world;
  VtrBuffer parents; /* VtrLayerCreation * */
  VtrBuffer outputs; /* Output */
} Gathered;

typedef struct
{
  uint64_t handle;
  uint32_t type;
} Output;

static uint64_t
load_handle (const VtrVisitHandle *handle)
{
  uint64_t value = 0;

  memcpy (&value, handle->slot, handle->dispatchable ? sizeof (void *) : sizeof value);
  return value;
}

static bool
is_parent_worth_it (VtrHandleId type)
{
  /* Objects to which everything refers live anyway. */
  return type != VTR_HANDLE_VkInstance && type != VTR_HANDLE_VkDevice &&
         type != VTR_HANDLE_VkQueue && type < VTR_VULKAN_N_HANDLES;
}

static void
gather (void                 *data,
        const VtrVisitHandle *handle)
{
  Gathered *self = data;
  uint64_t value = handle->ignored ? 0 : load_handle (handle);
  VtrLayerObject *object;

  if (value == 0)
    return;
  if (handle->out)
    {
      const Output output = { value, handle->type };

      vtr_buffer_append (&self->outputs, &output, sizeof output);
      return;
    }
  if (!is_parent_worth_it (handle->type))
    return;
  object = vtr_layer_live_find (self->world, handle->type, value);
  if (object != NULL)
    vtr_buffer_append (&self->parents, &object->creation, sizeof object->creation);
}

static void
gather_all (Gathered      *self,
            VtrLayerWorld *world,
            VtrCmdId       cmd,
            const void    *args)
{
  const VtrApiVisitor visitor = { .data = self, .handle = gather };
  const VtrApiEnv *env = world->device != NULL ? &world->device->names.env : &vtr_layer_global_env;

  *self = (Gathered){ .world = world };
  vtr_api_visit (cmd, (void *)args, env, &visitor);
}

/* Takes the buffers' memory. */
static VtrLayerRecord *
make_record (uint16_t       type,
             const uint8_t *message,
             size_t         size,
             uint32_t       flags,
             Gathered      *gathered)
{
  VtrLayerRecord *self = calloc (1, sizeof *self);
  VtrBuffer data = { 0 };

  vtr_buffer_append (&data, message, size);
  if (vtr_cmd_is_vulkan (type))
    {
      vtr_buffer_append_u8 (&data, VTR_COMMAND_FLAGS << 3 | 5);
      vtr_buffer_append_u32 (&data, flags | VTR_COMMAND_FLAG_INITIAL);
    }
  if (self == NULL || data.failed || gathered->parents.failed || gathered->outputs.failed)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      vtr_buffer_finish (&data);
      free (self);
      return NULL;
    }
  self->order = vtr_layer_live_next_order ();
  self->type = type;
  self->data = data.data;
  self->size = (uint32_t)data.size;
  self->parents = (VtrLayerCreation **)(void *)gathered->parents.data;
  self->n_parents = (uint32_t)(gathered->parents.size / sizeof *self->parents);
  gathered->parents = (VtrBuffer){ 0 };
  for (uint32_t i = 0; i < self->n_parents; i++)
    self->parents[i]->n_refs++;
  return self;
}

static void
gathered_finish (Gathered *self)
{
  vtr_buffer_finish (&self->parents);
  vtr_buffer_finish (&self->outputs);
}

VtrLayerRecord *
vtr_layer_record_new (VtrLayerWorld *world,
                      VtrCmdId       cmd,
                      const void    *args,
                      int64_t        result)
{
  VtrLayerThread *thread = vtr_layer_thread_get ();
  VtrLayerRecord *self;
  Gathered gathered;
  size_t start;

  if (thread == NULL)
    return NULL;
  gather_all (&gathered, world, cmd, args);
  start = thread->scratch.size;
  vtr_api_encode (&thread->scratch, cmd, args, (uint64_t)result, thread->id, 0, 0,
                  world->device != NULL ? &world->device->names.env : &vtr_layer_global_env);
  self = thread->scratch.failed ? NULL
                                : make_record (cmd, thread->scratch.data + start,
                                               thread->scratch.size - start, 0, &gathered);
  vtr_layer_thread_forget (thread, start);
  gathered_finish (&gathered);
  return self;
}

/* ---- Objects ---- */

VtrLayerObject *
vtr_layer_live_find (VtrLayerWorld *self,
                     VtrHandleId    type,
                     uint64_t       handle)
{
  VtrLayerObject *object;

  if (self == NULL || handle == 0 || type >= VTR_VULKAN_N_HANDLES)
    return NULL;
  object = vtr_layer_map_get (&self->maps[type], handle);
  return object != NULL ? object : vtr_layer_live_find (self->instance, type, handle);
}

static void
unlink_from_owner (VtrLayerObject *self)
{
  if (self->owner == NULL)
    return;
  if (self->previous_owned != NULL)
    self->previous_owned->next_owned = self->next_owned;
  else
    self->owner->first_owned = self->next_owned;
  if (self->next_owned != NULL)
    self->next_owned->previous_owned = self->previous_owned;
  self->owner = NULL;
}

static void
link_to_owner (VtrLayerObject *self,
               VtrLayerObject *owner)
{
  if (owner == NULL)
    return;
  self->owner = owner;
  self->next_owned = owner->first_owned;
  if (owner->first_owned != NULL)
    owner->first_owned->previous_owned = self;
  owner->first_owned = self;
}

static void
link_to_living (VtrLayerWorld  *world,
                VtrLayerObject *self)
{
  VtrLayerObject **first = &world->living[self->type];

  self->next_living = *first;
  if (*first != NULL)
    (*first)->previous_living = self;
  *first = self;
  world->n_living[self->type]++;
}

static void
unlink_from_living (VtrLayerWorld  *world,
                    VtrLayerObject *self)
{
  if (self->previous_living != NULL)
    self->previous_living->next_living = self->next_living;
  else
    world->living[self->type] = self->next_living;
  if (self->next_living != NULL)
    self->next_living->previous_living = self->previous_living;
  world->n_living[self->type]--;
}

void
vtr_layer_object_end_owned (VtrLayerWorld  *world,
                            VtrLayerObject *self)
{
  while (self->first_owned != NULL)
    vtr_layer_object_die (world, self->first_owned, NULL);
}

/* Whether calls that are recorded into command buffers name objects of this type. */
static bool
may_be_named (VtrHandleId type)
{
  return type != VTR_HANDLE_VkFence && type != VTR_HANDLE_VkSemaphore &&
         type != VTR_HANDLE_VkShaderModule && type != VTR_HANDLE_VkDeviceMemory &&
         type != VTR_HANDLE_VkPipelineCache && type != VTR_HANDLE_VkCommandPool &&
         type != VTR_HANDLE_VkDescriptorPool;
}

/* The map has the youngest of those with this handle. */
static void
take_from_map (VtrLayerMap    *map,
               VtrLayerObject *self)
{
  VtrLayerObject *younger = vtr_layer_map_get (map, self->handle);

  if (younger == self && self->shadowed != NULL)
    vtr_layer_map_set (map, self->handle, self->shadowed);
  else if (younger == self)
    vtr_layer_map_take (map, self->handle);
  else
    {
      while (younger != NULL && younger->shadowed != self)
        younger = younger->shadowed;
      if (younger != NULL)
        younger->shadowed = self->shadowed;
    }
}

void
vtr_layer_object_die (VtrLayerWorld  *world,
                      VtrLayerObject *self,
                      VtrLayerRecord *end)
{
  vtr_layer_object_end_owned (world, self);
  unlink_from_owner (self);
  if (may_be_named (self->type))
    world->last_end = vtr_layer_live_next_order ();
  take_from_map (&world->maps[self->type], self);
  unlink_from_living (world, self);
  self->dead = true;
  self->end = end;
  vtr_layer_creation_unref (self->creation);
}

/* Returns: the object that @cmd takes its handles from, as for vkAllocateDescriptorSets. */
static VtrLayerObject *
find_owner (VtrLayerWorld *world,
            VtrCmdId       cmd,
            const void    *args)
{
  static const VtrHandleId pools[] = { VTR_HANDLE_VkCommandPool, VTR_HANDLE_VkDescriptorPool,
                                       VTR_HANDLE_VkSwapchainKHR };
  const VtrApiLifetime *create = &vtr_cmd_get (cmd)->create;
  VtrProgramResult pool;
  VtrScope scope;

  if (!vtr_cmd_is (cmd, VTR_CLASS_CREATE | VTR_CLASS_RETRIEVE) || create->pool == 0)
    return NULL;
  vtr_scope_init_args (&scope, cmd, args);
  pool = vtr_program_run (create->pool, &scope, NULL, 0);
  for (size_t i = 0; pool.known && i < sizeof pools / sizeof pools[0]; i++)
    if ((VtrHandleId)vtr_handle_get (create->handle)->parent == pools[i] ||
        (create->handle == VTR_HANDLE_VkImage && pools[i] == VTR_HANDLE_VkSwapchainKHR))
      return vtr_layer_live_find (world, pools[i], (uint64_t)pool.value);
  return NULL;
}

static VtrLayerObject *
add_object (VtrLayerWorld    *world,
            VtrLayerCreation *creation,
            const Output     *output,
            VtrLayerObject   *owner)
{
  VtrLayerObject *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->handle = output->handle;
  self->type = (uint16_t)output->type;
  self->shadowed = vtr_layer_map_get (&world->maps[output->type], output->handle);
  if (!vtr_layer_map_set (&world->maps[output->type], output->handle, self))
    {
      free (self);
      return NULL;
    }
  self->creation = creation;
  self->order = creation->record->order;
  self->sibling = creation->objects;
  creation->objects = self;
  creation->n_refs++;
  link_to_owner (self, owner);
  link_to_living (world, self);
  return self;
}

static VtrLayerCreation *
add_creation (VtrLayerWorld  *world,
              VtrLayerRecord *record)
{
  VtrLayerCreation *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->record = record;
  self->world = world;
  self->next = world->first;
  if (world->first != NULL)
    world->first->previous = self;
  world->first = self;
  self->n_refs = 1; /* the caller's */
  return self;
}

/* Objects that exist already (getters return them again) need no second record. The same handle
 * with another owner is another object: a retired swapchain may give up its images, and the next
 * one may get their handles. */
static size_t
drop_known (VtrLayerWorld        *world,
            Gathered             *gathered,
            const VtrLayerObject *owner)
{
  Output *outputs = (Output *)(void *)gathered->outputs.data;
  size_t n = gathered->outputs.size / sizeof *outputs, kept = 0;

  for (size_t i = 0; i < n; i++)
    {
      const VtrLayerObject *known =
        vtr_layer_map_get (&world->maps[outputs[i].type], outputs[i].handle);

      if (known == NULL || (owner != NULL && known->owner != owner))
        outputs[kept++] = outputs[i];
    }
  return kept;
}

/* The record of the call under way. */
static VtrLayerRecord *
record_call (VtrLayerWorld      *world,
             const VtrLayerCall *call,
             const void         *args,
             Gathered           *gathered)
{
  const VtrBuffer *scratch = &call->thread->scratch;
  const VtrArgs_vkCreateSwapchainKHR *swapchain = args;

  /* Each swapchain takes the place of another: none is to keep all that were there before. */
  if (call->cmd == VTR_CMD_vkCreateSwapchainKHR &&
      swapchain->pCreateInfo->oldSwapchain != VK_NULL_HANDLE)
    {
      VtrArgs_vkCreateSwapchainKHR changed = *swapchain;
      VkSwapchainCreateInfoKHR info = *swapchain->pCreateInfo;

      info.oldSwapchain = VK_NULL_HANDLE;
      changed.pCreateInfo = &info;
      return vtr_layer_record_new (world, call->cmd, &changed, VK_SUCCESS);
    }
  if (scratch->failed)
    return NULL;
  return make_record (call->cmd, scratch->data + call->start, scratch->size - call->start,
                      call->flags, gathered);
}

static void
create_objects (VtrLayerWorld      *world,
                const VtrLayerCall *call,
                const void         *args)
{
  VtrLayerCreation *creation = NULL;
  VtrLayerObject *owner = find_owner (world, call->cmd, args);
  const Output *outputs;
  VtrLayerRecord *record;
  Gathered gathered;
  size_t n;

  gather_all (&gathered, world, call->cmd, args);
  n = gathered.outputs.size / sizeof *outputs;
  if (!vtr_cmd_is (call->cmd, VTR_CLASS_CREATE))
    n = drop_known (world, &gathered, owner);
  outputs = (const Output *)(const void *)gathered.outputs.data;
  record = n == 0 ? NULL : record_call (world, call, args, &gathered);
  if (record != NULL)
    creation = add_creation (world, record);
  if (creation == NULL)
    {
      vtr_layer_record_free (record);
      if (n > 0)
        vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      gathered_finish (&gathered);
      return;
    }
  for (size_t i = 0; i < n; i++)
    {
      VtrLayerObject *object = add_object (world, creation, &outputs[i], owner);

      if (object != NULL)
        vtr_layer_live_made (world, object, vtr_cmd_canonical (call->cmd), args, (uint32_t)i);
      else
        vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
    }
  vtr_layer_creation_unref (creation);
  gathered_finish (&gathered);
}

/* ---- The end of objects ---- */

/* Makes the record of a call that creates an array of objects for one of them. */
static VtrLayerRecord *
record_free_of_one (VtrLayerWorld *world,
                    VtrCmdId       cmd,
                    const void    *args,
                    uint64_t       handle)
{
  if (cmd == VTR_CMD_vkFreeCommandBuffers)
    {
      VtrArgs_vkFreeCommandBuffers one = *(const VtrArgs_vkFreeCommandBuffers *)args;
      const VkCommandBuffer buffer = (VkCommandBuffer)(uintptr_t)handle;

      one.commandBufferCount = 1;
      one.pCommandBuffers = &buffer;
      return vtr_layer_record_new (world, cmd, &one, 0);
    }
  if (cmd == VTR_CMD_vkFreeDescriptorSets)
    {
      VtrArgs_vkFreeDescriptorSets one = *(const VtrArgs_vkFreeDescriptorSets *)args;
      VkDescriptorSet set;

      memcpy (&set, &handle, sizeof set);
      one.descriptorSetCount = 1;
      one.pDescriptorSets = &set;
      return vtr_layer_record_new (world, cmd, &one, 0);
    }
  return vtr_layer_record_new (world, cmd, args, 0);
}

/* Whether command buffers that were recorded with an object stay valid without it. */
static bool
is_to_be_buried (VtrHandleId type)
{
  return type == VTR_HANDLE_VkPipelineLayout || type == VTR_HANDLE_VkDescriptorUpdateTemplate;
}

static void
bury (VtrLayerWorld    *world,
      VtrLayerCreation *creation)
{
  VtrLayerCreation **grave = &world->graves[world->n_buried++ % VTR_LAYER_N_GRAVES];

  if (*grave != NULL)
    {
      (*grave)->buried = false;
      vtr_layer_creation_unref (*grave);
    }
  *grave = creation;
  creation->buried = true;
  creation->n_refs++;
}

static void
destroy_one (VtrLayerWorld *world,
             VtrCmdId       cmd,
             const void    *args,
             VtrHandleId    type,
             uint64_t       handle)
{
  VtrLayerObject *object = vtr_layer_live_find (world, type, handle);
  VtrLayerRecord *end = NULL;

  if (object == NULL)
    return;
  world = object->creation->world; /* a device's is its instance's */
  if (is_to_be_buried (type))
    bury (world, object->creation);
  /* Only objects that stay because something needs them or their siblings have to be ended
   * again. */
  if (object->creation->n_refs > 1)
    {
      end = record_free_of_one (world, cmd, args, handle);
      /* The handle in it is the object's own. */
      for (uint32_t i = 0; end != NULL && i < end->n_parents; i++)
        vtr_layer_creation_unref (end->parents[i]);
      if (end != NULL)
        end->n_parents = 0;
    }
  vtr_layer_object_die (world, object, end);
}

static void
destroy_objects (VtrLayerWorld *world,
                 VtrCmdId       cmd,
                 const void    *args)
{
  const VtrApiLifetime *destroy = &vtr_cmd_get (cmd)->destroy;
  const VtrApiField *field = vtr_cmd_param (cmd, destroy->param);
  const uint8_t *slot = (const uint8_t *)args + field->offset[VTR_ABI_NATIVE];
  unsigned size;
  uint64_t count = 1;

  if (destroy->handle >= VTR_VULKAN_N_HANDLES)
    return;
  size = vtr_handle_get (destroy->handle)->dispatchable ? sizeof (void *) : 8;
  if (field->pointers > 0)
    {
      VtrProgramResult n;
      VtrScope scope;

      vtr_scope_init_args (&scope, cmd, args);
      n = vtr_program_run (destroy->count, &scope, NULL, 0);
      count = n.known ? (uint64_t)n.value : 0;
      slot = *(const uint8_t *const *)(const void *)slot;
    }
  for (uint64_t i = 0; slot != NULL && i < count; i++)
    {
      uint64_t handle = 0;

      memcpy (&handle, slot + i * size, size);
      destroy_one (world, cmd, args, destroy->handle, handle);
    }
}

/* ---- Calls ---- */

bool
vtr_layer_live_needs_message (VtrCmdId cmd)
{
  return vtr_cmd_is (cmd, VTR_CLASS_CREATE | VTR_CLASS_RETRIEVE) ||
         cmd == VTR_CMD_vkEnumeratePhysicalDeviceGroups ||
         cmd == VTR_CMD_vkEnumeratePhysicalDeviceGroupsKHR;
}

static VtrLayerWorld *
get_world (const VtrLayerCall *call,
           const void         *args,
           int64_t             result)
{
  const VtrLayerDevice *device = call->names->env.data;
  const void *dispatchable = *(void *const *)args;

  if (device != NULL)
    return device->live;
  if (call->cmd == VTR_CMD_vkCreateInstance)
    dispatchable = result < 0 ? NULL : *((const VtrArgs_vkCreateInstance *)args)->pInstance;
  if (dispatchable == NULL)
    return NULL;
  return vtr_layer_instance (dispatchable) != NULL ? vtr_layer_instance (dispatchable)->live : NULL;
}

/* Calls that name what they made even if they failed. */
static bool
has_made_something (VtrCmdId cmd,
                    int64_t  result)
{
#ifdef VK_EXT_shader_object
  /* The program must destroy objects that were created before one failed. */
  if (vtr_cmd_get (cmd)->create.handle == VTR_HANDLE_VkShaderEXT)
    return true;
#endif
  return result == VK_SUCCESS || result == VK_INCOMPLETE ||
         result == VK_PIPELINE_COMPILE_REQUIRED ||
         (vtr_cmd_get (cmd)->create.handle == VTR_HANDLE_VkPipeline &&
          result != VK_OPERATION_DEFERRED_KHR);
}

bool
vtr_layer_live_follows (VtrCmdId cmd)
{
  return vtr_layer_gives_descriptors (cmd) || vtr_layer_live_needs_message (cmd) ||
         vtr_cmd_is (cmd, VTR_CLASS_DESTROY) || vtr_layer_live_changes (vtr_cmd_canonical (cmd));
}

void
vtr_layer_live_called (const VtrLayerCall *call,
                       const void         *args,
                       uint64_t            returned)
{
  const int64_t result = (int64_t)returned;
  VtrLayerWorld *world = get_world (call, args, result);
  const VtrCmdId cmd = call->cmd;

  if (world != NULL && vtr_layer_gives_descriptors (cmd))
    atomic_store (&world->gives_descriptors, true);
  if (world == NULL || vtr_layer_live_get_failure ()[0] != '\0' ||
      !(vtr_layer_live_needs_message (cmd) || vtr_cmd_is (cmd, VTR_CLASS_DESTROY) ||
        vtr_layer_live_changes (vtr_cmd_canonical (cmd))))
    return;
  if (cmd == VTR_CMD_vkQueueBindSparse)
    vtr_layer_live_prepare_sparse (world, args);
  vtr_layer_live_lock ();
  if (vtr_layer_live_needs_message (cmd))
    {
      if (has_made_something (cmd, result))
        create_objects (world, call, args);
    }
  else if (vtr_cmd_is (cmd, VTR_CLASS_DESTROY))
    destroy_objects (world, cmd, args);
  else
    vtr_layer_live_changed (world, cmd, args, result);
  vtr_layer_live_unlock ();
}

void
vtr_layer_live_add_info (VtrLayerDevice *device,
                         const char     *name,
                         const void     *message,
                         size_t          size)
{
  uint16_t length = (uint16_t)strlen (name);
  VtrLayerRecord *record = NULL;
  VtrBuffer data = { 0 };
  Gathered nothing = { 0 };
  VtrLayerObject *object;

  if (device->live == NULL)
    return;
  vtr_buffer_append (&data, &length, sizeof length);
  vtr_buffer_append (&data, name, length);
  vtr_buffer_append (&data, message, size);
  vtr_layer_live_lock ();
  object = vtr_layer_live_find (device->live, VTR_HANDLE_VkDevice,
                                (uint64_t)(uintptr_t)device->handle);
  if (object != NULL && !data.failed)
    record = make_record (VTR_RECORD_INFO, data.data, data.size, 0, &nothing);
  if (record != NULL)
    vtr_layer_object_set_record (object, VTR_RECORD_INFO, record);
  else
    vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
  vtr_layer_live_unlock ();
  vtr_buffer_finish (&data);
}
