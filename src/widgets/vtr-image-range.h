/* Finds the least and the greatest value of an image. */
#pragma once

#include "widgets/vtr-image-paint.h"

G_BEGIN_DECLS

/* Reads all texels in a thread. Only @channels count, and never alpha. @source: the source object
   of the result. */
void vtr_image_range_find_async (gpointer             source,
                                 VtrImage            *image,
                                 VtrChannels          channels,
                                 GAsyncReadyCallback  callback,
                                 gpointer             data);
/* Returns: FALSE if no value is finite; *@low and *@high are untouched then. */
gboolean vtr_image_range_find_finish (GAsyncResult *result,
                                      double       *low,
                                      double       *high);

G_END_DECLS
