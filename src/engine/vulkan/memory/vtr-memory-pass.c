/* Finds what Vulkan's commands write, in a pass over the trace. */
#include "engine/vulkan/memory/vtr-memory-host-copies.h"
#include "engine/vulkan/memory/vtr-memory-model.h"

#include "api/vtr-api-args.h"
#include "engine/vulkan/memory/vtr-memory-recorder.h"

struct _VtrMemoryPass
{
  VtrTimeline *timeline;
  VtrEffects *effects;
  VtrMemoryObjects *objects;
  VtrMemoryDraft **drafts; /* by recording */
  guint32 n_recordings;
  guint32 recording; /* of the command before; a guess at that of the next */
  gboolean contiguous;
  gboolean draws_store;
  guint64 at; /* flat index */
};

/* --- Devices --------------------------------------------------------------------------------- */

/* Shaders of drawing stages store only with these features. */
static void
note_device (VtrMemoryPass                *self,
             const VtrArgs_vkCreateDevice *args)
{
  const VkPhysicalDeviceFeatures *features;
  const VkPhysicalDeviceFeatures2 *features2;

  if (args->pCreateInfo == NULL)
    return;
  features = args->pCreateInfo->pEnabledFeatures;
  features2 =
    vtr_api_find_next (args->pCreateInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  if (features == NULL && features2 != NULL)
    features = &features2->features;
  if (features != NULL &&
      (features->fragmentStoresAndAtomics || features->vertexPipelineStoresAndAtomics))
    self->draws_store = TRUE;
}

/* --- Recordings and submissions -------------------------------------------------------------- */

static VtrMemoryDraft *
find_draft (gpointer data,
            guint32  recording)
{
  VtrMemoryPass *self = data;

  return recording < self->n_recordings ? self->drafts[recording] : NULL;
}

/* The recording that the command is part of. */
static guint32
find_recording (VtrMemoryPass *self)
{
  if (self->contiguous && self->recording != VTR_NO_RECORDING)
    {
      const VtrRecording *last = vtr_timeline_get_recording (self->timeline, self->recording);

      if (self->at >= last->first && self->at <= last->last)
        return self->recording;
    }
  self->recording = vtr_timeline_find_recording (self->timeline, self->at);
  return self->recording;
}

static void
note_recorded (VtrMemoryPass    *self,
               VtrCmdId          id,
               const VtrCommand *command)
{
  guint32 recording = find_recording (self);

  if (recording == VTR_NO_RECORDING ||
      vtr_timeline_get_recording (self->timeline, recording)->n_runs == 0)
    return;
  if (self->drafts[recording] == NULL)
    self->drafts[recording] = vtr_memory_draft_new ();
  vtr_memory_draft_apply (self->drafts[recording], self->objects, self->timeline,
                          self->draws_store, id, self->at, command);
}

/* A recording that is not run again is not needed any more. */
static void
drop_draft (VtrMemoryPass *self,
            guint32        recording)
{
  const VtrRecording *info = vtr_timeline_get_recording (self->timeline, recording);
  const VtrRun *last = vtr_timeline_find_run (self->timeline, recording, info->n_runs - 1);

  if (last == NULL || last->submit <= self->at)
    g_clear_pointer (&self->drafts[recording], vtr_memory_draft_free);
}

static void
note_submission (VtrMemoryPass *self)
{
  guint32 nth = vtr_timeline_find_submission (self->timeline, self->at);
  const VtrSubmission *submission;

  if (nth == VTR_NO_RECORDING)
    return;
  submission = vtr_timeline_get_submission (self->timeline, nth);
  for (guint32 i = submission->first_run; i < submission->first_run + submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (self->timeline, i);
      VtrMemoryDraft *draft = find_draft (self, run->recording);
      const GArray *exact, *maybe;
      guint32 events;

      if (draft == NULL)
        continue;
      events = vtr_memory_draft_resolve (draft, self->objects, find_draft, self,
                                         vtr_effects_get_store (self->effects), &exact, &maybe);
      vtr_effects_add_run (self->effects, i, events, exact, maybe);
    }
  for (guint32 i = submission->first_run; i < submission->first_run + submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (self->timeline, i);

      for (guint32 k = run->first_child; k < run->first_child + run->n_children; k++)
        drop_draft (self, vtr_timeline_get_run (self->timeline, k)->recording);
      drop_draft (self, run->recording);
    }
}

/* --- Copies by the host ---------------------------------------------------------------------- */

/* Where texels of an image lie is not known: any of its bytes may change. */
static void
note_host_copy (VtrMemoryPass    *self,
                const VtrCommand *command)
{
  guint64 source, destination;
  guint32 image = VTR_MEMORY_NONE;

  if (vtr_host_copy_read (command, &source, &destination))
    image = vtr_memory_objects_find (self->objects, VTR_HANDLE_VkImage, destination);
  for (guint plane = 0; image != VTR_MEMORY_NONE && plane < VTR_MEMORY_PLANES; plane++)
    {
      const VtrMemorySpace *memory;
      VtrRange range;

      if (!vtr_memory_objects_locate_image (self->objects, image, plane, &range))
        continue;
      memory = &g_array_index (self->objects->pools, VtrMemorySpace,
                               g_array_index (self->objects->images, VtrMemoryImage, image)
                                 .planes[plane]
                                 .pool);
      vtr_effects_write (self->effects, memory->id, range.begin - memory->base,
                         range.end - range.begin, VTR_EFFECT_MAYBE);
    }
}

/* --- The pass -------------------------------------------------------------------------------- */

guint32
vtr_memory_pass_find_space (VtrMemoryPass *self,
                            guint64        name)
{
  const guint32 at = vtr_memory_objects_find (self->objects, VTR_HANDLE_VkDeviceMemory, name);

  return at != VTR_MEMORY_NONE ? g_array_index (self->objects->pools, VtrMemorySpace, at).id : 0;
}

void
vtr_vulkan_memory_begin (gpointer    data,
                         VtrEffects *effects)
{
  VtrVulkanMemory *self = data;
  VtrMemoryPass *pass = g_new0 (VtrMemoryPass, 1);

  pass->timeline = self->timeline;
  pass->effects = effects;
  pass->objects = vtr_memory_objects_new (self->history, effects);
  pass->n_recordings = vtr_timeline_get_n_recordings (self->timeline);
  pass->recording = VTR_NO_RECORDING;
  pass->contiguous = vtr_timeline_is_contiguous (self->timeline);
  pass->drafts = g_new0 (VtrMemoryDraft *, MAX (pass->n_recordings, 1));
  self->pass = pass;
}

void
vtr_vulkan_memory_follow (gpointer    data,
                          VtrEffects *effects,
                          VtrCmdId    id)
{
  VtrMemoryPass *self = ((VtrVulkanMemory *)data)->pass;
  const gboolean recorded = vtr_cmd_is (id, VTR_CLASS_RECORD);
  const gboolean decode = recorded ? vtr_memory_draft_wants (self->objects, id)
                                   : vtr_memory_objects_wants (id) ||
                                       id == VTR_CMD_vkCreateDevice || vtr_is_host_copy (id);
  VtrCommand command;

  self->at = vtr_effects_get_index (effects);
  if (decode && !vtr_effects_decode (effects, &command))
    return;
  if (recorded)
    note_recorded (self, id, decode ? &command : NULL);
  else if (id == VTR_CMD_vkCreateDevice)
    note_device (self, command.args);
  else if (decode && vtr_is_host_copy (id))
    note_host_copy (self, &command);
  else if (decode)
    vtr_memory_objects_apply (self->objects, &command);
  else if (vtr_cmd_is (id, VTR_CLASS_SUBMIT))
    note_submission (self);
}

static GArray *
list_image_places (VtrMemoryObjects *objects)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (VtrMemoryImagePlace));

  for (guint32 i = 0; i < objects->images->len; i++)
    {
      const VtrMemoryImage *image = &g_array_index (objects->images, VtrMemoryImage, i);

      for (guint plane = 0; image->id != 0 && plane < VTR_MEMORY_PLANES; plane++)
        {
          const VtrMemorySpace *memory;
          VtrRange range;

          if (!vtr_memory_objects_locate_image (objects, i, plane, &range))
            continue;
          memory = &g_array_index (objects->pools, VtrMemorySpace, image->planes[plane].pool);
          g_array_append_vals (places,
                               &(VtrMemoryImagePlace){ image->id, memory->id,
                                                       range.begin - memory->base,
                                                       range.end - range.begin },
                               1);
        }
    }
  return places;
}

void
vtr_vulkan_memory_end (gpointer    data,
                       VtrEffects *effects,
                       gboolean    complete)
{
  VtrVulkanMemory *self = data;
  VtrMemoryPass *pass = self->pass;

  if (complete)
    self->images = list_image_places (pass->objects);
  for (guint32 i = 0; i < pass->n_recordings; i++)
    g_clear_pointer (&pass->drafts[i], vtr_memory_draft_free);
  g_free (pass->drafts);
  vtr_memory_objects_free (pass->objects);
  g_free (g_steal_pointer (&self->pass));
}
