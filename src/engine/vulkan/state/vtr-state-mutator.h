/* Runs commands over a state. */
#pragma once

#include "engine/vulkan/state/vtr-state-effects.h"

G_BEGIN_DECLS

/* A place in the order in which things happen. */
typedef struct
{
  guint64 index;   /* of a call; VTR_COMMAND_NO_INDEX: before the first */
  guint32 run;     /* VTR_NO_RUN: the call is over; else it is a submission, … */
  guint64 command; /* … and this recorded command of that run is over */
} VtrStatePosition;

/* <0: @a comes first. */
int vtr_state_position_compare (VtrTimeline            *timeline,
                                const VtrStatePosition *a,
                                const VtrStatePosition *b);

/* Where @run is: the run of each level down to it, and the command it has got to there. */
#define VTR_MAX_LEVELS 12

typedef struct
{
  guint n;
  struct
  {
    guint32 run;
    guint64 command;
  } levels[VTR_MAX_LEVELS];
} VtrRunChain;

void vtr_run_chain_init (VtrRunChain            *self,
                         VtrTimeline            *timeline,
                         const VtrStatePosition *position);

/**
 * VtrMutator:
 *
 * @state is the mutator's own and goes on with each call. Threading: one at a time.
 */
typedef struct
{
  VtrStateShared *shared;
  VtrEffectCache *effects;
  VtrApiState *state;
  VtrArena arena;
  VtrCommand command;   /* being applied, .id canonical */
  guint32 next_end;     /* of shared->ends */
  guint64 work;         /* done so far, in decoded commands */
  guint64 effects_done; /* counted into .work now and then */
  guint32 queue_family; /* of the submission under way */
  GArray *messages;     /* of VtrStateMessage; NULL: nobody listens */
  GHashTable *said;     /* what was said already */
  gboolean unordered;   /* something was submitted before what it waits for: it ran later */
  /* Called between steps of a submission. Nullable. */
  void (*on_step) (gpointer data, const VtrStatePosition *at);
  gpointer step_data;
} VtrMutator;

/* Takes over @state, which is at its index and run. */
void vtr_mutator_init (VtrMutator     *self,
                       VtrStateShared *shared,
                       VtrEffectCache *effects,
                       VtrApiState    *state);
void vtr_mutator_finish (VtrMutator *self);
/* Applies one call wholly. */
void vtr_mutator_apply (VtrMutator *self,
                        guint64     index);
/* Goes from the state's position to @to. Returns: FALSE when cancelled. */
gboolean vtr_mutator_go (VtrMutator              *self,
                         const VtrStatePosition  *from,
                         const VtrStatePosition  *to,
                         GCancellable            *cancellable,
                         GError                 **error);

/* --- For the parts of the mutator --- */

guint32 vtr_mutator_find (VtrMutator *self,
                          guint32     type,
                          guint64     handle);
/* The record of a living object, to change it. NULL: the handle means nothing. */
gpointer vtr_mutator_edit (VtrMutator *self,
                           guint32     type,
                           guint64     handle);
gpointer vtr_mutator_edit_id (VtrMutator *self,
                              guint32     id);
void vtr_mutator_say (VtrMutator *self,
                      VtrStateLevel level,
                      guint64 index,
                      const char *check,
                      const char *format,
                      ...) G_GNUC_PRINTF (5, 6);
/* "image 41", for messages. (transfer full) */
char *vtr_mutator_describe (VtrMutator *self,
                            guint32     id);

/* Each returns whether the command was one of its own. */
gboolean vtr_mutator_apply_memory (VtrMutator *self);
gboolean vtr_mutator_apply_sets (VtrMutator *self);
gboolean vtr_mutator_apply_execution_sets (VtrMutator *self);
gboolean vtr_mutator_apply_sync (VtrMutator *self);
gboolean vtr_mutator_apply_swapchain (VtrMutator *self);
gboolean vtr_mutator_apply_buffers (VtrMutator *self);
/* Copies and changes of layouts that the host does itself. */
gboolean vtr_mutator_apply_host_images (VtrMutator *self);
gboolean vtr_mutator_wants_host_images (VtrCmdId id);

/* A submission, from and to places inside it (NULL: its begin, its end). */
void vtr_mutator_submit (VtrMutator             *self,
                         guint64                 index,
                         const VtrStatePosition *from,
                         const VtrStatePosition *to);
/* Run by run: applies the effects between two places. Returns: FALSE when @to was reached. */
gboolean vtr_mutator_run (VtrMutator        *self,
                          guint32            run,
                          guint              level,
                          const VtrRunChain *from,
                          const VtrRunChain *to);
void vtr_mutator_apply_effect (VtrMutator      *self,
                               const VtrEffect *effect,
                               guint64          index);

/* @object is part of the submission (or other use) under way. */
void vtr_mutator_add_pending (VtrMutator *self,
                              guint32     queue,
                              guint32     object);
void vtr_mutator_wait_semaphore (VtrMutator  *self,
                                 VkSemaphore  semaphore,
                                 guint64      value);
void vtr_mutator_signal_semaphore (VtrMutator  *self,
                                   VkSemaphore  semaphore,
                                   guint64      value,
                                   guint32      queue);
void vtr_mutator_use_fence (VtrMutator *self,
                            VkFence     fence,
                            guint32     queue);

G_END_DECLS
