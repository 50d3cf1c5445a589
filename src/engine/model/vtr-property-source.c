/* Writes the values of a decoded command as text, links and paths. */
#include "engine/model/vtr-property-private.h"
#include "engine/state/vtr-history.h"

#include "base/vtr-number.h"
#include "engine/model/vtr-command-text.h"

#include <glib/gi18n.h>
#include <string.h>

VtrPropertySource *
vtr_property_source_new_for_command (VtrAnalysis *analysis, guint64 index, GError **error)
{
  g_autoptr (VtrPropertySource) self = g_new0 (VtrPropertySource, 1);
  g_autofree char *path = vtr_trace_format_command (vtr_analysis_get_trace (analysis), index);

  g_atomic_ref_count_init (&self->refs);
  self->analysis = vtr_analysis_ref (analysis);
  self->env = vtr_trace_get_env (vtr_analysis_get_trace (analysis));
  self->index = index;
  vtr_arena_init (&self->arena);
  if (!vtr_trace_decode (vtr_analysis_get_trace (analysis), index, &self->arena, &self->command,
                         error))
    return NULL;

  self->path = g_strconcat (path, "/parameters", NULL);
  self->root = vtr_property_root (&self->arena, self->command.id, self->command.args,
                                  self->command.decoded, &self->env);
  if (self->root == NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                           _ ("There is not enough memory to show the command."));
      return NULL;
    }
  return g_steal_pointer (&self);
}

VtrPropertySource *
vtr_property_source_new (VtrAnalysis *analysis, guint64 index)
{
  VtrPropertySource *self = g_new0 (VtrPropertySource, 1);

  g_atomic_ref_count_init (&self->refs);
  self->analysis = vtr_analysis_ref (analysis);
  self->env = vtr_trace_get_env (vtr_analysis_get_trace (analysis));
  self->index = index;
  vtr_arena_init (&self->arena);
  return self;
}

VtrPropertySource *
vtr_property_source_ref (VtrPropertySource *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_property_source_unref (VtrPropertySource *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;

  vtr_arena_finish (&self->arena);
  g_clear_pointer (&self->analysis, vtr_analysis_unref);
  g_free (self->path);
  g_free (self);
}

static const VtrObject *
find_object (VtrPropertySource *self, const VtrProperty *property)
{
  if (property->kind != VTR_PROPERTY_HANDLE || property->ignored)
    return NULL;
  return vtr_history_find_name (vtr_analysis_get_history (self->analysis), property->type,
                                property->value, self->index);
}

static char *
dup_plain_text (const VtrProperty *property)
{
  VtrBuffer buffer = { 0 };
  char *text;

  vtr_property_text (property, &buffer);
  text = buffer.failed ? g_strdup ("") : g_strndup ((const char *)buffer.data, buffer.size);
  vtr_buffer_finish (&buffer);
  if (!g_utf8_validate (text, -1, NULL))
    {
      char *valid = g_utf8_make_valid (text, -1);

      g_free (text);
      return valid;
    }
  return text;
}

/* "1920 × 1080 × 1", "0.25, 0.5, 1, 1": a small structure or array of numbers in one line; NULL for
   others. */
static char *
dup_numbers (VtrPropertySource *self, const VtrProperty *property)
{
  gboolean extent =
    property->type_name != NULL && strstr (property->type_name, "Extent") != NULL;
  GString *text;

  if (property->n_children == 0 || property->n_children > 4)
    return NULL;
  text = g_string_new (NULL);
  for (guint64 i = 0; i < property->n_children; i++)
    {
      const VtrProperty *child = vtr_property_child (&self->arena, property, i);
      g_autofree char *value = NULL;

      if (child == NULL || child->kind != VTR_PROPERTY_NUMBER)
        {
          g_string_free (text, TRUE);
          return NULL;
        }
      value = dup_plain_text (child);
      g_string_append_printf (text, "%s%s", i == 0 ? "" : extent ? " × "
                                                                 : ", ",
                              value);
    }
  return g_string_free (text, FALSE);
}

char *
vtr_property_source_dup_text (VtrPropertySource *self, const VtrProperty *property)
{
  const VtrObject *object = find_object (self, property);
  char *text;

  if (object != NULL)
    return vtr_history_describe (vtr_analysis_get_history (self->analysis), object);
  switch (property->kind)
    {
    case VTR_PROPERTY_STRUCT:
      text = dup_numbers (self, property);
      return text != NULL ? text : g_strdup ("");
    case VTR_PROPERTY_ARRAY:
      text = dup_numbers (self, property);
      if (text == NULL)
        text = g_strdup_printf (g_dngettext (NULL, "%s element", "%s elements",
                                             (gulong)property->n_children),
                                VTR_NUMBER (property->n_children));
      return text;
    case VTR_PROPERTY_CHAIN:
      return g_strdup_printf (g_dngettext (NULL, "%s structure", "%s structures",
                                           (gulong)property->n_children),
                              VTR_NUMBER (property->n_children));
    case VTR_PROPERTY_BYTES:
      return g_strdup_printf (g_dngettext (NULL, "%s byte", "%s bytes", (gulong)property->size),
                              VTR_NUMBER (property->size));
    case VTR_PROPERTY_NULL:
      return g_strdup (_ ("null"));
    default:
      return dup_plain_text (property);
    }
}

char *
vtr_property_source_dup_link (VtrPropertySource *self, const VtrProperty *property)
{
  const VtrObject *object = find_object (self, property);

  return object != NULL ? g_strdup_printf ("objects/%u", object->id) : NULL;
}

char *
vtr_property_source_dup_path (VtrPropertySource *self, const VtrProperty *property)
{
  GString *path;

  if (self->path == NULL)
    return NULL;
  path = g_string_new (NULL);
  for (; property != NULL && property->parent != NULL; property = property->parent)
    {
      g_string_prepend (path, property->name);
      g_string_prepend_c (path, '/');
    }
  g_string_prepend (path, self->path);
  return g_string_free (path, FALSE);
}

void
vtr_property_source_append_struct (VtrPropertySource *self,
                                   VtrStructId        id,
                                   gconstpointer      base,
                                   GPtrArray         *rows)
{
  const VtrProperty *root =
    base != NULL ? vtr_property_struct_root (&self->arena, id, base, &self->env) : NULL;

  for (guint64 i = 0; root != NULL && i < root->n_children; i++)
    {
      const VtrProperty *child = vtr_property_child (&self->arena, root, i);

      if (child == NULL || g_str_equal (child->name, "sType") ||
          (g_str_equal (child->name, "pNext") && child->n_children == 0))
        continue;
      g_ptr_array_add (rows, vtr_property_row_new_for_property (self, child));
    }
}
