/* Gives analysers the older form of later commands that pass a structure instead of parameters, such as
 * vkCmdBindDescriptorSets2. Analysers so need to know only the older command.
 *
 * A later command may name stages of several bind points; it is then read as one older command for each of them.
 *
 * Threading: any. */
#pragma once

#include "engine/format/vtr-command.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

/* The canonical id of the older form of @id; for other commands, their own canonical id. */
VtrCmdId vtr_cmd_older_form (VtrCmdId id);

/**
 * VtrOlderForms:
 * @command: the form that vtr_older_forms_next () has reached. Its .id is canonical, and its .args are those
 *   of .id; the other fields are as in the command
 *
 * Iterates over the older forms of one command. Arrays and structures are shared with the command, and so is
 * the slot of template data, by which the observed size of the data is found.
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

/* @command: must outlive @self. */
void vtr_older_forms_init (VtrOlderForms    *self,
                           const VtrCommand *command);

/* Goes to the next form. There is at least one; for most commands it is the command itself. Returns: FALSE after the last. */
gboolean vtr_older_forms_next (VtrOlderForms *self);

G_END_DECLS
