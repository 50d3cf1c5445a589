/* Functions that answer each kind of path. All block and run on workers. Threading: any. */
#pragma once

#include "engine/answers/vtr-answers-private.h"
#include "engine/memory/vtr-targets.h"
#include "engine/state/vtr-json.h"
#include "engine/state/vtr-path.h"
#include "engine/state/vtr-resolve-error.h"

G_BEGIN_DECLS

/* Resolves a whole path. *@cost: bytes the answer weighs, roughly. (transfer full) */
JsonNode *vtr_resolve_path (VtrAnswers    *answers,
                            const char    *path,
                            GCancellable  *cancellable,
                            gsize         *cost,
                            GError       **error);

/* commands/… and initial/…, whole. */
JsonNode *vtr_resolve_command (VtrAnswers    *answers,
                               char         **steps,
                               GCancellable  *cancellable,
                               gsize         *cost,
                               GError       **error);
/* The whole state after a command; @steps: what follows "state". */
JsonNode *vtr_resolve_state (VtrAnswers      *answers,
                             const VtrPlace  *address,
                             char           **steps,
                             GCancellable    *cancellable,
                             GError         **error);
/* Images and buffers that exist when a command runs; what an image is, what a buffer holds. */
JsonNode *vtr_resolve_images_at (VtrAnswers      *answers,
                                 const VtrPlace  *address,
                                 char           **steps,
                                 GError         **error);
JsonNode *vtr_resolve_buffers_at (VtrAnswers      *answers,
                                  const VtrPlace  *address,
                                  char           **steps,
                                  GCancellable    *cancellable,
                                  GError         **error);
JsonNode *vtr_resolve_objects (VtrAnswers    *answers,
                               char         **steps,
                               GCancellable  *cancellable,
                               GError       **error);
/* @object: a shader, or a pipeline, whose stage comes first in @steps. */
JsonNode *vtr_resolve_object_shader (VtrAnswers       *answers,
                                     const VtrObject  *object,
                                     char            **steps,
                                     GCancellable     *cancellable,
                                     GError          **error);
JsonNode *vtr_resolve_object_texture (VtrAnswers       *answers,
                                      const VtrObject  *object,
                                      GCancellable     *cancellable,
                                      GError          **error);
JsonNode *vtr_resolve_shaders (VtrAnswers    *answers,
                               GCancellable  *cancellable,
                               GError       **error);
/* The stages of the pipeline that command @index uses. */
JsonNode *vtr_resolve_shaders_at (VtrAnswers  *answers,
                                  guint64      index,
                                  GError     **error);
JsonNode *vtr_resolve_textures (VtrAnswers    *answers,
                                GCancellable  *cancellable,
                                GError       **error);
JsonNode *vtr_resolve_textures_at (VtrAnswers      *answers,
                                   const VtrPlace  *address,
                                   GCancellable    *cancellable,
                                   GError         **error);
/* commands/…/memory: @steps: what follows "memory"; @prefix: the path up to it. */
JsonNode *vtr_resolve_memory (VtrAnswers      *answers,
                              const VtrPlace  *address,
                              char           **steps,
                              const char      *prefix,
                              GCancellable    *cancellable,
                              GError         **error);
JsonNode *vtr_resolve_frames (VtrAnswers    *answers,
                              char         **steps,
                              GCancellable  *cancellable,
                              GError       **error);
/* Measured by replay: steps[0] is "timings?…" or "statistics?…" (vtr_path_is_timings()). */
gboolean vtr_path_is_timings (const char *step);
JsonNode *vtr_resolve_timings (VtrAnswers    *answers,
                               guint64        frame,
                               char         **steps,
                               GCancellable  *cancellable,
                               GError       **error);
/* The row of one command. */
JsonNode *vtr_resolve_timings_at (VtrAnswers      *answers,
                                  const VtrPlace  *address,
                                  char           **steps,
                                  GCancellable    *cancellable,
                                  GError         **error);
JsonNode *vtr_resolve_submits (VtrAnswers  *answers,
                               char       **steps,
                               GError     **error);
JsonNode *vtr_resolve_info (VtrAnswers *answers);
JsonNode *vtr_resolve_devices (VtrAnswers *answers);
JsonNode *vtr_resolve_resources (VtrAnswers *answers);
/* On the replay worker's devices. Errors: those of vtr_replay_session_find_compatibility (). */
JsonNode *vtr_resolve_compatibility (VtrAnswers    *answers,
                                     GCancellable  *cancellable,
                                     GError       **error);
/* @replay: with what a validated replay says. */
JsonNode *vtr_resolve_report (VtrAnswers    *answers,
                              gboolean       replay,
                              GCancellable  *cancellable,
                              GError       **error);

G_END_DECLS
