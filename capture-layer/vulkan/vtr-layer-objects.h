/* State of objects that the walkers ask for. Threading: any. */
#pragma once

#include "vtr-layer.h"

/* Prepares @device->names.env and the data that its answers come from. */
void vtr_layer_objects_init (VtrLayerDevice *device);
void vtr_layer_objects_finish (VtrLayerDevice *device);
