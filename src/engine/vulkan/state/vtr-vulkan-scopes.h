/* Vulkan's command lists and scopes, for its table. */
#pragma once

#include "engine/api/vtr-scope-api.h"

G_BEGIN_DECLS

extern const VtrScopeApi vtr_vulkan_scopes;

/* Its members; vtr-vulkan-nesting.c. */
VtrCommandCount vtr_vulkan_count (VtrTrace *trace,
                                  guint64   index);
VtrCommandKind vtr_vulkan_get_kind (VtrCmdId id);
void vtr_vulkan_nest (VtrScopeBuilder *builder,
                      guint64          index,
                      VtrCmdId         id);
const char *vtr_vulkan_get_label (const VtrCommand *command);
char *vtr_vulkan_get_text (VtrAnalysis       *analysis,
                           const VtrTreeNode *node);
gboolean vtr_vulkan_is_implied (guint32 kind);
const char *vtr_vulkan_get_result (const VtrCommand *command);
void vtr_vulkan_name_pass (VtrAnalysis *analysis,
                           guint64      first,
                           VtrPassName *out);

G_END_DECLS
