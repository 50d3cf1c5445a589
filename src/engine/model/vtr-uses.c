/* Counts how often each object is used, with the help of the trace's APIs. */
#include "engine/model/vtr-uses-private.h"

#include "engine/api/vtr-show-api.h"

struct _VtrUses
{
  GObject parent_instance;

  VtrImageUses *images;       /* by object id */
  VtrPipelineUses *pipelines; /* by object id */
  guint32 n_objects;
};

G_DEFINE_FINAL_TYPE (VtrUses, vtr_uses, G_TYPE_OBJECT)

static void
vtr_uses_finalize (GObject *object)
{
  VtrUses *self = VTR_USES (object);

  g_free (self->images);
  g_free (self->pipelines);
  G_OBJECT_CLASS (vtr_uses_parent_class)->finalize (object);
}

static void
vtr_uses_class_init (VtrUsesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_uses_finalize;
}

static void
vtr_uses_init (VtrUses *self)
{
}

VtrUses *
vtr_uses_new (VtrAnalysis   *analysis,
              GCancellable  *cancellable,
              GError       **error)
{
  g_autoptr (VtrUses) self = g_object_new (VTR_TYPE_USES, NULL);

  self->n_objects = vtr_history_get_n_objects (vtr_analysis_get_history (analysis));
  self->images = g_new0 (VtrImageUses, self->n_objects + 1);
  self->pipelines = g_new0 (VtrPipelineUses, self->n_objects + 1);
  for (guint32 i = 0; i <= self->n_objects; i++)
    self->images[i].first_write = self->images[i].last_write = VTR_COMMAND_NO_INDEX;
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->show != NULL && vtr_apis[i]->show->count_uses != NULL &&
        !vtr_apis[i]->show->count_uses (analysis, self, cancellable, error))
      return NULL;
  return g_steal_pointer (&self);
}

const VtrImageUses *
vtr_uses_get_image (VtrUses *self, guint32 id)
{
  return &self->images[id <= self->n_objects ? id : 0];
}

const VtrPipelineUses *
vtr_uses_get_pipeline (VtrUses *self, guint32 id)
{
  return &self->pipelines[id <= self->n_objects ? id : 0];
}

VtrImageUses *
vtr_uses_edit_image (VtrUses *self, guint32 id)
{
  g_return_val_if_fail (id <= self->n_objects, self->images);

  return &self->images[id];
}

VtrPipelineUses *
vtr_uses_edit_pipeline (VtrUses *self, guint32 id)
{
  g_return_val_if_fail (id <= self->n_objects, self->pipelines);

  return &self->pipelines[id];
}

void
vtr_image_uses_note_write (VtrImageUses *self, guint64 index)
{
  if (self->first_write == VTR_COMMAND_NO_INDEX || index < self->first_write)
    self->first_write = index;
  if (self->last_write == VTR_COMMAND_NO_INDEX || index > self->last_write)
    self->last_write = index;
}

void
vtr_use_list_add (GArray *list, guint32 image, guint32 flags)
{
  VtrUse use = { image, flags };

  if (image == 0 || flags == 0)
    return;
  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, VtrUse, i).image == image)
      {
        g_array_index (list, VtrUse, i).flags |= flags;
        return;
      }
  g_array_append_val (list, use);
}
