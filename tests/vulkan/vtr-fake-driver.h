/* A fake Vulkan driver for the tests of src/vulkan: it creates handles, counts calls, and does
 * nothing else. Threading: the test's thread. */
#pragma once

#include "vulkan/vtr-vulkan-samples.h"

#include <glib.h>

typedef struct
{
  GHashTable *live; /* handles that were made and not destroyed */
  gsize last;       /* handle */
  guint n_made;
  guint fails_at; /* which making fails, from 1; 0: none */
  guint32 memory_type;
  VkSampleMask mask[2];
  guint n_draws, n_dispatches, n_copies;
  guint32 dynamic_offset;
} VtrFake;

extern VtrFake vtr_fake;
extern const VtrSamplesDriver vtr_fake_driver;

void vtr_fake_begin (guint fails_at);

/* Fails when something is left that was made. */
void vtr_fake_end (void);
