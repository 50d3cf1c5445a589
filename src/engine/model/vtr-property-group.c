/* A VtrPropertyGroup: property rows under a title. */
#include "engine/model/vtr-property-group-private.h"

struct _VtrPropertyGroup
{
  GObject parent_instance;

  char *title;
  GListModel *rows;
  gboolean folded;
};

G_DEFINE_FINAL_TYPE (VtrPropertyGroup, vtr_property_group, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_TITLE,
  PROP_ROWS,
  PROP_FOLDED,
  N_PROPERTIES,
};

static GParamSpec *properties[N_PROPERTIES];

static void
vtr_property_group_finalize (GObject *object)
{
  VtrPropertyGroup *self = VTR_PROPERTY_GROUP (object);

  g_free (self->title);
  g_clear_object (&self->rows);
  G_OBJECT_CLASS (vtr_property_group_parent_class)->finalize (object);
}

static void
vtr_property_group_get_property (GObject    *object,
                                 guint       id,
                                 GValue     *value,
                                 GParamSpec *spec)
{
  VtrPropertyGroup *self = VTR_PROPERTY_GROUP (object);

  switch (id)
    {
    case PROP_TITLE:
      g_value_set_string (value, self->title);
      break;
    case PROP_ROWS:
      g_value_set_object (value, self->rows);
      break;
    case PROP_FOLDED:
      g_value_set_boolean (value, self->folded);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
      break;
    }
}

static void
vtr_property_group_class_init (VtrPropertyGroupClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = vtr_property_group_finalize;
  object_class->get_property = vtr_property_group_get_property;
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_ROWS] = g_param_spec_object ("rows", NULL, NULL, G_TYPE_LIST_MODEL, flags);
  properties[PROP_FOLDED] = g_param_spec_boolean ("folded", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
vtr_property_group_init (VtrPropertyGroup *self)
{
}

VtrPropertyGroup *
vtr_property_group_new_take (const char *title,
                             gboolean    folded,
                             GListModel *rows)
{
  VtrPropertyGroup *self = g_object_new (VTR_TYPE_PROPERTY_GROUP, NULL);

  self->title = g_strdup (title);
  self->rows = rows;
  self->folded = folded;
  return self;
}

const char *
vtr_property_group_get_title (VtrPropertyGroup *self)
{
  return self->title;
}

GListModel *
vtr_property_group_get_rows (VtrPropertyGroup *self)
{
  return self->rows;
}

gboolean
vtr_property_group_get_folded (VtrPropertyGroup *self)
{
  return self->folded;
}
