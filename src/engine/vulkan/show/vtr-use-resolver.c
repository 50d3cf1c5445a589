/* Finds which resources pipelines use and sets contain, and keeps the results for one pass over
 * the trace. */
#include "engine/vulkan/show/vtr-use-resolver.h"

#include "engine/vulkan/state/vtr-descriptors.h"

#include "api/vtr-api-args.h"

#include <string.h>

static void
unref_array (gpointer data)
{
  if (data != NULL)
    g_array_unref (data);
}

void
vtr_use_resolver_init (VtrUseResolver *self, VtrHistory *history)
{
  self->history = history;
  self->facts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->sets = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, unref_array);
  self->views = g_hash_table_new (NULL, NULL);
  self->resources = vtr_program_resources_new (history);
}

void
vtr_use_resolver_clear (VtrUseResolver *self)
{
  g_hash_table_unref (self->facts);
  g_hash_table_unref (self->sets);
  g_hash_table_unref (self->views);
  vtr_program_resources_free (self->resources);
}

/* --- Pipelines ------------------------------------------------------------------------------- */

static void
note_graphics (VtrPipelineFacts *facts, const VtrPipelineInfo *info)
{
  const VkPipelineDepthStencilStateCreateInfo *depth = info->graphics->pDepthStencilState;
  const VkPipelineColorBlendStateCreateInfo *blend = info->graphics->pColorBlendState;

  /* Without a blend state, commands set it, so all attachments count as written. */
  facts->colors = G_MAXUINT32;
  if (blend != NULL && blend->pAttachments != NULL)
    for (guint32 i = 0; i < MIN (blend->attachmentCount, 32); i++)
      if (blend->pAttachments[i].colorWriteMask == 0)
        facts->colors &= ~(1u << i);
  facts->depth_read =
    (depth != NULL && depth->depthTestEnable) ||
    vtr_pipeline_info_is_dynamic (info, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE);
  facts->depth_written =
    (depth != NULL && depth->depthTestEnable && depth->depthWriteEnable) ||
    vtr_pipeline_info_is_dynamic (info, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE);
  facts->stencil_read = facts->stencil_written =
    (depth != NULL && depth->stencilTestEnable) ||
    vtr_pipeline_info_is_dynamic (info, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE);
}

const VtrPipelineFacts *
vtr_use_resolver_get_facts (VtrUseResolver *self, const VtrProgram *program)
{
  guint64 hash = vtr_program_hash (program);
  VtrPipelineFacts *facts = g_hash_table_lookup (self->facts, &hash);
  VtrPipelineInfo info;
  VtrArena arena;

  if (facts != NULL)
    return facts;
  facts = g_new0 (VtrPipelineFacts, 1);
  facts->resources = vtr_program_resources_get (self->resources, program);
  vtr_arena_init (&arena);
  if (vtr_program_get_info (program, self->history, &arena, &info, NULL) && info.graphics != NULL)
    note_graphics (facts, &info);
  vtr_arena_finish (&arena);
  g_hash_table_insert (self->facts, g_memdup2 (&hash, sizeof hash), facts);
  return facts;
}

guint32
vtr_pipeline_facts_get_use (const VtrPipelineFacts *self, guint32 set, const VtrSetImage *image)
{
  gboolean storage = image->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  guint32 flags = 0;

  if (self->resources == NULL)
    return VTR_USE_DESCRIPTOR | VTR_USE_READ | (storage ? VTR_USE_WRITE : 0);
  for (guint i = 0; i < self->resources->len; i++)
    {
      const VtrSpirvResource *resource =
        &g_array_index (self->resources, VtrSpirvResource, i);

      if (resource->set != set || resource->binding != image->binding)
        continue;
      flags |= VTR_USE_DESCRIPTOR;
      if (!storage || resource->read)
        flags |= VTR_USE_READ;
      if (storage && resource->written)
        flags |= VTR_USE_WRITE;
    }
  return flags;
}

/* --- Sets ------------------------------------------------------------------------------------ */

/* The image behind a VkImageView alive at @index; 0: none. */
static guint32
get_view_image (VtrUseResolver *self, guint64 handle, guint64 index)
{
  const VtrObject *view =
    handle != 0 ? vtr_history_find (self->history,
                                    vtr_vulkan_identity (VTR_HANDLE_VkImageView, handle),
                                    index)
                : NULL;
  const VtrObject *image = NULL;
  gpointer known;
  VtrCommand command;
  VtrArena arena;

  if (view == NULL)
    return 0;
  if (g_hash_table_lookup_extended (self->views, GUINT_TO_POINTER (view->id), NULL, &known))
    return GPOINTER_TO_UINT (known);
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (self->history, view, &arena, &command, NULL) &&
      command.id == VTR_CMD_vkCreateImageView)
    {
      const VtrArgs_vkCreateImageView *args = command.args;

      if (args->pCreateInfo != NULL)
        image = vtr_history_find (self->history,
                                  vtr_vulkan_identity (VTR_HANDLE_VkImage,
                                                       (guint64)args->pCreateInfo->image),
                                  view->created);
    }
  vtr_arena_finish (&arena);
  g_hash_table_insert (self->views, GUINT_TO_POINTER (view->id),
                       GUINT_TO_POINTER (image != NULL ? image->id : 0));
  return image != NULL ? image->id : 0;
}

static GArray *
list_images (VtrUseResolver *self, const VtrDescriptorContents *contents, guint64 index)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (VtrSetImage));

  for (guint32 i = 0; i < contents->n_bindings; i++)
    {
      const VtrDescriptorBinding *binding = &contents->bindings[i];

      for (guint32 k = 0; k < binding->n_descriptors; k++)
        {
          VtrSetImage image = { .binding = binding->binding, .type = binding->type };

          if (binding->descriptors[k].view == 0)
            continue;
          image.image =
            get_view_image (self, binding->descriptors[k].view, index);
          if (image.image != 0)
            g_array_append_val (list, image);
        }
    }
  return list;
}

GArray *
vtr_use_resolver_get_set (VtrUseResolver *self, guint64 handle, guint64 submit)
{
  const VtrObject *set =
    vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, handle),
                      submit);
  const guint64 *writes;
  VtrDescriptorContents contents;
  VtrArena arena;
  gsize n, low = 0;
  guint64 key;
  GArray *list;

  if (set == NULL)
    return NULL;
  writes = vtr_history_get_set_writes (self->history, set->id, &n);
  for (gsize high = writes != NULL ? n : 0; low < high;)
    {
      gsize middle = low + (high - low) / 2;

      if (writes[middle] < submit)
        low = middle + 1;
      else
        high = middle;
    }
  key = (guint64)set->id << 32 | (guint32)low;
  list = g_hash_table_lookup (self->sets, &key);
  if (list != NULL)
    return list;

  vtr_arena_init (&arena);
  if (vtr_descriptors_get (self->history, set, submit, &arena, &contents, NULL))
    list = list_images (self, &contents, submit);
  else
    list = g_array_new (FALSE, FALSE, sizeof (VtrSetImage));
  vtr_arena_finish (&arena);
  g_hash_table_insert (self->sets, g_memdup2 (&key, sizeof key), list);
  return list;
}

GArray *
vtr_use_resolver_get_pushed (VtrUseResolver *self, guint64 index)
{
  guint64 key = G_MAXUINT64 - index;
  GArray *list = g_hash_table_lookup (self->sets, &key);
  VtrDescriptorContents contents;
  VtrArena arena;

  if (list != NULL)
    return list;
  vtr_arena_init (&arena);
  if (vtr_descriptors_get_pushed (self->history, index, &arena, &contents, NULL))
    list = list_images (self, &contents, index);
  else
    list = g_array_new (FALSE, FALSE, sizeof (VtrSetImage));
  vtr_arena_finish (&arena);
  g_hash_table_insert (self->sets, g_memdup2 (&key, sizeof key), list);
  return list;
}

/* --- Copies and clears ----------------------------------------------------------------------- */

typedef struct
{
  VtrTransferFunc func;
  gpointer data;
  gboolean clear;
} TransferVisit;

/* The registry names them: srcImage, dstImage, image (of clears). */
static void
visit_transfer_handle (void *data, const VtrVisitHandle *handle)
{
  TransferVisit *visit = data;
  const char *name = vtr_api_string (handle->field->name);
  guint64 value;

  if (handle->type != VTR_HANDLE_VkImage || handle->ignored)
    return;
  memcpy (&value, handle->slot, sizeof value);
  if (value == 0)
    return;
  if (g_str_has_prefix (name, "src"))
    visit->func (value, VTR_USE_TRANSFER | VTR_USE_READ, visit->data);
  else if (visit->clear || g_str_has_prefix (name, "dst"))
    visit->func (value, VTR_USE_TRANSFER | VTR_USE_WRITE, visit->data);
}

void
vtr_use_visit_transfer (VtrCommand *command, VtrTransferFunc func, gpointer data)
{
  TransferVisit visit = { func, data, vtr_cmd_is (command->id, VTR_CLASS_CLEAR) };
  VtrApiVisitor visitor = { .data = &visit, .handle = visit_transfer_handle };
  static const VtrApiEnv env = { .decoded = true };

  vtr_api_visit (command->id, command->args, &env, &visitor);
}

void
vtr_use_visit_cleared_attachments (const VtrCommand    *command,
                                   const VtrBoundState *pass,
                                   VtrClearedFunc       func,
                                   gpointer             data)
{
  const VtrArgs_vkCmdClearAttachments *args = command->args;
  guint32 depth = pass->has_depth     ? pass->depth.image
                  : pass->has_stencil ? pass->stencil.image
                                      : 0;
  gboolean is_depth_cleared = FALSE;
  guint64 colors = 0;

  G_STATIC_ASSERT (VTR_MAX_ATTACHMENTS <= 64);
  for (guint32 i = 0; args->pAttachments != NULL && i < args->attachmentCount; i++)
    {
      const VkClearAttachment *clear = &args->pAttachments[i];

      if ((clear->aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0)
        colors |= clear->colorAttachment < pass->n_colors
                    ? G_GUINT64_CONSTANT (1) << clear->colorAttachment
                    : 0;
      else
        is_depth_cleared = TRUE;
    }
  for (guint32 i = 0; i < pass->n_colors; i++)
    if ((colors >> i & 1) != 0)
      func (pass->colors[i].image, data);
  if (is_depth_cleared)
    func (depth, data);
}
