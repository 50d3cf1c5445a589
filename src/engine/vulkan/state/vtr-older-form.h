/* Later commands that say in a structure what older ones say in parameters: the older commands that
 * mean the same. Whoever follows what commands do reads them in this form, and so knows both.
 *
 * A later command may name stages of several bind points, and stands for one older command each.
 *
 * Threading: any. */
#pragma once

#include "engine/format/vtr-command.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/* The canonical id of the older form of @id; of others, their own canonical id. */
VtrCmdId vtr_cmd_older_form (VtrCmdId id);

/**
 * VtrOlderForms:
 * @command: the form that vtr_older_forms_next () went to. Its .args are those of .id, which is
 *   canonical; all else is the command's
 *
 * The forms of one command, for a loop. What is pointed to is shared with the command, and so is the
 * slot of template data, by which its observed size is found.
 */
typedef struct
{
  VtrCommand command;
  const void *const *template_data; /* NULL where the command has none */
  /*< private >*/
  const VtrCommand *source;
  guint32 points; /* bits of VkPipelineBindPoint indices not visited yet */
  union
  {
    VtrArgs_vkMapMemory map;
    VtrArgs_vkUnmapMemory unmap;
    VtrArgs_vkCmdBindIndexBuffer index_buffer;
    VtrArgs_vkCmdBindDescriptorSets sets;
    VtrArgs_vkCmdPushConstants constants;
    VtrArgs_vkCmdPushDescriptorSetKHR pushed;
    VtrArgs_vkCmdSetDescriptorBufferOffsetsEXT offsets;
    VtrArgs_vkCmdPushDescriptorSetWithTemplateKHR pushed_template;
  } args;
} VtrOlderForms;

/* @command must stay as long as @self. */
void vtr_older_forms_init (VtrOlderForms    *self,
                           const VtrCommand *command);

/* Goes to the next form: there is at least one, which of most commands is the command itself.
 * Returns: FALSE after the last. */
gboolean vtr_older_forms_next (VtrOlderForms *self);

G_END_DECLS
