/* Runs commands through a chain of transforms, at the end of which the replay builder takes
 * them. */
#include "engine/replay-builder/vtr-transform.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <stdarg.h>

#include "engine/api/vtr-build-api.h"

VtrTransform *
vtr_transform_chain (VtrTransform *first,
                     ...)
{
  VtrTransform *last = first;
  VtrTransform *next;
  va_list list;

  va_start (list, first);
  while ((next = va_arg (list, VtrTransform *)) != NULL)
    {
      while (last->next != NULL)
        last = last->next;
      last->next = next;
    }
  va_end (list);
  return first;
}

void
vtr_transform_free (VtrTransform *self)
{
  while (self != NULL)
    {
      VtrTransform *next = self->next;

      self->klass->free (self);
      self = next;
    }
}

gboolean
vtr_transform_command (VtrTransform  *self,
                       VtrCommand    *command,
                       GError       **error)
{
  while (self->klass->command == NULL)
    self = self->next;
  return self->klass->command (self, command, error);
}

gboolean
vtr_transform_write (VtrTransform      *self,
                     guint64            index,
                     gsize              nth,
                     VtrContentRecord  *write,
                     GError           **error)
{
  while (self->klass->write == NULL)
    self = self->next;
  return self->klass->write (self, index, nth, write, error);
}

gboolean
vtr_transform_read (VtrTransform      *self,
                    VtrTransformRead  *read,
                    GError           **error)
{
  while (self->klass->read == NULL)
    self = self->next;
  return self->klass->read (self, read, error);
}

gboolean
vtr_transform_end (VtrTransform  *self,
                   GError       **error)
{
  while (self->klass->end == NULL)
    self = self->next;
  return self->klass->end (self, error);
}

gboolean
vtr_transform_emit (VtrTransform  *self,
                    VtrCmdId       id,
                    gpointer       args,
                    guint64        index,
                    GError       **error)
{
  VtrCommand command = { .id = id, .index = index, .args = args };

  return vtr_transform_command (self, &command, error);
}

#define FIRST_NEW_HANDLE G_GUINT64_CONSTANT (0x8f00000000000001)

guint64
vtr_transform_new_handle (void)
{
  static gint next;

  return FIRST_NEW_HANDLE + 2 * (guint64)(guint)g_atomic_int_add (&next, 1);
}

gboolean
vtr_transform_is_new_handle (guint64 handle)
{
  return handle - FIRST_NEW_HANDLE < 2 * (guint64)G_MAXUINT32 && (handle & 1) != 0;
}

/* --- Resuming -------------------------------------------------------------------------------- */

gboolean
vtr_transform_resume_plain (VtrTransform       *self,
                            VtrTransformStart  *start,
                            GError            **error)
{
  return TRUE;
}

gboolean
vtr_transform_resume (VtrTransform       *self,
                      VtrTransformStart  *start,
                      GError            **error)
{
  for (; self != NULL; self = self->next)
    {
      if (self->klass->resume == NULL)
        {
          g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                       _ ("“%s” needs the whole trace"), self->klass->name);
          return FALSE;
        }
      if (!self->klass->resume (self, start, error))
        return FALSE;
    }
  return TRUE;
}

void
vtr_transform_skipped (VtrTransform *self,
                       VtrCommand   *command)
{
  while (self != NULL && self->klass->skipped == NULL)
    self = self->next;
  if (self != NULL)
    self->klass->skipped (self, command);
}

VtrTransform *
vtr_transform_find (VtrTransform            *chain,
                    const VtrTransformClass *klass)
{
  while (chain != NULL && chain->klass != klass)
    chain = chain->next;
  return chain;
}

/* --- The end of a chain ---------------------------------------------------------------------- */

typedef struct
{
  VtrTransform parent;
  VtrReplayBuilder *builder;
} TransformBuild;

static gboolean
build_command (VtrTransform  *self,
               VtrCommand    *command,
               GError       **error)
{
  return vtr_replay_builder_add (((TransformBuild *)self)->builder, command, error);
}

static gboolean
build_write (VtrTransform      *self,
             guint64            index,
             gsize              nth,
             VtrContentRecord  *write,
             GError           **error)
{
  return vtr_replay_builder_write (((TransformBuild *)self)->builder, index, nth, write, error);
}

static gboolean
build_read (VtrTransform      *self,
            VtrTransformRead  *read,
            GError           **error)
{
  return read->api->build->read (((TransformBuild *)self)->builder, read, error);
}

static gboolean
build_end (VtrTransform  *self,
           GError       **error)
{
  return vtr_replay_builder_flush (((TransformBuild *)self)->builder, error);
}

static void
build_free (VtrTransform *self)
{
  g_free (self);
}

static const VtrTransformClass build_class = {
  .name = "build",
  .command = build_command,
  .write = build_write,
  .read = build_read,
  .end = build_end,
  .free = build_free,
  .resume = vtr_transform_resume_plain,
};

VtrTransform *
vtr_transform_build_new (VtrReplayBuilder *builder)
{
  TransformBuild *self = g_new0 (TransformBuild, 1);

  self->parent.klass = &build_class;
  self->builder = builder;
  return &self->parent;
}

/* --- Driving --------------------------------------------------------------------------------- */

typedef struct
{
  VtrTransform *transform;
  guint64 index;
} Writes;

static gboolean
pass_write (const VtrContentRecord  *write,
            gsize                    nth,
            gpointer                 data,
            GError                 **error)
{
  const Writes *self = data;
  VtrContentRecord own = *write;

  return vtr_transform_write (self->transform, self->index, nth, &own, error);
}

gboolean
vtr_transform_drive_writes (VtrTransform  *self,
                            VtrTrace      *trace,
                            guint64        index,
                            GError       **error)
{
  Writes writes = { self, index };

  return vtr_trace_each_content (trace, index, TRUE, pass_write, &writes, error);
}

static gboolean
run_one (VtrTransform  *self,
         VtrTrace      *trace,
         guint64        index,
         VtrArena      *arena,
         GError       **error)
{
  VtrCommand command;

  if (!vtr_transform_drive_writes (self, trace, index, error))
    return FALSE;
  /* Nobody here can run a command of an API that this build lacks: a picture of another API does
   * without it. */
  if (vtr_cmd_is_foreign (vtr_trace_get_command_id (trace, index)))
    return TRUE;
  return vtr_trace_decode (trace, index, arena, &command, error) &&
         vtr_transform_command (self, &command, error);
}

gboolean
vtr_transform_feed (VtrTransform  *self,
                    VtrTrace      *trace,
                    guint64        index,
                    GError       **error)
{
  VtrCommand command;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = vtr_trace_decode (trace, index, &arena, &command, error) &&
       vtr_transform_command (self, &command, error);
  vtr_arena_finish (&arena);
  return ok;
}

gboolean
vtr_transform_drive (VtrTransform      *self,
                     VtrTrace          *trace,
                     guint64            begin,
                     guint64            end,
                     VtrTraceProgress   progress,
                     gpointer           progress_data,
                     GCancellable      *cancellable,
                     GError           **error)
{
  VtrArena arena;
  gboolean ok = TRUE;

  vtr_arena_init (&arena);
  for (guint64 i = begin; ok && i < end; i++)
    {
      if (i % 32 == 0)
        ok = !g_cancellable_set_error_if_cancelled (cancellable, error);
      if (ok && i % 1024 == 0 && progress != NULL)
        progress (i, end, progress_data);
      vtr_arena_reset (&arena);
      ok = ok && run_one (self, trace, i, &arena, error);
    }
  vtr_arena_finish (&arena);
  return ok;
}

gboolean
vtr_transform_run (VtrTransform      *self,
                   VtrTrace          *trace,
                   guint64            end,
                   VtrTraceProgress   progress,
                   gpointer           progress_data,
                   GCancellable      *cancellable,
                   GError           **error)
{
  return vtr_transform_drive (self, trace, 0, end, progress, progress_data, cancellable, error) &&
         vtr_transform_end (self, error);
}
