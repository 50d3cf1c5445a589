/* The shaders of Vulkan: all of a trace, those bound at a command, the stages of a pipeline. Threading: any. */
#pragma once

#include "engine/api/vtr-show-api.h"

G_BEGIN_DECLS

/* Members of VtrShowApi. */
gboolean vtr_vulkan_list_code (VtrHistory     *history,
                               VtrUses        *uses,
                               VtrShaderList  *list,
                               GCancellable   *cancellable,
                               GError        **error);
GArray *vtr_vulkan_list_bound_code (VtrAnalysis  *analysis,
                                    guint64       index,
                                    GError      **error);
GArray *vtr_vulkan_list_stages (VtrHistory       *history,
                                const VtrObject  *object,
                                GError          **error);
guint32 vtr_vulkan_find_code (VtrHistory *history,
                              guint64     name);

G_END_DECLS
