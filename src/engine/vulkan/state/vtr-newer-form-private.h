/* The parts of VtrNewerForm: helpers that widen structures, and the calls that need more than a copy of fields. */
#pragma once

#include "engine/vulkan/state/vtr-newer-form.h"

#include "api/vtr-api-walk.h"

G_BEGIN_DECLS

/* Zeroed memory for @n elements of @size bytes, owned by @self; never NULL. */
gpointer vtr_newer_form_take (VtrNewerForm *self,
                              gsize         n,
                              gsize         size);
#define TAKE(self, n, type) ((type *)vtr_newer_form_take ((self), (n), sizeof (type)))

/* Makes @n structures of @wide bytes from the @n structures of @size bytes at @from: .sType is @type, .pNext is NULL, and the
 * bytes of the older structure follow. Returns: NULL if @from is. */
gpointer vtr_newer_form_widen (VtrNewerForm    *self,
                               gconstpointer    from,
                               guint32          n,
                               gsize            size,
                               gsize            wide,
                               VkStructureType  type);
/* Like vtr_newer_form_widen (), for structures of type @newer whose members begin with those of @older. @first: the first of
 * these members. */
#define WIDEN(self, from, n, older, newer, first, type) \
  ({ \
    G_STATIC_ASSERT (G_STRUCT_OFFSET (older, first) == 0); \
    G_STATIC_ASSERT (G_STRUCT_OFFSET (newer, first) == sizeof (VkBaseInStructure)); \
    (newer *)vtr_newer_form_widen ((self), (const older *)(from), (n), sizeof (older), \
                                   sizeof (newer), (type)); \
  })

/* Each of these functions sets the arguments of .command from the older call. */
void vtr_newer_form_read_render_pass (VtrNewerForm                     *self,
                                      const VtrArgs_vkCreateRenderPass *args);
void vtr_newer_form_read_submission (VtrNewerForm                *self,
                                     const VtrArgs_vkQueueSubmit *args);
/* Also for waits for events. All barriers of such a wait go to its first event; the other events only have stages. */
void vtr_newer_form_read_barriers (VtrNewerForm     *self,
                                   const VtrCommand *command);
/* For the commands that begin a render pass, go to its next subpass, and end it. */
void vtr_newer_form_read_subpass (VtrNewerForm     *self,
                                  const VtrCommand *command);

G_END_DECLS
