/* The program that the generated traces were "captured" from: a small game-like renderer. */
#pragma once

#include "vtr-recorder.h"

G_BEGIN_DECLS

#define N_COLORS 2      /* of the geometry pass */
#define N_SWAP_IMAGES 3 /* and frames in flight */
#define N_MATERIALS 64
#define N_SECONDARIES 2
#define TARGET_SIZE 64
#define UNIFORM_BYTES 65536 /* per frame in flight */
#define INDEX_BYTES 16384
#define TEXTURE_SIZE 32

typedef struct
{
  guint64 image, memory, view;
} VtrSceneImage;

typedef struct
{
  guint64 buffer, memory;
  gpointer mapped; /* NULL: not mapped */
} VtrSceneBuffer;

typedef struct
{
  guint64 pool, primary, worker_pools[N_SECONDARIES], secondaries[N_SECONDARIES];
  guint64 fence, acquired, rendered;
  VtrSceneBuffer uniforms;
  guint64 set;
} VtrSceneFrame;

/* Everything that lives from beginning to end. */
typedef struct
{
  VtrRecorder *recorder;
  GRand *random;
  guint64 instance, physical_device, device, queue, surface, swapchain;
  guint64 swap_images[N_SWAP_IMAGES], swap_views[N_SWAP_IMAGES],
    swap_framebuffers[N_SWAP_IMAGES];
  VtrSceneImage shadow, colors[N_COLORS], depth;
  guint64 shadow_pass, geometry_pass, post_pass;
  guint64 shadow_framebuffer, geometry_framebuffer;
  guint64 set_layout, descriptor_pool, layout, sampler;
  guint64 shadow_pipeline, geometry_pipelines[8], post_pipeline;
  guint64 query_pool;
  VtrSceneBuffer vertices, indices, staging;
  VtrSceneImage textures[N_MATERIALS];
  guint64 sets[N_MATERIALS];
  VtrSceneFrame frames[N_SWAP_IMAGES];
} VtrScene;

VtrScene *vtr_scene_new (VtrRecorder *recorder,
                         guint32      seed);
void vtr_scene_free (VtrScene *self);

/* Replaces the texture of material @nth: an image dies and another is made, perhaps with its
 * handle. */
void vtr_scene_stream_texture (VtrScene *self,
                               guint     nth);
/* Records its upload into @commands. */
void vtr_scene_upload_texture (VtrScene *self,
                               guint     nth,
                               guint64   commands);

/* One frame of about 50 + 6 × @n_draws calls. */
void vtr_scene_draw_frame (VtrScene *self,
                           guint64   frame,
                           guint     n_draws);

G_END_DECLS
