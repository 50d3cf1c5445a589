/* Visiting parts of trees, for the other walkers. Threading: any. */
#pragma once

#include "api/vtr-api-slot-private.h"
#include "api/vtr-api-walk.h"

unsigned vtr_visit_struct (const VtrScope      *parent,
                           VtrStructId          id,
                           void                *base,
                           const VtrApiEnv     *env,
                           const VtrApiVisitor *visitor);

/* The descriptors in @size bytes of template data; @scope: the arguments of the call. Nothing when
 * the environment does not know the template; never beyond @size. */
void vtr_visit_template (const VtrScope      *scope,
                         const VtrApiEnv     *env,
                         uint8_t             *data,
                         uint64_t             size,
                         const VtrApiVisitor *visitor);

/* The template the call uses. Returns: false when it is not known. */
bool vtr_template_of_call (const VtrScope    *scope,
                           const VtrApiEnv   *env,
                           VtrUpdateTemplate *out);
