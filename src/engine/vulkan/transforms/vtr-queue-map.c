/* Maps the queue families and queues of a captured device to those of the device that replays. */
#include "engine/vulkan/transforms/vtr-queue-map.h"

/* Sparse binding is declined, and protected memory is hidden at capture. */
#define WORK_FLAGS (~(VkQueueFlags)(VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT))

static VkQueueFlags
work_of (const VkQueueFamilyProperties *family)
{
  VkQueueFlags flags = family->queueFlags & WORK_FLAGS;

  /* Drawing and computing queues copy without saying so. */
  if ((flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0)
    flags |= VK_QUEUE_TRANSFER_BIT;
  return flags;
}

/* How well a family of the target can do the work of a captured one; 0: not at all. @free: its
 * queues that are not used yet. */
static guint
family_score (const VkQueueFamilyProperties *captured,
              const VkQueueFamilyProperties *target,
              guint32                        wanted,
              guint32                        n_free)
{
  VkQueueFlags work = work_of (captured);
  VkQueueFlags can = work_of (target);
  guint score = 100;

  if ((can & work) != work || target->queueCount == 0)
    return 0;
  if (n_free >= wanted)
    score += 100;
  else if (n_free > 0)
    score += 50;
  if (captured->timestampValidBits == 0 || target->timestampValidBits > 0)
    score += 20;
  return score - (guint)__builtin_popcount (can & ~work);
}

VtrQueueMap *
vtr_queue_map_new (const VkQueueFamilyProperties *captured,
                   guint                          n_captured,
                   const guint32                 *used,
                   const VkQueueFamilyProperties *target,
                   guint                          n_target)
{
  VtrQueueMap *self = g_new0 (VtrQueueMap, 1);
  g_autofree guint32 *taken = g_new0 (guint32, n_target + 1);

  self->n_captured = n_captured;
  self->n_target = n_target;
  self->family = g_new0 (guint32, n_captured + 1);
  self->first = g_new0 (guint32, n_captured + 1);
  self->n_queues = g_new0 (guint32, n_target + 1);
  for (guint i = 0; i < n_target; i++)
    self->n_queues[i] = target[i].queueCount;
  for (guint i = 0; i < n_captured; i++)
    {
      guint32 wanted = MIN (used[i], captured[i].queueCount);
      guint best = 0;

      self->family[i] = G_MAXUINT32;
      for (guint j = 0; j < n_target; j++)
        {
          guint32 n_free = target[j].queueCount - MIN (taken[j], target[j].queueCount);
          guint score = family_score (&captured[i], &target[j], MAX (wanted, 1), n_free);

          /* The family with the same index is most likely the same. */
          score += score > 0 && i == j;
          if (score <= best)
            continue;
          best = score;
          self->family[i] = j;
        }
      if (best == 0)
        continue;
      self->first[i] = taken[self->family[i]];
      taken[self->family[i]] += wanted;
      self->folded |= taken[self->family[i]] > target[self->family[i]].queueCount;
    }
  return self;
}

void
vtr_queue_map_free (VtrQueueMap *self)
{
  if (self == NULL)
    return;
  g_free (self->family);
  g_free (self->first);
  g_free (self->n_queues);
  g_free (self);
}

guint32
vtr_queue_map_family (const VtrQueueMap *self,
                      guint32            family)
{
  if (family >= self->n_captured)
    return family;
  return self->family[family];
}

guint32
vtr_queue_map_index (const VtrQueueMap *self,
                     guint32            family,
                     guint32            index)
{
  guint32 to = vtr_queue_map_family (self, family);

  if (family >= self->n_captured || to >= self->n_target || self->n_queues[to] == 0)
    return index;
  return (self->first[family] + index) % self->n_queues[to];
}
