/* Spreads the preparations for a mid-run capture, and the cleaning up after it, over several
 * frames of the program, so that no single frame takes long. */
#include "vtr-layer-ahead.h"

#include "vtr-layer-initial.h"
#include "vtr-layer-live.h"
#include "vtr-layer-staging.h"

#include <stdlib.h>

#define STAGING_STEP (1024u * 1024u)          /* bytes that get pages in a frame: 0.1 ms */
#define WATCH_STEP (64u * 1024u * 1024u)      /* bytes that are watched from a frame on: 2 ms */
#define WORTH_WATCHING (128u * 1024u * 1024u) /* mapped bytes */
#define FEW_FRAMES 8u                         /* for all but watching */
#define QUICK_FRAME_MS 50

/* ---- Whether it is worth it ---- */

static bool
add_mapped (uint64_t  key,
            void     *value,
            void     *data)
{
  uint64_t mapped;

  (void)key;
  vtr_layer_memory_measure (&((VtrLayerDevice *)value)->memory, &mapped);
  *(uint64_t *)data += mapped;
  return false;
}

/* Whether so much memory is mapped that beginning to watch it takes longer than a frame may. */
static bool
is_worth_watching (void)
{
  const char *wish = getenv ("VITRINE_AHEAD");
  uint64_t mapped = 0;

  vtr_layer_map_sweep (&vtr_layer_devices, add_mapped, &mapped);
  return mapped >= (wish != NULL && wish[0] != '\0' ? strtoull (wish, NULL, 10) : WORTH_WATCHING);
}

uint32_t
vtr_layer_ahead_count_frames (int64_t frame_ms)
{
  if (is_worth_watching ())
    return VTR_LAYER_AHEAD_FRAMES;
  return frame_ms <= QUICK_FRAME_MS ? FEW_FRAMES : 0;
}

/* ---- Staging ---- */

typedef struct
{
  uint32_t families[VTR_LAYER_READBACK_FAMILIES];
  uint32_t n;
} Families;

static void
add_family (VtrLayerObject *object,
            void           *data)
{
  const VtrLayerQueue *state = object->state;
  Families *self = data;

  if (state != NULL && self->n < VTR_LAYER_READBACK_FAMILIES)
    self->families[self->n++] = state->family;
}

/* No more than all memory of the program. */
static void
populate (VtrLayerStaging *staging,
          VtrLayerDevice  *device)
{
  uint64_t mapped, wanted;

  if (staging->populated == VTR_LAYER_STAGING_SIZE)
    return;
  wanted = vtr_layer_memory_measure (&device->memory, &mapped);
  if (wanted > staging->populated + STAGING_STEP)
    wanted = staging->populated + STAGING_STEP;
  vtr_layer_staging_populate (staging, wanted);
}

static void
prepare_staging (VtrLayerDevice *device)
{
  VtrLayerStaging staging;
  Families families = { 0 };

  vtr_layer_staging_take (&staging, device);
  if (staging.readback.bytes != NULL)
    populate (&staging, device);
  else if (device->live != NULL)
    {
      vtr_layer_live_lock ();
      vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkQueue, add_family, &families);
      vtr_layer_live_unlock ();
      if (families.n > 0)
        vtr_layer_staging_make (&staging, device, families.families, families.n);
    }
  vtr_layer_staging_give (&staging, device);
}

/* ---- All ---- */

typedef struct
{
  bool watches;
  bool last;
  uint64_t left;
} Preparation;

static bool
prepare_device (uint64_t  key,
                void     *value,
                void     *data)
{
  VtrLayerDevice *device = value;
  Preparation *self = data;

  (void)key;
  prepare_staging (device);
  if (self->watches)
    vtr_layer_memory_prepare (&device->memory, self->last, &self->left);
  return false;
}

void
vtr_layer_ahead_prepare (uint64_t n_frames)
{
  Preparation preparation = {
    .watches = n_frames <= VTR_LAYER_AHEAD_FRAMES && is_worth_watching (),
    .last = n_frames == 1,
    .left = WATCH_STEP,
  };

  vtr_layer_map_sweep (&vtr_layer_devices, prepare_device, &preparation);
}

typedef struct
{
  bool last;
  bool more;
  uint64_t left;
} Tidying;

static bool
tidy_device (uint64_t  key,
             void     *value,
             void     *data)
{
  VtrLayerDevice *device = value;
  VtrLayerStaging staging;
  Tidying *self = data;

  (void)key;
  if (vtr_layer_memory_tidy (&device->memory, &self->left))
    self->more = true;
  if (!self->last)
    return false;
  vtr_layer_staging_take (&staging, device);
  vtr_layer_staging_free (&staging, device);
  return false;
}

bool
vtr_layer_ahead_tidy (bool last)
{
  Tidying tidying = { last, false, WATCH_STEP };

  vtr_layer_map_sweep (&vtr_layer_devices, tidy_device, &tidying);
  return tidying.more;
}
