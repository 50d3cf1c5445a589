/* Translates commands for another device than the captured one: queue families and queues,
 * transfers of ownership between families that have become one, addresses of the captured driver.
 * Memory is the replayer's business (replayer/vulkan/vtr-scatter.h). */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/replay-builder/vtr-address-patcher.h"
#include "engine/vulkan/transforms/vtr-queue-map.h"
#include "vtr-api-args.h"

#define MAX_FAMILIES 64u

#define KEY(handle) ((gpointer)(gsize)(handle))

/* Where a structure says families; -1: it does not. */
typedef struct
{
  gint32 family;      /* queueFamilyIndex */
  gint32 source;      /* srcQueueFamilyIndex */
  gint32 destination; /* dstQueueFamilyIndex */
  gint32 list;        /* pQueueFamilyIndices */
  gint32 count;       /* queueFamilyIndexCount */
  gint32 sharing;     /* sharingMode, imageSharingMode */
  gint32 old_layout;
  gint32 new_layout;
  gboolean any;
} FamilyPlaces;

typedef struct
{
  VtrTransform parent;
  VtrReplayPlan *plan;
  VtrApiEnv env;
  GHashTable *maps;     /* VkDevice → VtrQueueMap; none: replays where it was captured */
  GHashTable *pools;    /* VkCommandPool → VkDevice */
  GHashTable *families; /* VkCommandPool → captured family */
  GHashTable *commands; /* VkCommandBuffer → VkCommandPool */
  /* of the command being visited */
  const VtrQueueMap *map;
  guint32 family; /* captured, of its command buffer; VK_QUEUE_FAMILY_IGNORED: none */
} TransformElsewhere;

/* --- Places ---------------------------------------------------------------------------------- */

static gint32
member_offset (VtrStructId  id,
               const char  *name)
{
  int member = vtr_struct_find_member (id, name);

  if (member < 0)
    return -1;
  return (gint32)vtr_api_fields[vtr_struct_get (id)->first_field + member].offset[VTR_ABI_NATIVE];
}

static const FamilyPlaces *
family_places (void)
{
  static FamilyPlaces *places;

  if (g_once_init_enter (&places))
    {
      FamilyPlaces *made = g_new0 (FamilyPlaces, VTR_VULKAN_N_STRUCTS);

      for (guint i = 0; i < VTR_VULKAN_N_STRUCTS; i++)
        {
          VtrStructId id = (VtrStructId)i;
          FamilyPlaces *at = &made[i];

          at->family = member_offset (id, "queueFamilyIndex");
          at->source = member_offset (id, "srcQueueFamilyIndex");
          at->destination = member_offset (id, "dstQueueFamilyIndex");
          at->list = member_offset (id, "pQueueFamilyIndices");
          at->count = member_offset (id, "queueFamilyIndexCount");
          at->sharing = member_offset (id, "sharingMode");
          if (at->sharing < 0)
            at->sharing = member_offset (id, "imageSharingMode");
          at->old_layout = member_offset (id, "oldLayout");
          at->new_layout = member_offset (id, "newLayout");
          at->any = at->family >= 0 || at->source >= 0 || at->list >= 0;
        }
      g_once_init_leave (&places, made);
    }
  return places;
}

static guint32 *
number_at (gpointer base,
           gint32   offset)
{
  return (guint32 *)(gpointer)((guint8 *)base + offset);
}

/* --- Structures ------------------------------------------------------------------------------ */

/* There is no transfer between families that are mapped to one. Both halves become barriers, and
 * only the first one changes the layout. */
static void
fold_transfer (const TransformElsewhere *self,
               const FamilyPlaces       *at,
               gpointer                  base)
{
  guint32 *source = number_at (base, at->source);
  guint32 *destination = number_at (base, at->destination);
  gboolean acquires = *destination == self->family && *source != self->family;

  if (acquires && at->old_layout >= 0 &&
      *number_at (base, at->old_layout) != VK_IMAGE_LAYOUT_UNDEFINED)
    *number_at (base, at->old_layout) = *number_at (base, at->new_layout);
  *source = VK_QUEUE_FAMILY_IGNORED;
  *destination = VK_QUEUE_FAMILY_IGNORED;
}

static gboolean
is_outside (guint32 family)
{
  return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

static void
map_transfer (const TransformElsewhere *self,
              const FamilyPlaces       *at,
              gpointer                  base)
{
  guint32 *source = number_at (base, at->source);
  guint32 *destination = number_at (base, at->destination);
  guint32 from = vtr_queue_map_family (self->map, *source);
  guint32 to = vtr_queue_map_family (self->map, *destination);

  if (*source == *destination)
    {
      *source = *destination = VK_QUEUE_FAMILY_IGNORED;
      return;
    }
  if (from == to || is_outside (from) || is_outside (to))
    {
      fold_transfer (self, at, base);
      return;
    }
  *source = from;
  *destination = to;
}

/* Families that share a resource, each once; one alone owns it. */
static void
map_list (const TransformElsewhere *self,
          const FamilyPlaces       *at,
          gpointer                  base)
{
  guint32 *list = *(guint32 **)(gpointer)((guint8 *)base + at->list);
  guint32 *count = number_at (base, at->count);
  guint32 n = 0;

  if (at->sharing >= 0 && *number_at (base, at->sharing) != VK_SHARING_MODE_CONCURRENT)
    {
      *count = 0;
      return;
    }
  for (guint32 i = 0; list != NULL && i < *count; i++)
    {
      guint32 family = vtr_queue_map_family (self->map, list[i]);
      gboolean known = FALSE;

      if (family == G_MAXUINT32)
        continue;
      for (guint32 j = 0; j < n; j++)
        known = known || list[j] == family;
      if (!known)
        list[n++] = family;
    }
  *count = n;
  if (n < 2 && at->sharing >= 0)
    {
      *number_at (base, at->sharing) = VK_SHARING_MODE_EXCLUSIVE;
      *count = 0;
    }
}

static void
map_struct (void                 *data,
            const VtrVisitStruct *structure)
{
  const TransformElsewhere *self = data;
  const FamilyPlaces *at;

  if (structure->id == VTR_STRUCT_NONE || structure->out)
    return;
  at = &family_places ()[structure->id];
  if (!at->any)
    return;
  if (at->family >= 0)
    {
      guint32 *family = number_at (structure->base, at->family);

      *family = vtr_queue_map_family (self->map, *family);
    }
  if (at->source >= 0 && at->destination >= 0)
    map_transfer (self, at, structure->base);
  if (at->list >= 0 && at->count >= 0)
    map_list (self, at, structure->base);
}

/* --- Devices and queues ---------------------------------------------------------------------- */

/* The trace does not say what its families could do: each may have been used for anything. */
static VkQueueFamilyProperties *
guess_families (const VkDeviceCreateInfo *info,
                guint                    *n)
{
  VkQueueFamilyProperties *families;

  *n = 0;
  for (guint32 i = 0; info->pQueueCreateInfos != NULL && i < info->queueCreateInfoCount; i++)
    *n = MAX (*n, MIN (info->pQueueCreateInfos[i].queueFamilyIndex, MAX_FAMILIES - 1) + 1);
  families = g_new0 (VkQueueFamilyProperties, *n + 1);
  for (guint i = 0; i < *n; i++)
    families[i] = (VkQueueFamilyProperties){
      .queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT,
      .queueCount = MAX_FAMILIES,
    };
  return families;
}

static VtrQueueMap *
map_device (const VkDeviceCreateInfo *info,
            const VtrTraceDevice     *captured,
            const VtrVulkanDevice    *target)
{
  guint n = captured->n_queue_families;
  const VkQueueFamilyProperties *families = captured->queue_families;
  g_autofree VkQueueFamilyProperties *guessed = NULL;
  g_autofree guint32 *used = NULL;

  if (n == 0)
    families = guessed = guess_families (info, &n);
  used = g_new0 (guint32, n + 1);
  for (guint32 i = 0; info->pQueueCreateInfos != NULL && i < info->queueCreateInfoCount; i++)
    if (info->pQueueCreateInfos[i].queueFamilyIndex < n)
      used[info->pQueueCreateInfos[i].queueFamilyIndex] += info->pQueueCreateInfos[i].queueCount;
  return vtr_queue_map_new (families, n, used, target->families, target->n_families);
}

/* The queues to create: each family once, with as many queues as are used. */
static VkDeviceQueueCreateInfo *
make_queues (const VkDeviceCreateInfo  *info,
             const VtrQueueMap         *map,
             guint32                   *n,
             float                    **priorities)
{
  VkDeviceQueueCreateInfo *queues = g_new0 (VkDeviceQueueCreateInfo, map->n_target + 1);
  guint32 n_all = 0;

  *n = 0;
  for (guint32 i = 0; i < map->n_target; i++)
    n_all = MAX (n_all, map->n_queues[i]);
  *priorities = g_new (float, n_all + 1);
  for (guint32 i = 0; i <= n_all; i++)
    (*priorities)[i] = 1;
  for (guint32 family = 0; family < map->n_target; family++)
    {
      guint32 n_queues = 0;

      for (guint32 i = 0; i < info->queueCreateInfoCount; i++)
        {
          const VkDeviceQueueCreateInfo *wanted = &info->pQueueCreateInfos[i];

          if (vtr_queue_map_family (map, wanted->queueFamilyIndex) == family)
            n_queues = MAX (n_queues, map->first[wanted->queueFamilyIndex] + wanted->queueCount);
        }
      if (n_queues > 0)
        queues[(*n)++] = (VkDeviceQueueCreateInfo){
          .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
          .queueFamilyIndex = family,
          .queueCount = MIN (n_queues, map->n_queues[family]),
          .pQueuePriorities = *priorities,
        };
    }
  return queues;
}

static gboolean
create_device (TransformElsewhere  *self,
               VtrCommand          *command,
               GError             **error)
{
  VtrArgs_vkCreateDevice *args = command->args;
  g_autofree VkDeviceQueueCreateInfo *queues = NULL;
  g_autofree float *priorities = NULL;
  const VtrTraceDevice *captured;
  const VtrVulkanDevice *target;
  VkDeviceCreateInfo info;
  VtrQueueMap *map;

  if (args->pCreateInfo == NULL || args->pDevice == NULL)
    return vtr_transform_command (self->parent.next, command, error);
  g_hash_table_remove (self->maps, KEY (*args->pDevice));
  if (!vtr_replay_plan_is_elsewhere (self->plan, (guint64)(gsize)*args->pDevice, command->index,
                                     &captured, &target))
    return vtr_transform_command (self->parent.next, command, error);

  info = *args->pCreateInfo;
  map = map_device (&info, captured, target);
  g_hash_table_insert (self->maps, KEY (*args->pDevice), map);
  for (guint32 i = 0; info.pQueueCreateInfos != NULL && i < info.queueCreateInfoCount; i++)
    if (info.pQueueCreateInfos[i].queueFamilyIndex >= map->n_captured ||
        vtr_queue_map_family (map, info.pQueueCreateInfos[i].queueFamilyIndex) == G_MAXUINT32)
      {
        g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                     _ ("%s has no queues for the work of the trace's queue family %u"),
                     target->properties.deviceName,
                     info.pQueueCreateInfos[i].queueFamilyIndex);
        return FALSE;
      }
  queues = make_queues (args->pCreateInfo, map, &info.queueCreateInfoCount, &priorities);
  info.pQueueCreateInfos = queues;
  args->pCreateInfo = &info;
  return vtr_transform_command (self->parent.next, command, error);
}

static void
map_queue (TransformElsewhere *self,
           VtrCommand         *command)
{
  const VtrQueueMap *map = g_hash_table_lookup (self->maps, *(gpointer *)command->args);

  if (map == NULL)
    return;
  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkGetDeviceQueue)
    {
      VtrArgs_vkGetDeviceQueue *args = command->args;

      args->queueIndex = vtr_queue_map_index (map, args->queueFamilyIndex, args->queueIndex);
      args->queueFamilyIndex = vtr_queue_map_family (map, args->queueFamilyIndex);
    }
  else
    {
      VtrArgs_vkGetDeviceQueue2 *args = command->args;
      VkDeviceQueueInfo2 *info = (VkDeviceQueueInfo2 *)(gpointer)args->pQueueInfo;

      if (info == NULL)
        return;
      info->queueIndex = vtr_queue_map_index (map, info->queueFamilyIndex, info->queueIndex);
      info->queueFamilyIndex = vtr_queue_map_family (map, info->queueFamilyIndex);
      info->flags = 0;
    }
}

/* --- Commands -------------------------------------------------------------------------------- */

static void
note_pool (TransformElsewhere                *self,
           const VtrArgs_vkCreateCommandPool *args)
{
  if (args->pCreateInfo == NULL || args->pCommandPool == NULL)
    return;
  g_hash_table_replace (self->pools, KEY (*args->pCommandPool), args->device);
  g_hash_table_replace (self->families, KEY (*args->pCommandPool),
                        GUINT_TO_POINTER (args->pCreateInfo->queueFamilyIndex));
}

static void
note_commands (TransformElsewhere                     *self,
               const VtrArgs_vkAllocateCommandBuffers *args)
{
  const VkCommandBufferAllocateInfo *info = args->pAllocateInfo;

  for (guint32 i = 0; info != NULL && args->pCommandBuffers != NULL &&
                      i < info->commandBufferCount;
       i++)
    g_hash_table_replace (self->commands, args->pCommandBuffers[i], KEY (info->commandPool));
}

/* Sets .map and .family for a command. Returns: whether it is of a device that is mapped. */
static gboolean
look_up (TransformElsewhere *self,
         const VtrCommand   *command)
{
  gpointer first = *(gpointer *)command->args;
  VtrHandleId type = (VtrHandleId)vtr_cmd_get (command->id)->dispatch;
  gpointer device = first;

  self->family = VK_QUEUE_FAMILY_IGNORED;
  if (type == VTR_HANDLE_VkCommandBuffer)
    {
      gpointer pool = g_hash_table_lookup (self->commands, first);

      device = g_hash_table_lookup (self->pools, pool);
      self->family = GPOINTER_TO_UINT (g_hash_table_lookup (self->families, pool));
    }
  else if (type != VTR_HANDLE_VkDevice)
    return FALSE;
  self->map = g_hash_table_lookup (self->maps, device);
  return self->map != NULL;
}

/* Addresses that the captured driver gave mean nothing to another. */
static void
drop_address (const VtrArgs_vkCreateBuffer *args)
{
  if (args->pCreateInfo != NULL)
    vtr_address_forget_in_buffer ((VkBufferCreateInfo *)(gpointer)args->pCreateInfo);
}

/* Whether a command's structures may say families. */
static gboolean
speaks_of_families (VtrCmdId id)
{
  return vtr_cmd_is (id, VTR_CLASS_BARRIER | VTR_CLASS_CREATE) ||
         vtr_cmd_canonical (id) == VTR_CMD_vkCmdSetEvent2 ||
         vtr_cmd_canonical (id) == VTR_CMD_vkCmdWaitEvents ||
         vtr_cmd_canonical (id) == VTR_CMD_vkCmdWaitEvents2;
}

static gboolean
elsewhere_command (VtrTransform  *transform,
                   VtrCommand    *command,
                   GError       **error)
{
  TransformElsewhere *self = (TransformElsewhere *)transform;
  const VtrApiVisitor visitor = { .data = self, .structure = map_struct };
  VtrCmdId id = vtr_cmd_canonical (command->id);

  switch (id)
    {
    case VTR_CMD_vkCreateDevice:
      return create_device (self, command, error);
    case VTR_CMD_vkGetDeviceQueue:
    case VTR_CMD_vkGetDeviceQueue2:
      map_queue (self, command);
      return vtr_transform_command (transform->next, command, error);
    case VTR_CMD_vkCreateCommandPool:
      note_pool (self, command->args);
      break;
    case VTR_CMD_vkAllocateCommandBuffers:
      note_commands (self, command->args);
      break;
    default:
      break;
    }
  if (speaks_of_families (id) && look_up (self, command))
    {
      if (id == VTR_CMD_vkCreateBuffer)
        drop_address (command->args);
      vtr_api_visit (command->id, command->args, &self->env, &visitor);
    }
  return vtr_transform_command (transform->next, command, error);
}

static void
elsewhere_free (VtrTransform *transform)
{
  TransformElsewhere *self = (TransformElsewhere *)transform;

  vtr_replay_plan_unref (self->plan);
  g_hash_table_unref (self->maps);
  g_hash_table_unref (self->pools);
  g_hash_table_unref (self->families);
  g_hash_table_unref (self->commands);
  g_free (self);
}

static const VtrTransformClass elsewhere_class = {
  .name = "elsewhere",
  .command = elsewhere_command,
  .free = elsewhere_free,
};

VtrTransform *
vtr_transform_elsewhere_new (VtrReplayPlan *plan)
{
  TransformElsewhere *self = g_new0 (TransformElsewhere, 1);

  self->parent.klass = &elsewhere_class;
  self->plan = vtr_replay_plan_ref (plan);
  self->env.decoded = true;
  self->maps =
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)vtr_queue_map_free);
  self->pools = g_hash_table_new (NULL, NULL);
  self->families = g_hash_table_new (NULL, NULL);
  self->commands = g_hash_table_new (NULL, NULL);
  return &self->parent;
}

guint32
vtr_transform_elsewhere_get_family (VtrTransform *chain,
                                    guint64       device,
                                    guint32       family)
{
  TransformElsewhere *self = (TransformElsewhere *)vtr_transform_find (chain, &elsewhere_class);
  const VtrQueueMap *map =
    self != NULL ? g_hash_table_lookup (self->maps, (gpointer)(gsize)device) : NULL;

  return map != NULL ? vtr_queue_map_family (map, family) : family;
}
