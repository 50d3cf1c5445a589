/* What each kind of path answers. All block and run on workers. Threading: any. */
#pragma once

#include "engine/answers/vtr-image-path.h"
#include "engine/document/vtr-document.h"
#include "engine/state/vtr-json.h"
#include "engine/state/vtr-path.h"

G_BEGIN_DECLS

/* Resolves a whole path. *@cost: bytes the answer weighs, roughly. (transfer full) */
JsonNode *vtr_resolve_path (VtrDocument   *document,
                            const char    *path,
                            GCancellable  *cancellable,
                            gsize         *cost,
                            GError       **error);

/* commands/… and initial/…, whole. */
JsonNode *vtr_resolve_command (VtrDocument   *document,
                               char         **steps,
                               GCancellable  *cancellable,
                               gsize         *cost,
                               GError       **error);
/* The whole state after a command; @steps: what follows "state". */
JsonNode *vtr_resolve_state (VtrDocument     *document,
                             const VtrPlace  *address,
                             char           **steps,
                             GCancellable    *cancellable,
                             GError         **error);
/* Images and buffers that exist when a command runs; what an image is, what a buffer holds. */
JsonNode *vtr_resolve_images_at (VtrDocument     *document,
                                 const VtrPlace  *address,
                                 char           **steps,
                                 GError         **error);
JsonNode *vtr_resolve_buffers_at (VtrDocument     *document,
                                  const VtrPlace  *address,
                                  char           **steps,
                                  GCancellable    *cancellable,
                                  GError         **error);
JsonNode *vtr_resolve_objects (VtrDocument   *document,
                               char         **steps,
                               GCancellable  *cancellable,
                               GError       **error);
/* @object: a shader, or a pipeline, whose stage comes first in @steps. */
JsonNode *vtr_resolve_object_shader (VtrDocument      *document,
                                     const VtrObject  *object,
                                     char            **steps,
                                     GCancellable     *cancellable,
                                     GError          **error);
JsonNode *vtr_resolve_object_texture (VtrDocument      *document,
                                      const VtrObject  *object,
                                      GCancellable     *cancellable,
                                      GError          **error);
JsonNode *vtr_resolve_shaders (VtrDocument   *document,
                               GCancellable  *cancellable,
                               GError       **error);
/* The stages of the pipeline that command @index uses. */
JsonNode *vtr_resolve_shaders_at (VtrDocument  *document,
                                  guint64       index,
                                  GError      **error);
JsonNode *vtr_resolve_textures (VtrDocument   *document,
                                GCancellable  *cancellable,
                                GError       **error);
JsonNode *vtr_resolve_textures_at (VtrDocument     *document,
                                   const VtrPlace  *address,
                                   GCancellable    *cancellable,
                                   GError         **error);
/* commands/…/memory: @steps: what follows "memory"; @prefix: the path up to it. */
JsonNode *vtr_resolve_memory (VtrDocument     *document,
                              const VtrPlace  *address,
                              char           **steps,
                              const char      *prefix,
                              GCancellable    *cancellable,
                              GError         **error);
JsonNode *vtr_resolve_frames (VtrDocument   *document,
                              char         **steps,
                              GCancellable  *cancellable,
                              GError       **error);
/* Measured by replay: steps[0] is "timings?…" or "statistics?…" (vtr_path_is_timings()). */
gboolean vtr_path_is_timings (const char *step);
JsonNode *vtr_resolve_timings (VtrDocument   *document,
                               guint64        frame,
                               char         **steps,
                               GCancellable  *cancellable,
                               GError       **error);
/* The row of one command. */
JsonNode *vtr_resolve_timings_at (VtrDocument     *document,
                                  const VtrPlace  *address,
                                  char           **steps,
                                  GCancellable    *cancellable,
                                  GError         **error);
JsonNode *vtr_resolve_submits (VtrDocument  *document,
                               char        **steps,
                               GError      **error);
JsonNode *vtr_resolve_info (VtrDocument *document);
JsonNode *vtr_resolve_devices (VtrDocument *document);
JsonNode *vtr_resolve_resources (VtrDocument *document);
/* On the replay worker's devices. Errors: those of vtr_document_get_compatibility(). */
JsonNode *vtr_resolve_compatibility (VtrDocument   *document,
                                     GCancellable  *cancellable,
                                     GError       **error);
/* @replay: with what a validated replay says. */
JsonNode *vtr_resolve_report (VtrDocument   *document,
                              gboolean       replay,
                              GCancellable  *cancellable,
                              GError       **error);

G_END_DECLS
