/* A VtrPropertyRow: a name with its value. */
#include "engine/model/vtr-property-private.h"

struct _VtrPropertyRow
{
  GObject parent_instance;

  char *name;
  const char *type_name; /* of the API's tables, or "" */
  char *text;
  char *note;
  char *link;
  char *warning;
  char *path;
  VtrPropertyKind kind;
  gboolean ignored, out;
  GListModel *children;        /* made, or NULL */
  VtrPropertySource *source;   /* with .property: to make the children */
  const VtrProperty *property; /* in the source's arena */
};

G_DEFINE_FINAL_TYPE (VtrPropertyRow, vtr_property_row, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_NAME,
  PROP_TYPE_NAME,
  PROP_TEXT,
  PROP_NOTE,
  PROP_LINK,
  PROP_WARNING,
  PROP_PATH,
  PROP_KIND,
  PROP_IGNORED,
  PROP_OUT,
  PROP_CHILDREN,
  N_PROPERTIES,
};

static GParamSpec *properties[N_PROPERTIES];

static void
vtr_property_row_finalize (GObject *object)
{
  VtrPropertyRow *self = VTR_PROPERTY_ROW (object);

  g_free (self->name);
  g_free (self->text);
  g_free (self->note);
  g_free (self->link);
  g_free (self->warning);
  g_free (self->path);
  g_clear_object (&self->children);
  g_clear_pointer (&self->source, vtr_property_source_unref);
  G_OBJECT_CLASS (vtr_property_row_parent_class)->finalize (object);
}

static void
vtr_property_row_get_property (GObject    *object,
                               guint       id,
                               GValue     *value,
                               GParamSpec *spec)
{
  VtrPropertyRow *self = VTR_PROPERTY_ROW (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_TYPE_NAME:
      g_value_set_string (value, self->type_name);
      break;
    case PROP_TEXT:
      g_value_set_string (value, self->text);
      break;
    case PROP_NOTE:
      g_value_set_string (value, self->note);
      break;
    case PROP_LINK:
      g_value_set_string (value, self->link);
      break;
    case PROP_WARNING:
      g_value_set_string (value, self->warning);
      break;
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_KIND:
      g_value_set_uint (value, self->kind);
      break;
    case PROP_IGNORED:
      g_value_set_boolean (value, self->ignored);
      break;
    case PROP_OUT:
      g_value_set_boolean (value, self->out);
      break;
    case PROP_CHILDREN:
      g_value_set_object (value, vtr_property_row_get_children (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
      break;
    }
}

static GParamSpec *
make_string (const char *name)
{
  return g_param_spec_string (name, NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

static GParamSpec *
make_boolean (const char *name)
{
  return g_param_spec_boolean (name, NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

static void
vtr_property_row_class_init (VtrPropertyRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = vtr_property_row_finalize;
  object_class->get_property = vtr_property_row_get_property;
  properties[PROP_NAME] = make_string ("name");
  properties[PROP_TYPE_NAME] = make_string ("type-name");
  properties[PROP_TEXT] = make_string ("text");
  properties[PROP_NOTE] = make_string ("note");
  properties[PROP_LINK] = make_string ("link");
  properties[PROP_WARNING] = make_string ("warning");
  properties[PROP_PATH] = make_string ("path");
  properties[PROP_KIND] = g_param_spec_uint ("kind", NULL, NULL, 0, G_MAXUINT, VTR_PROPERTY_STRING,
                                             G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_IGNORED] = make_boolean ("ignored");
  properties[PROP_OUT] = make_boolean ("out");
  properties[PROP_CHILDREN] = g_param_spec_object ("children", NULL, NULL, G_TYPE_LIST_MODEL,
                                                   G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
vtr_property_row_init (VtrPropertyRow *self)
{
  self->type_name = "";
  self->kind = VTR_PROPERTY_STRING;
}

VtrPropertyRow *
vtr_property_row_new (const char *name,
                      const char *text,
                      const char *link,
                      GListModel *children)
{
  VtrPropertyRow *self = g_object_new (VTR_TYPE_PROPERTY_ROW, NULL);

  self->name = g_strdup (name);
  self->text = g_strdup (text);
  self->link = g_strdup (link);
  g_set_object (&self->children, children);
  return self;
}

VtrPropertyRow *
vtr_property_row_new_for_property (VtrPropertySource *source,
                                   const VtrProperty *property)
{
  VtrPropertyRow *self = g_object_new (VTR_TYPE_PROPERTY_ROW, NULL);

  self->source = vtr_property_source_ref (source);
  self->property = property;
  self->name = g_strdup (property->name);
  self->type_name = property->type_name != NULL ? property->type_name : "";
  self->kind = property->kind;
  self->ignored = property->ignored;
  self->out = property->out;
  self->text = vtr_property_source_dup_text (source, property);
  self->link = vtr_property_source_dup_link (source, property);
  self->path = vtr_property_source_dup_path (source, property);
  return self;
}

void
vtr_property_row_set_note (VtrPropertyRow *self,
                           const char     *note)
{
  g_free (self->note);
  self->note = g_strdup (note);
}

void
vtr_property_row_set_warning (VtrPropertyRow *self,
                              const char     *warning)
{
  g_free (self->warning);
  self->warning = g_strdup (warning);
}

const char *
vtr_property_row_get_name (VtrPropertyRow *self)
{
  return self->name;
}

const char *
vtr_property_row_get_type_name (VtrPropertyRow *self)
{
  return self->type_name;
}

const char *
vtr_property_row_get_text (VtrPropertyRow *self)
{
  return self->text;
}

const char *
vtr_property_row_get_note (VtrPropertyRow *self)
{
  return self->note;
}

const char *
vtr_property_row_get_link (VtrPropertyRow *self)
{
  return self->link;
}

const char *
vtr_property_row_get_warning (VtrPropertyRow *self)
{
  return self->warning;
}

const char *
vtr_property_row_get_path (VtrPropertyRow *self)
{
  return self->path;
}

VtrPropertyKind
vtr_property_row_get_kind (VtrPropertyRow *self)
{
  return self->kind;
}

gboolean
vtr_property_row_get_ignored (VtrPropertyRow *self)
{
  return self->ignored;
}

GListModel *
vtr_property_row_get_children (VtrPropertyRow *self)
{
  if (self->children == NULL && self->property != NULL && self->property->n_children > 0)
    self->children =
      G_LIST_MODEL (vtr_property_list_new_for_property (self->source, self->property));
  return self->children;
}
