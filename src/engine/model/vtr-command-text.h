/* Commands in words, for rows and captions. Threading: any. */
#pragma once

#include "engine/model/vtr-command-tree.h"

G_BEGIN_DECLS

/* "DrawIndexed" of vkCmdDrawIndexed, "QueueSubmit" of vkQueueSubmit. */
const char *vtr_command_short_name (VtrCmdId id);
/* "(36, 1, 0, 0)", "(graphics, image 213, …) = VK_NOT_READY": without the device or command buffer.
   (transfer full) */
char *vtr_command_dup_arguments (VtrAnalysis *analysis,
                                 guint64      index);
/* The text of a label command, in the command's arena; NULL: none. */
const char *vtr_label_text (const VtrCommand *command);
/* The label that the group beginning at @index has; "Group" when it has none. (transfer full) */
char *vtr_command_tree_dup_label (VtrCommandTree *self,
                                  guint64         index);
/* "36 864", with a narrow space between thousands. (transfer full) */
char *vtr_format_count (guint64 n);
/* Appends an enumerant or set of bits in words: "top of pipe" of VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
   "graphics", "D32_SFLOAT". @name: as vtr_api_append_enum() writes it. */
void vtr_append_short_enum (GString    *text,
                            VtrEnumId   id,
                            const char *name,
                            gsize       size);
/* @text with each name of an enumerant without the prefix of its type: "TRIANGLE_LIST" of
   VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, "VERTEX|FRAGMENT" of bits. (transfer full) */
char *vtr_shorten_enumerants (const char *text);

G_END_DECLS
