/* A list model of property rows, which are made on demand; the widget that shows a row keeps it
 * alive. */
#include "engine/model/vtr-property-private.h"
#include "engine/api/vtr-show-api.h"
#include "engine/api/vtr-state-api.h"
#include "engine/format/vtr-foreign-command.h"
#include "engine/state/vtr-history.h"

#include "engine/state/vtr-resolve-error.h"

#include "api/vtr-api-types.h"

#include <glib/gi18n.h>
#include <string.h>

struct _VtrPropertyList
{
  GObject parent_instance;

  VtrPropertySource *source;
  const VtrProperty *property; /* its children are the rows between */
  GPtrArray *head, *tail;      /* of VtrPropertyRow; nullable */
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrPropertyList,
                               vtr_property_list,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static GType
get_item_type (GListModel *model)
{
  return VTR_TYPE_PROPERTY_ROW;
}

static guint
count (const GPtrArray *rows)
{
  return rows != NULL ? rows->len : 0;
}

static guint
get_n_items (GListModel *model)
{
  VtrPropertyList *self = VTR_PROPERTY_LIST (model);
  guint64 n = self->property != NULL ? self->property->n_children : 0;

  return (guint)MIN (n + count (self->head) + count (self->tail), G_MAXUINT);
}

static gpointer
get_item (GListModel *model, guint position)
{
  VtrPropertyList *self = VTR_PROPERTY_LIST (model);
  guint64 n = self->property != NULL ? self->property->n_children : 0;
  const VtrProperty *child;

  if (position >= get_n_items (model))
    return NULL;
  if (position < count (self->head))
    return g_object_ref (self->head->pdata[position]);
  position -= count (self->head);
  if (position >= n)
    return g_object_ref (self->tail->pdata[position - n]);
  child = vtr_property_child (&self->source->arena, self->property, position);
  if (child == NULL)
    return vtr_property_row_new ("?", "", NULL, NULL);
  return vtr_property_row_new_for_property (self->source, child);
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
vtr_property_list_finalize (GObject *object)
{
  VtrPropertyList *self = VTR_PROPERTY_LIST (object);

  g_clear_pointer (&self->source, vtr_property_source_unref);
  g_clear_pointer (&self->head, g_ptr_array_unref);
  g_clear_pointer (&self->tail, g_ptr_array_unref);
  G_OBJECT_CLASS (vtr_property_list_parent_class)->finalize (object);
}

static void
vtr_property_list_class_init (VtrPropertyListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_property_list_finalize;
}

static void
vtr_property_list_init (VtrPropertyList *self)
{
}

/* Rows before (@head) and after (@tail) those of @property; both GPtrArrays of VtrPropertyRow,
   nullable, taken. */
static VtrPropertyList *
new_around (VtrPropertySource *source,
            const VtrProperty *property,
            GPtrArray         *head,
            GPtrArray         *tail)
{
  VtrPropertyList *self = g_object_new (VTR_TYPE_PROPERTY_LIST, NULL);

  if (source != NULL)
    self->source = vtr_property_source_ref (source);
  self->property = property;
  self->head = head;
  self->tail = tail;
  return self;
}

VtrPropertyList *
vtr_property_list_new_for_property (VtrPropertySource *source, const VtrProperty *property)
{
  return new_around (source, property, NULL, NULL);
}

VtrPropertyList *
vtr_property_list_new_take (GPtrArray *rows)
{
  return new_around (NULL, NULL, rows, NULL);
}

static void
take_row (GPtrArray *rows, const char *name, const char *text, const char *link)
{
  g_ptr_array_add (rows, vtr_property_row_new (name, text, link, NULL));
}

/* The result of a call, with a sentence when it failed. */
static GPtrArray *
make_result (VtrPropertySource *source)
{
  VtrCmdId id = source->command.id;
  const VtrApi *api = vtr_api_get (id);
  gboolean failed = api != NULL && api->state != NULL && api->state->succeeded != NULL &&
                    api->state->succeeded (&source->command, NULL) == VTR_NO;
  g_autofree char *text = NULL;
  VtrBuffer buffer = { 0 };
  VtrPropertyRow *row;
  GPtrArray *rows;

  if (vtr_cmd_get (id)->result == VTR_RESULT_VOID)
    return NULL;

  rows = g_ptr_array_new_with_free_func (g_object_unref);
  if (!source->command.has_result)
    {
      row = vtr_property_row_new (_ ("returns"), _ ("never returned"), NULL, NULL);
      vtr_property_row_set_warning (row, _ ("The program ended inside this call."));
      g_ptr_array_add (rows, row);
      return rows;
    }
  vtr_api_json_result (id, source->command.result, &buffer);
  text = g_strndup ((const char *)buffer.data, buffer.size);
  vtr_buffer_finish (&buffer);
  /* Names come quoted. */
  if (text[0] == '"' && text[strlen (text) - 1] == '"')
    {
      text[strlen (text) - 1] = '\0';
      row = vtr_property_row_new (_ ("returns"), text + 1, NULL, NULL);
    }
  else
    row = vtr_property_row_new (_ ("returns"), text, NULL, NULL);
  if (failed)
    vtr_property_row_set_warning (row, _ ("The call failed."));
  g_ptr_array_add (rows, row);
  return rows;
}

static void
take_foreign_row (GPtrArray *rows, const char *name, const VtrForeignField *field)
{
  VtrBuffer buffer = { 0 };
  g_autofree char *text = NULL;

  vtr_foreign_field_text (field, &buffer);
  text = buffer.failed ? g_strdup ("")
                       : g_utf8_make_valid ((char *)buffer.data, (gssize)buffer.size);
  vtr_buffer_finish (&buffer);
  take_row (rows, name, text, NULL);
}

/* What a trace itself says of a command whose API this build lacks. */
static GPtrArray *
make_foreign_rows (const VtrForeignCommand *command)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);

  for (gsize i = 0; i < command->n_fields; i++)
    take_foreign_row (rows, command->fields[i].name, &command->fields[i]);
  if (command->result != NULL)
    take_foreign_row (rows, _ ("returns"), command->result);
  return rows;
}

VtrPropertyList *
vtr_property_list_new_for_command (VtrAnalysis *analysis, guint64 index, GError **error)
{
  g_autoptr (VtrPropertySource) source =
    vtr_property_source_new_for_command (analysis, index, error);

  if (source == NULL)
    return NULL;
  if (source->command.foreign != NULL)
    return new_around (source, source->root, make_foreign_rows (source->command.foreign), NULL);
  return new_around (source, source->root, NULL, make_result (source));
}

static void
take_command_row (GPtrArray *rows, VtrAnalysis *analysis, const char *name, guint64 index)
{
  VtrTrace *trace = vtr_analysis_get_trace (analysis);
  g_autofree char *text = NULL, *number = NULL, *link = NULL;

  if (index == VTR_COMMAND_NO_INDEX)
    return;
  number = vtr_trace_format_number (trace, index);
  text = g_strdup_printf ("%s %s", vtr_trace_get_command_name (trace, index), number);
  link = vtr_trace_format_command (trace, index);
  take_row (rows, name, text, link);
}

static GPtrArray *
make_object_rows (VtrAnalysis *analysis, const VtrObject *object)
{
  VtrHistory *history = vtr_analysis_get_history (analysis);
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);
  const VtrObject *parent = vtr_history_get_object (history, object->parent);
  guint64 shown =
    vtr_trace_get_driver_handle (vtr_analysis_get_trace (analysis), object->handle);
  g_autofree char *handle = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", shown);
  g_autofree char *description = vtr_history_describe (history, object);
  const VtrShowApi *show = vtr_show_api_get (object->type);

  take_row (rows, _ ("object"), description, NULL);
  take_row (rows, _ ("type"), vtr_api_string (vtr_handle_get (object->type)->name), NULL);
  take_row (rows, _ ("handle"), handle, NULL);
  if (parent != NULL)
    {
      g_autofree char *name = vtr_history_describe (history, parent);
      g_autofree char *link = g_strdup_printf ("objects/%u", parent->id);

      take_row (rows, _ ("created from"), name, link);
    }
  take_command_row (rows, analysis, _ ("created by"), object->created);
  if (show->find_binding != NULL)
    take_command_row (rows, analysis, _ ("memory bound by"), show->find_binding (history, object));
  if (object->destroyed == VTR_COMMAND_NO_INDEX)
    take_row (rows, _ ("destroyed by"), _ ("exists until the end"), NULL);
  else
    take_command_row (rows, analysis, _ ("destroyed by"), object->destroyed);
  return rows;
}

VtrPropertyList *
vtr_property_list_new_for_object (VtrAnalysis *analysis, guint32 id, GError **error)
{
  const VtrObject *object = vtr_history_get_object (vtr_analysis_get_history (analysis), id);
  g_autoptr (VtrPropertySource) source = NULL;

  if (object == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH, _ ("There is no object %u."),
                   id);
      return NULL;
    }
  source = vtr_property_source_new_for_command (analysis, object->created, error);
  if (source == NULL)
    return NULL;
  return new_around (source, source->root, make_object_rows (analysis, object),
                     NULL);
}
