/* Walks all commands of a trace once and counts how often each image and pipeline of Vulkan is
 * used, and for what. */
#include "engine/vulkan/show/vtr-use-resolver.h"

#include "engine/model/vtr-uses-private.h"

#include "engine/vulkan/memory/vtr-memory-host-copies.h"
#include "engine/vulkan/state/vtr-older-form.h"
#include "engine/vulkan/state/vtr-work.h"

#include "api/vtr-api-args.h"

#include <string.h>

#define N_POINTS 3
#define CANCEL_STEP 1024
/* Executing recordings asked for the pass a secondary inherits. */
#define MAX_INHERITANCE 4

/* --- Counting -------------------------------------------------------------------------------- */

/* A recording being walked: what is bound, and how much ran since anything of it changed. */
typedef struct
{
  VtrUses *uses;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrUseResolver resolver;
  VtrArena arena;
  VtrBoundState *pass; /* attachments of the current pass */
  const VtrRecording *recording;
  guint32 nth; /* of the recording */
  guint64 index;
  guint64 pipelines[N_POINTS];
  guint64 shaders[VTR_MAX_SHADERS];
  struct
  {
    guint64 sets[VTR_MAX_SETS];
    guint64 pushed[VTR_MAX_SETS]; /* flat index + 1 of the push; 0: none */
    guint64 work;                 /* draws or dispatches since the last change */
    guint64 last;                 /* flat index of the last of them */
  } points[N_POINTS];
} Counter;

static void
count_image (Counter *self, guint32 id, guint32 flags, guint point, guint64 work)
{
  VtrImageUses *uses = vtr_uses_edit_image (self->uses, id);
  gboolean draw = point == 0;

  if (id == 0)
    return;
  if ((flags & VTR_USE_READ) != 0)
    *(draw ? &uses->draws_reading : &uses->dispatches_reading) += work;
  if ((flags & VTR_USE_WRITE) == 0)
    return;
  *(draw ? &uses->draws_writing : &uses->dispatches_writing) += work;
  vtr_image_uses_note_write (uses, self->points[point].last);
}

static void
count_attachments (Counter *self, const VtrPipelineFacts *facts, guint64 work)
{
  const VtrBoundState *pass = self->pass;
  guint32 flags;

  for (guint32 i = 0; i < pass->n_colors; i++)
    if (i >= 32 || (facts->colors & (1u << i)) != 0)
      count_image (self, pass->colors[i].image, VTR_USE_WRITE, 0, work);
  flags = (pass->has_depth && facts->depth_written) ||
              (pass->has_stencil && facts->stencil_written)
            ? VTR_USE_WRITE
            : 0;
  if ((pass->has_depth && facts->depth_read) || (pass->has_stencil && facts->stencil_read))
    flags |= VTR_USE_READ;
  if (flags != 0)
    count_image (self, pass->has_depth ? pass->depth.image : pass->stencil.image, flags, 0, work);
}

/* The images that a list holds, each once: several descriptors may name the same one. */
static void
count_list (
  Counter *self, const VtrPipelineFacts *facts, GArray *list, guint32 set, guint point, guint64 n)
{
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const VtrSetImage *image = &g_array_index (list, VtrSetImage, i);
      gboolean again = FALSE;

      for (guint k = 0; k < i && i < 64 && !again; k++)
        again = g_array_index (list, VtrSetImage, k).image == image->image &&
                g_array_index (list, VtrSetImage, k).binding == image->binding;
      if (!again)
        count_image (self, image->image, vtr_pipeline_facts_get_use (facts, set, image), point, n);
    }
}

static void
count_sets (Counter *self, const VtrPipelineFacts *facts, guint point, guint64 work)
{
  for (guint32 set = 0; set < VTR_MAX_SETS; set++)
    {
      if (self->points[point].pushed[set] != 0)
        count_list (self, facts,
                    vtr_use_resolver_get_pushed (&self->resolver,
                                                 self->points[point].pushed[set] - 1),
                    set, point, work * self->recording->n_runs);
      else if (self->points[point].sets[set] != 0)
        /* A set may hold something else each time its command buffer runs. */
        for (guint32 k = 0; k < self->recording->n_runs; k++)
          count_list (self, facts,
                      vtr_use_resolver_get_set (
                        &self->resolver, self->points[point].sets[set],
                        vtr_timeline_find_run (self->timeline, self->nth, k)->submit),
                      set, point, work);
    }
}

/* Books what ran with the bindings as they are. */
static void
flush (Counter *self, guint point)
{
  guint64 work = self->points[point].work;
  guint64 runs = self->recording->n_runs;
  const VtrPipelineFacts *facts;
  VtrProgram program;

  self->points[point].work = 0;
  if (work == 0)
    return;
  vtr_program_find (self->history, point, self->pipelines[point], self->shaders, self->index,
                    &program);
  if (program.n == 0)
    return;
  for (guint i = 0; i < program.n; i++)
    {
      VtrPipelineUses *uses = vtr_uses_edit_pipeline (self->uses, program.objects[i]->id);

      *(point == 0 ? &uses->draws : &uses->dispatches) += work * runs;
    }
  facts = vtr_use_resolver_get_facts (&self->resolver, &program);
  if (point == 0)
    count_attachments (self, facts, work * runs);
  count_sets (self, facts, point, work);
}

static void
flush_all (Counter *self)
{
  for (guint i = 0; i < N_POINTS; i++)
    flush (self, i);
}

/* --- Commands -------------------------------------------------------------------------------- */

static void
count_transfer (guint64 handle, guint32 flags, gpointer data)
{
  Counter *self = data;
  const VtrObject *image =
    vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkImage, handle), self->index);
  VtrImageUses *uses;

  if (image == NULL)
    return;
  uses = vtr_uses_edit_image (self->uses, image->id);
  if ((flags & VTR_USE_READ) != 0)
    uses->copies_reading += self->recording->n_runs;
  if ((flags & VTR_USE_WRITE) == 0)
    return;
  if (vtr_cmd_is (vtr_trace_get_command_id (vtr_history_get_trace (self->history), self->index),
                  VTR_CLASS_CLEAR))
    uses->clears += self->recording->n_runs;
  else
    uses->copies_writing += self->recording->n_runs;
  vtr_image_uses_note_write (uses, self->index);
}

static void
count_clear (guint32 image, gpointer data)
{
  Counter *self = data;

  if (image == 0)
    return;
  vtr_uses_edit_image (self->uses, image)->clears += self->recording->n_runs;
  vtr_image_uses_note_write (vtr_uses_edit_image (self->uses, image), self->index);
}

static void
bind_sets (Counter *self, const VtrCommand *command)
{
  const VtrArgs_vkCmdBindDescriptorSets *args = command->args;
  guint point = vtr_bind_point_index (args->pipelineBindPoint);

  flush (self, point);
  for (guint32 i = 0; args->pDescriptorSets != NULL && i < args->descriptorSetCount; i++)
    if (args->firstSet < VTR_MAX_SETS && i < VTR_MAX_SETS - args->firstSet)
      {
        self->points[point].sets[args->firstSet + i] = (guint64)args->pDescriptorSets[i];
        self->points[point].pushed[args->firstSet + i] = 0;
      }
}

static void
push_set (Counter *self, guint point, guint32 set)
{
  flush (self, point);
  if (set < VTR_MAX_SETS)
    self->points[point].pushed[set] = self->index + 1;
}

/* The bind point of an update template. */
static guint
get_template_point (Counter *self, VkDescriptorUpdateTemplate handle)
{
  const VtrObject *object =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorUpdateTemplate, (guint64)handle),
                      self->index);
  guint point = 0;
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (object != NULL &&
      vtr_history_decode_creation (self->history, object, &arena, &command, NULL) &&
      vtr_cmd_canonical (command.id) == VTR_CMD_vkCreateDescriptorUpdateTemplate)
    {
      const VtrArgs_vkCreateDescriptorUpdateTemplate *args = command.args;

      if (args->pCreateInfo != NULL)
        point = vtr_bind_point_index (args->pCreateInfo->pipelineBindPoint);
    }
  vtr_arena_finish (&arena);
  return point;
}

/* Counts the work so far for the program that was bound. */
static void
bind_program (Counter *self, const VtrCommand *command)
{
  guint64 pipelines[N_POINTS], shaders[VTR_MAX_SHADERS];
  guint32 changed;

  memcpy (pipelines, self->pipelines, sizeof pipelines);
  memcpy (shaders, self->shaders, sizeof shaders);
  changed = vtr_bind_shaders (command, pipelines, shaders);
  for (guint point = 0; point < N_POINTS; point++)
    if ((changed >> point & 1) != 0)
      flush (self, point);
  memcpy (self->pipelines, pipelines, sizeof pipelines);
  memcpy (self->shaders, shaders, sizeof shaders);
}

static void
bind_form (Counter *self, const VtrCommand *command)
{
  switch (command->id)
    {
    case VTR_CMD_vkCmdBindPipeline:
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCmdBindShadersEXT:
#endif
      bind_program (self, command);
      break;
    case VTR_CMD_vkCmdBindDescriptorSets:
      bind_sets (self, command);
      break;
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      {
        const VtrArgs_vkCmdPushDescriptorSetKHR *args = command->args;

        push_set (self, vtr_bind_point_index (args->pipelineBindPoint), args->set);
        break;
      }
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR:
      {
        const VtrArgs_vkCmdPushDescriptorSetWithTemplateKHR *args = command->args;

        push_set (self, get_template_point (self, args->descriptorUpdateTemplate), args->set);
        break;
      }
    default:
      break;
    }
}

static void
bind (Counter *self, const VtrCommand *command)
{
  VtrOlderForms forms;

  for (vtr_older_forms_init (&forms, command); vtr_older_forms_next (&forms);)
    bind_form (self, &forms.command);
}

/* Finds the attachments of subpass @subpass of the pass that @begin began. */
static void
set_pass (Counter *self, guint64 begin, guint32 subpass)
{
  VtrCommand command;

  flush_all (self);
  memset (self->pass, 0, sizeof *self->pass);
  self->pass->pass_begin = begin;
  self->pass->subpass = subpass;
  if (!vtr_trace_decode (vtr_history_get_trace (self->history), begin, &self->arena, &command,
                         NULL))
    return;
  if (vtr_cmd_canonical (command.id) != VTR_CMD_vkCmdBeginRendering)
    {
      /* The first two parameters of both are the same. */
      const VtrArgs_vkCmdBeginRenderPass *args = command.args;

      if (args->pRenderPassBegin == NULL)
        return;
      self->pass->render_pass = (guint64)args->pRenderPassBegin->renderPass;
      self->pass->framebuffer = (guint64)args->pRenderPassBegin->framebuffer;
    }
  vtr_attachments_fill (self->history, self->pass);
}

static gboolean
needs_decoding (VtrCmdId id)
{
  switch (vtr_cmd_older_form (id))
    {
    case VTR_CMD_vkCmdBindPipeline:
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCmdBindShadersEXT:
#endif
    case VTR_CMD_vkCmdBindDescriptorSets:
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR:
      return TRUE;
    default:
      return vtr_cmd_is (id, VTR_CLASS_TRANSFER | VTR_CLASS_CLEAR);
    }
}

static void
count_command (Counter *self, VtrCmdId id)
{
  VtrCommand command;
  guint point =
    vtr_work_get_point (vtr_work_at (vtr_history_get_trace (self->history), self->index));

  if (point < N_POINTS)
    {
      self->points[point].work++;
      self->points[point].last = self->index;
      return;
    }
  if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
    {
      set_pass (self, self->index, 0);
      vtr_attachments_visit_cleared (self->history, self->index, count_clear, self);
    }
  else if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
    set_pass (self, self->pass->pass_begin, self->pass->subpass + 1);
  else if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
    {
      flush_all (self);
      memset (self->pass, 0, sizeof *self->pass);
    }
  else if (needs_decoding (id) &&
           vtr_trace_decode (vtr_history_get_trace (self->history), self->index, &self->arena,
                             &command, NULL))
    {
      if (vtr_cmd_canonical (id) == VTR_CMD_vkCmdClearAttachments)
        vtr_use_visit_cleared_attachments (&command, self->pass, count_clear, self);
      else if (vtr_cmd_is (id, VTR_CLASS_TRANSFER | VTR_CLASS_CLEAR))
        vtr_use_visit_transfer (&command, count_transfer, self);
      else
        bind (self, &command);
    }
}

/* The pass of a secondary command buffer: that of the first primary that executes it. */
static void
inherit_pass (Counter *self, guint32 nth)
{
  const VtrRun *run = vtr_timeline_find_run (self->timeline, nth, 0);
  g_autoptr (VtrBoundWalker) walker = NULL;

  memset (self->pass, 0, sizeof *self->pass);
  if (run == NULL || run->parent == VTR_NO_RUN)
    return;
  walker = vtr_bound_walker_new (self->timeline, self->history);
  if (!vtr_bound_walker_get (walker, run->executed_by, self->pass, NULL) || !self->pass->in_pass)
    memset (self->pass, 0, sizeof *self->pass);
}

static gboolean
count_recording (Counter *self, guint32 nth, GCancellable *cancellable, GError **error)
{
  VtrTrace *trace = vtr_history_get_trace (self->history);
  gboolean contiguous = vtr_timeline_is_contiguous (self->timeline);

  self->recording = vtr_timeline_get_recording (self->timeline, nth);
  self->nth = nth;
  if (self->recording->n_runs == 0)
    return TRUE;
  memset (self->points, 0, sizeof self->points);
  memset (self->pipelines, 0, sizeof self->pipelines);
  memset (self->shaders, 0, sizeof self->shaders);
  inherit_pass (self, nth);
  for (guint64 index = self->recording->first; index <= self->recording->last; index++)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, index);

      if (index % CANCEL_STEP == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!vtr_cmd_is_known (id) || !vtr_cmd_is (id, VTR_CLASS_RECORD) ||
          (!contiguous && vtr_timeline_find_recording (self->timeline, index) != nth))
        continue;
      self->index = index;
      count_command (self, id);
      vtr_arena_reset (&self->arena);
    }
  flush_all (self);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

/* Counts copies by the host, once each. */
static gboolean
count_host_copies (Counter *self, GCancellable *cancellable, GError **error)
{
  VtrTrace *trace = vtr_history_get_trace (self->history);
  guint64 n = vtr_trace_get_n_commands (trace);
  const VtrObject *image;
  guint64 source, destination;
  VtrCommand command;

  for (guint64 i = 0; i < n; i++)
    {
      if (i % CANCEL_STEP == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!vtr_is_host_copy (vtr_trace_get_command_id (trace, i)))
        continue;
      vtr_arena_reset (&self->arena);
      if (!vtr_trace_decode (trace, i, &self->arena, &command, NULL) ||
          !vtr_host_copy_read (&command, &source, &destination))
        continue;
      image = vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkImage, source), i);
      if (image != NULL)
        vtr_uses_edit_image (self->uses, image->id)->copies_reading++;
      image = vtr_history_find (self->history,
                                vtr_vulkan_identity (VTR_HANDLE_VkImage, destination), i);
      if (image == NULL)
        continue;
      vtr_uses_edit_image (self->uses, image->id)->copies_writing++;
      vtr_image_uses_note_write (vtr_uses_edit_image (self->uses, image->id), i);
    }
  return TRUE;
}

gboolean
vtr_vulkan_count_uses (VtrAnalysis   *analysis,
                       VtrUses       *uses,
                       GCancellable  *cancellable,
                       GError       **error)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (analysis);
  VtrHistory *history = vtr_analysis_get_history (analysis);
  g_autofree VtrBoundState *pass = g_new0 (VtrBoundState, 1);
  Counter counter = { .uses = uses, .timeline = timeline, .history = history, .pass = pass };
  gboolean done = TRUE;

  vtr_use_resolver_init (&counter.resolver, history);
  vtr_arena_init (&counter.arena);
  for (guint32 i = 0; i < vtr_timeline_get_n_recordings (timeline) && done; i++)
    done = count_recording (&counter, i, cancellable, error);
  done = done && count_host_copies (&counter, cancellable, error);
  vtr_arena_finish (&counter.arena);
  vtr_use_resolver_clear (&counter.resolver);
  return done;
}
