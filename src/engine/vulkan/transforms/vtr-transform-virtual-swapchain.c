/* Makes replays work without a window: images for presentation become ordinary images in
 * VK_IMAGE_LAYOUT_GENERAL. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-api-args.h"

typedef struct
{
  VtrTransform parent;
  VtrApiEnv env;
} TransformVirtualSwapchain;

/* --- Which commands can carry a VkImageLayout ------------------------------------------------- */

static gboolean
fields_reach_layout (const guint8 *structs,
                     guint         first,
                     guint         n)
{
  for (guint i = first; i < first + n; i++)
    {
      const VtrApiField *field = &vtr_api_fields[i];

      if (field->kind == VTR_KIND_ENUM && field->type == VTR_ENUM_VkImageLayout)
        return TRUE;
      if ((field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION) &&
          structs[field->type])
        return TRUE;
    }
  return FALSE;
}

/* One round over all structures: those that hold one with a layout, and those whose pNext chain
 * may. Returns: whether it found more. */
static gboolean
spread_layouts (guint8 *structs)
{
  gboolean more = FALSE;

  for (guint id = 0; id < VTR_VULKAN_N_STRUCTS; id++)
    {
      const VtrApiStruct *info = vtr_struct_get (id);

      if (!structs[id] && fields_reach_layout (structs, info->first_field, info->n_fields))
        more = structs[id] = TRUE;
      for (guint i = 0; structs[id] && i < info->n_extends; i++)
        {
          guint8 *root = &structs[vtr_api_extends[info->first_extends + i]];

          more = more || !*root;
          *root = TRUE;
        }
    }
  return more;
}

static const guint8 *
layout_commands (void)
{
  static guint8 *commands;

  if (g_once_init_enter (&commands))
    {
      guint8 *made = g_new0 (guint8, VTR_VULKAN_N_COMMANDS);
      g_autofree guint8 *structs = g_new0 (guint8, VTR_VULKAN_N_STRUCTS);

      while (spread_layouts (structs))
        continue;
      for (guint id = 0; id < VTR_VULKAN_N_COMMANDS; id++)
        made[id] = fields_reach_layout (structs, vtr_cmd_get (id)->first_field,
                                        vtr_cmd_get (id)->n_params);
      g_once_init_leave (&commands, made);
    }
  return commands;
}

/* --- The transform --------------------------------------------------------------------------- */

static gboolean
is_of_presentation (gint32 layout)
{
  return layout == VK_IMAGE_LAYOUT_PRESENT_SRC_KHR || layout == VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR;
}

static void
replace_layout (void               *data,
                const VtrVisitEnum *enumerant)
{
  gint32 *value = enumerant->slot;

  if (enumerant->kind == VTR_KIND_ENUM && enumerant->type == VTR_ENUM_VkImageLayout &&
      is_of_presentation (*value))
    *value = VK_IMAGE_LAYOUT_GENERAL;
}

static gboolean
virtual_swapchain_command (VtrTransform  *transform,
                           VtrCommand    *command,
                           GError       **error)
{
  static const VtrApiVisitor visitor = { .enumerant = replace_layout };
  TransformVirtualSwapchain *self = (TransformVirtualSwapchain *)transform;

  if (layout_commands ()[command->id])
    vtr_api_visit (command->id, command->args, &self->env, &visitor);
  if (command->id == VTR_CMD_vkCreateSwapchainKHR)
    {
      const VtrArgs_vkCreateSwapchainKHR *args = command->args;

      if (args->pCreateInfo != NULL)
        ((VkSwapchainCreateInfoKHR *)args->pCreateInfo)->imageUsage |=
          VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    }
  return vtr_transform_command (self->parent.next, command, error);
}

/* The contents of an acquired image when the capture began. */
static gboolean
virtual_swapchain_write (VtrTransform      *self,
                         guint64            index,
                         gsize              nth,
                         VtrContentRecord  *write,
                         GError           **error)
{
  if (write->what == VTR_CONTENT_TEXELS && is_of_presentation ((gint32)write->word))
    write->word = VK_IMAGE_LAYOUT_GENERAL;
  return vtr_transform_write (self->next, index, nth, write, error);
}

static void
virtual_swapchain_free (VtrTransform *self)
{
  g_free (self);
}

static const VtrTransformClass virtual_swapchain_class = {
  .name = "virtual-swapchain",
  .command = virtual_swapchain_command,
  .write = virtual_swapchain_write,
  .free = virtual_swapchain_free,
  .resume = vtr_transform_resume_plain,
};

VtrTransform *
vtr_transform_virtual_swapchain_new (void)
{
  TransformVirtualSwapchain *self = g_new0 (TransformVirtualSwapchain, 1);

  self->parent.klass = &virtual_swapchain_class;
  self->env.decoded = true;
  return &self->parent;
}
