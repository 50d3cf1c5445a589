/* Removes what a replay cannot or should not repeat: callbacks into the captured program, memory
 * shared with other processes, attachments that are discarded at the end of a pass. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/vtr-number.h"
#include "engine/vulkan/transforms/vtr-whole-rendering.h"
#include "vtr-api-args.h"

#define MOST_ATTACHMENTS 64u

typedef struct
{
  VtrTransform parent;
  VtrApiEnv env;
  VtrStructId
    imported; /* a structure of the command being visited that makes it impossible to replay */
} TransformReplayable;

typedef enum
{
  CHAIN_KEEP = 1,
  CHAIN_DROP,    /* not needed for the replay */
  CHAIN_DECLINE, /* without it the command means something else */
} ChainAction;

/* Structures of pNext chains by their contents or their names: callbacks, exports and imports. */
static guint8
chain_action (VtrStructId id)
{
  const VtrApiStruct *info = vtr_struct_get (id);
  const char *name = vtr_api_string (info->name);

  for (guint i = info->first_field; i < (guint)info->first_field + info->n_fields; i++)
    if (vtr_api_fields[i].kind == VTR_KIND_FUNCTION)
      return CHAIN_DROP;
  if (g_str_has_prefix (name, "VkExport") || g_str_has_prefix (name, "VkExternalMemory"))
    return CHAIN_DROP;
  /* The program's own memory: the trace has its contents, as for mapped memory. */
  if (g_str_equal (name, "VkImportMemoryHostPointerInfoEXT"))
    return CHAIN_DROP;
  if (g_str_has_prefix (name, "VkImport"))
    return CHAIN_DECLINE;
  return CHAIN_KEEP;
}

static const guint8 *
chain_actions (void)
{
  static guint8 *actions;

  if (g_once_init_enter (&actions))
    {
      guint8 *made = g_new (guint8, VTR_VULKAN_N_STRUCTS);

      for (guint id = 0; id < VTR_VULKAN_N_STRUCTS; id++)
        made[id] = chain_action ((VtrStructId)id);
      g_once_init_leave (&actions, made);
    }
  return actions;
}

/* Unlinks what is to go from the chain that hangs in the visited slot. */
static void
prune_chain (void                  *data,
             const VtrVisitPointer *pointer)
{
  TransformReplayable *self = data;
  const guint8 *actions = chain_actions ();
  const VkBaseInStructure **slot = pointer->slot;

  if (pointer->kind != VTR_KIND_NEXT || pointer->ignored)
    return;
  while (*slot != NULL)
    {
      VtrStructId id = vtr_struct_from_stype ((guint32)(*slot)->sType);

      if (id == VTR_STRUCT_NONE || actions[id] == CHAIN_KEEP)
        return;
      if (actions[id] == CHAIN_DECLINE)
        self->imported = id;
      *slot = (*slot)->pNext;
    }
}

static void
replace_store (void               *data,
               const VtrVisitEnum *enumerant)
{
  gint32 *value = enumerant->slot;

  if (enumerant->kind == VTR_KIND_ENUM && enumerant->type == VTR_ENUM_VkAttachmentStoreOp &&
      *value == VK_ATTACHMENT_STORE_OP_DONT_CARE)
    *value = VK_ATTACHMENT_STORE_OP_STORE;
}

/* Attachments are stored so that their contents can be shown after the pass. Store operations do
 * not affect the compatibility of render passes. */
static void
store_attachments (TransformReplayable *self,
                   VtrCommand          *command)
{
  const VtrApiVisitor visitor = { .data = self, .enumerant = replace_store };

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateRenderPass:
    case VTR_CMD_vkCreateRenderPass2:
    case VTR_CMD_vkCmdBeginRendering:
      vtr_api_visit (command->id, command->args, &self->env, &visitor);
      break;
    default:
      break;
    }
}

/* Validation looks at blending even where all of it is dynamic. */
static void
fill_blending (VtrArgs_vkCreateGraphicsPipelines *args)
{
  static const VkPipelineColorBlendAttachmentState none[MOST_ATTACHMENTS];

  for (guint32 i = 0; args->pCreateInfos != NULL && i < args->createInfoCount; i++)
    {
      VkPipelineColorBlendStateCreateInfo *state =
        (VkPipelineColorBlendStateCreateInfo *)args->pCreateInfos[i].pColorBlendState;

      if (state != NULL && state->pAttachments == NULL && state->attachmentCount > 0 &&
          state->attachmentCount <= MOST_ATTACHMENTS)
        state->pAttachments = none;
    }
}

static gboolean
replayable_command (VtrTransform  *transform,
                    VtrCommand    *command,
                    GError       **error)
{
  TransformReplayable *self = (TransformReplayable *)transform;

  store_attachments (self, command);
  if (command->id == VTR_CMD_vkCreateGraphicsPipelines)
    fill_blending (command->args);
  if (!vtr_whole_rendering_change (self->parent.next, command, error))
    return FALSE;
  if (vtr_cmd_is (command->id, VTR_CLASS_CREATE))
    {
      const VtrApiVisitor visitor = { .data = self, .pointer = prune_chain };

      self->imported = VTR_STRUCT_NONE;
      vtr_api_visit (command->id, command->args, &self->env, &visitor);
      if (self->imported != VTR_STRUCT_NONE)
        {
          g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                       _ ("Command %s (%s) cannot be replayed: it imports something from another "
                          "part of the program or another process (%s)"),
                       VTR_NUMBER (command->index), vtr_cmd_name (command->id),
                       vtr_api_string (vtr_struct_get (self->imported)->name));
          return FALSE;
        }
    }
  return vtr_transform_command (self->parent.next, command, error);
}

static void
replayable_free (VtrTransform *self)
{
  g_free (self);
}

static const VtrTransformClass replayable_class = {
  .name = "replayable",
  .command = replayable_command,
  .free = replayable_free,
  .resume = vtr_transform_resume_plain,
};

VtrTransform *
vtr_transform_replayable_new (void)
{
  TransformReplayable *self = g_new0 (TransformReplayable, 1);

  self->parent.klass = &replayable_class;
  self->env.decoded = true;
  return &self->parent;
}
