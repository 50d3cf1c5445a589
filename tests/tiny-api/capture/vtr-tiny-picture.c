/* Copies the window of a recording's last frame, for the trace's thumbnail. */
#include "vtr-tiny-layer.h"

#include "vtr-layer-thumbnail.h"
#include "vtr-layer-trigger.h"

#include <stdlib.h>
#include <string.h>

/* With the lock of vtr-layer-thumbnail.h. */
static struct
{
  VtrRingPicture head;
  uint8_t *rows; /* of .head */
} picture;

/* Windows have their lowest row first. */
static void
keep (const VtrTinyContext *self,
      const uint8_t        *texels)
{
  const size_t row_bytes = (size_t)self->width * 4;
  const size_t most = row_bytes > 0 ? VTR_RING_PICTURE_MAX / row_bytes : 0;
  const uint32_t n = self->height < most ? self->height : (uint32_t)most;

  free (picture.rows);
  picture.rows = n > 0 ? malloc (n * row_bytes) : NULL;
  if (picture.rows == NULL)
    return;
  picture.head = (VtrRingPicture){ 0, self->width, self->height, n };
  for (uint32_t i = 0; i < n; i++)
    memcpy (picture.rows + i * row_bytes,
            texels + (self->height - 1 - vtr_ring_picture_row (&picture.head, i)) * row_bytes,
            row_bytes);
  vtr_layer_thumbnail_set (&vtr_tiny_process);
}

void
vtr_tiny_copy_picture (VtrTinyContext *self)
{
  if (self == NULL || !vtr_layer_is_recording () || !vtr_layer_trigger_is_last ())
    return;
  /* In a recording from launch it is unknown whether the bound picture still has its name. */
  if (!vtr_layer_is_live () && self->picture_name != 0)
    return;
  vtr_tiny_read_window (self);
  if (self->window == NULL)
    return;
  vtr_layer_thumbnail_lock ();
  keep (self, self->window);
  vtr_layer_thumbnail_unlock ();
  free (self->window);
  self->window = NULL;
}

bool
vtr_tiny_get_picture (VtrNamespace    *names,
                      VtrRingPicture  *head,
                      const uint8_t  **rows,
                      size_t          *size)
{
  *head = picture.head;
  *rows = picture.rows;
  *size = (size_t)head->width * 4 * head->n_rows;
  return picture.rows != NULL;
}
