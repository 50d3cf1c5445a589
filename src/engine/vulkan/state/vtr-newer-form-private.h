/* Shared by the files that make the second versions of calls. */
#pragma once

#include "engine/vulkan/state/vtr-newer-form.h"

#include "api/vtr-api-walk.h"

G_BEGIN_DECLS

/* Zeroed memory of the form's; never NULL. */
gpointer vtr_newer_form_take (VtrNewerForm *self,
                              gsize         n,
                              gsize         size);
#define TAKE(self, n, type) ((type *)vtr_newer_form_take ((self), (n), sizeof (type)))

/* The @n elements of @from, of @size bytes each, as elements of @wide bytes that begin with @type and no chain and go
 * on with those bytes. NULL: there is no @from. */
gpointer vtr_newer_form_widen (VtrNewerForm    *self,
                               gconstpointer    from,
                               guint32          n,
                               gsize            size,
                               gsize            wide,
                               VkStructureType  type);
/* Of members of @newer, which begin with those of @older. @first: the first of them. */
#define WIDEN(self, from, n, older, newer, first, type) \
  ({ \
    G_STATIC_ASSERT (G_STRUCT_OFFSET (older, first) == 0); \
    G_STATIC_ASSERT (G_STRUCT_OFFSET (newer, first) == sizeof (VkBaseInStructure)); \
    (newer *)vtr_newer_form_widen ((self), (const older *)(from), (n), sizeof (older), \
                                   sizeof (newer), (type)); \
  })

/* Each sets the arguments of .command from those of @args. */
void vtr_newer_form_read_render_pass (VtrNewerForm                     *self,
                                      const VtrArgs_vkCreateRenderPass *args);
void vtr_newer_form_read_submission (VtrNewerForm                *self,
                                     const VtrArgs_vkQueueSubmit *args);
/* Also of waits for events. All barriers of such a wait belong to its first event; of the others, stages wait for
 * stages. */
void vtr_newer_form_read_barriers (VtrNewerForm     *self,
                                   const VtrCommand *command);
/* Beginning, next subpass, end. */
void vtr_newer_form_read_subpass (VtrNewerForm     *self,
                                  const VtrCommand *command);

G_END_DECLS
