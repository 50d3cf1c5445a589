/* The list model behind the tree of the Memory pane: array elements, structure members, matrix
 * columns. */
#include "vtr-config.h"

#include "widgets/vtr-memory-values.h"

/* The bytes that a list, the lists inside it and all their values share:
   vtr_memory_values_set_view() changes them. */
typedef struct
{
  VtrMemoryView *view;
} Source;

struct _VtrMemoryValue
{
  GObject parent_instance;

  Source *source; /* g_rc_box */
  VtrMemoryType *type;
  guint64 offset; /* from the view's first byte */
  char *name;
  char *type_name;
  VtrMemoryView *text_view; /* the view for which .text was made */
  char *text;               /* "··": unknown, or beyond the view */
};

G_DEFINE_FINAL_TYPE (VtrMemoryValue, vtr_memory_value, G_TYPE_OBJECT)

struct _VtrMemoryValues
{
  GObject parent_instance;

  Source *source;      /* g_rc_box */
  VtrMemoryType *type; /* of an element; of the parent when .members */
  gboolean members;
  guint64 offset, stride;
  guint n;
};

static void list_model_iface_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrMemoryValues,
                               vtr_memory_values,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_iface_init))

static void
source_clear (gpointer data)
{
  vtr_memory_view_unref (((Source *)data)->view);
}

static void
source_release (Source *self)
{
  g_rc_box_release_full (self, source_clear);
}

/* --- Values ---------------------------------------------------------------------------------- */

/* Whether all bytes are known. */
static gboolean
is_known (const VtrMemoryView *view,
          guint64              offset,
          guint64              size)
{
  guint64 at = view->offset + offset;

  for (guint i = 0; i < view->spans->len; i++)
    {
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, i);

      if (span->offset >= at + size)
        break;
      if (span->offset + span->size > at && !span->known)
        return FALSE;
    }
  return TRUE;
}

/* Takes @name. */
static VtrMemoryValue *
value_new (Source        *source,
           VtrMemoryType *type,
           guint64        offset,
           char          *name)
{
  VtrMemoryValue *self = g_object_new (VTR_TYPE_MEMORY_VALUE, NULL);

  self->source = g_rc_box_acquire (source);
  self->type = vtr_memory_type_ref (type);
  self->offset = offset;
  self->name = name;
  self->type_name = vtr_memory_type_describe (type);
  return self;
}

static void
vtr_memory_value_finalize (GObject *object)
{
  VtrMemoryValue *self = VTR_MEMORY_VALUE (object);

  source_release (self->source);
  g_clear_pointer (&self->text_view, vtr_memory_view_unref);
  vtr_memory_type_unref (self->type);
  g_free (self->name);
  g_free (self->type_name);
  g_free (self->text);
  G_OBJECT_CLASS (vtr_memory_value_parent_class)->finalize (object);
}

static void
vtr_memory_value_class_init (VtrMemoryValueClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_memory_value_finalize;
}

static void
vtr_memory_value_init (VtrMemoryValue *self)
{
}

const char *
vtr_memory_value_get_name (VtrMemoryValue *self)
{
  return self->name;
}

const char *
vtr_memory_value_get_type_name (VtrMemoryValue *self)
{
  return self->type_name;
}

const char *
vtr_memory_value_get_text (VtrMemoryValue *self)
{
  VtrMemoryView *view = self->source->view;
  guint64 size = vtr_memory_type_get_size (self->type);
  const guint8 *bytes = g_bytes_get_data (view->bytes, NULL);

  if (self->text_view == view)
    return self->text;
  g_clear_pointer (&self->text_view, vtr_memory_view_unref);
  self->text_view = vtr_memory_view_ref (view);
  g_free (self->text);
  self->text = size <= view->size - MIN (self->offset, view->size) &&
                   is_known (view, self->offset, size)
                 ? vtr_memory_type_format (self->type, bytes + self->offset)
                 : g_strdup ("··");
  return self->text;
}

guint64
vtr_memory_value_get_offset (VtrMemoryValue *self)
{
  return self->offset;
}

guint64
vtr_memory_value_get_size (VtrMemoryValue *self)
{
  return vtr_memory_type_get_size (self->type);
}

/* --- Lists ----------------------------------------------------------------------------------- */

static GType
values_get_item_type (GListModel *model)
{
  return VTR_TYPE_MEMORY_VALUE;
}

static guint
values_get_n_items (GListModel *model)
{
  return VTR_MEMORY_VALUES (model)->n;
}

static gpointer
values_get_item (GListModel *model,
                 guint       position)
{
  VtrMemoryValues *self = VTR_MEMORY_VALUES (model);
  const VtrMemoryType *member;
  const char *name;
  guint64 offset;

  if (position >= self->n)
    return NULL;
  if (!self->members)
    return value_new (self->source, self->type, self->offset + position * self->stride,
                      g_strdup_printf ("[%u]", position));
  member = vtr_memory_type_get_member (self->type, position, &name, &offset);
  return value_new (self->source, (VtrMemoryType *)member, self->offset + offset,
                    name != NULL ? g_strdup (name) : g_strdup_printf ("[%u]", position));
}

static void
list_model_iface_init (GListModelInterface *iface)
{
  iface->get_item_type = values_get_item_type;
  iface->get_n_items = values_get_n_items;
  iface->get_item = values_get_item;
}

static void
vtr_memory_values_finalize (GObject *object)
{
  VtrMemoryValues *self = VTR_MEMORY_VALUES (object);

  source_release (self->source);
  vtr_memory_type_unref (self->type);
  G_OBJECT_CLASS (vtr_memory_values_parent_class)->finalize (object);
}

static void
vtr_memory_values_class_init (VtrMemoryValuesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_memory_values_finalize;
}

static void
vtr_memory_values_init (VtrMemoryValues *self)
{
}

/* Takes @source. */
static VtrMemoryValues *
values_new (Source        *source,
            VtrMemoryType *type)
{
  VtrMemoryValues *self = g_object_new (VTR_TYPE_MEMORY_VALUES, NULL);

  self->source = source;
  self->type = vtr_memory_type_ref (type);
  return self;
}

GListModel *
vtr_memory_values_new (VtrMemoryView *view,
                       VtrMemoryType *type,
                       guint64        stride)
{
  g_autoptr (VtrMemoryType) fitted = vtr_memory_type_fit (type, view->size);
  Source *source = g_rc_box_new0 (Source);
  VtrMemoryValues *self = values_new (source, fitted);
  guint64 size = vtr_memory_type_get_size (fitted);
  guint64 n = 0;

  source->view = vtr_memory_view_ref (view);
  if (vtr_memory_type_is_single (fitted))
    {
      self->members = TRUE;
      self->n = (guint)MIN (vtr_memory_type_get_n_members (fitted), G_MAXUINT / 2);
      return G_LIST_MODEL (self);
    }
  self->stride = stride != 0 ? stride : vtr_memory_type_get_stride (type);
  if (size <= view->size)
    n = (view->size - size) / self->stride + 1;
  self->n = (guint)MIN (n, G_MAXUINT / 2);
  return G_LIST_MODEL (self);
}

gboolean
vtr_memory_values_set_view (VtrMemoryValues *self,
                            VtrMemoryView   *view)
{
  VtrMemoryView *old = self->source->view;

  if (view->size != old->size)
    return FALSE;
  self->source->view = vtr_memory_view_ref (view);
  vtr_memory_view_unref (old);
  return TRUE;
}

GListModel *
vtr_memory_value_list_children (VtrMemoryValue *self)
{
  guint64 n = vtr_memory_type_get_n_members (self->type);
  VtrMemoryValues *list;

  if (n == 0)
    return NULL;
  list = values_new (g_rc_box_acquire (self->source), self->type);
  list->members = TRUE;
  list->offset = self->offset;
  list->n = (guint)MIN (n, G_MAXUINT / 2);
  return G_LIST_MODEL (list);
}
