/* One row of the command list: title, details, icon, and whether it is expanded. */
#include "vtr-config.h"

#include "widgets/vtr-command-item.h"

#include <glib/gi18n.h>

struct _VtrCommandItem
{
  GObject parent_instance;

  VtrCommandTree *tree; /* borrowed from the list model, which outlives the item */
  VtrTreeNode node;
  char *title;
  char *detail;
  gboolean expanded;
};

G_DEFINE_FINAL_TYPE (VtrCommandItem, vtr_command_item, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_EXPANDED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
vtr_command_item_finalize (GObject *object)
{
  VtrCommandItem *self = VTR_COMMAND_ITEM (object);

  g_free (self->title);
  g_free (self->detail);
  G_OBJECT_CLASS (vtr_command_item_parent_class)->finalize (object);
}

static void
vtr_command_item_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_EXPANDED)
    g_value_set_boolean (value, VTR_COMMAND_ITEM (object)->expanded);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
vtr_command_item_class_init (VtrCommandItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = vtr_command_item_finalize;
  object_class->get_property = vtr_command_item_get_property;
  properties[PROP_EXPANDED] =
    g_param_spec_boolean ("expanded", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
vtr_command_item_init (VtrCommandItem *self)
{
}

VtrCommandItem *
vtr_command_item_new (VtrCommandTree *tree, const VtrTreeNode *node)
{
  VtrCommandItem *self = g_object_new (VTR_TYPE_COMMAND_ITEM, NULL);

  self->tree = tree;
  self->node = *node;
  return self;
}

const VtrTreeNode *
vtr_command_item_get_node (VtrCommandItem *self)
{
  return &self->node;
}

const char *
vtr_command_item_get_title (VtrCommandItem *self)
{
  if (self->title == NULL)
    self->title = vtr_command_tree_get_title (self->tree, &self->node);
  return self->title ? self->title : "";
}

const char *
vtr_command_item_get_detail (VtrCommandItem *self)
{
  if (self->detail == NULL)
    self->detail = vtr_command_tree_get_detail (self->tree, &self->node);
  return self->detail ? self->detail : "";
}

char *
vtr_command_item_dup_full_title (VtrCommandItem *self)
{
  return vtr_command_tree_get_full_title (self->tree, &self->node);
}

char *
vtr_command_item_dup_text (VtrCommandItem *self)
{
  g_autofree char *title = vtr_command_item_dup_full_title (self);
  const char *detail = vtr_command_item_get_detail (self);

  return g_strdup_printf ("%s%s%s", title, *detail != '\0' ? " " : "", detail);
}

gboolean
vtr_command_item_get_expanded (VtrCommandItem *self)
{
  return self->expanded;
}

void
vtr_command_item_set_expanded (VtrCommandItem *self, gboolean expanded)
{
  if (self->expanded == expanded)
    return;
  self->expanded = expanded;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXPANDED]);
}

gboolean
vtr_command_item_is_group (VtrCommandItem *self)
{
  return self->node.kind != VTR_NODE_CMD && self->node.kind != VTR_NODE_COMMAND &&
         self->node.kind != VTR_NODE_SUBMIT;
}

static const struct
{
  const char *icon_name;
  const char *css_class;
  const char *label;
} kinds[] = {
  [VTR_COMMAND_KIND_OTHER] = { "vtr-state-symbolic", "kind-other", N_ ("command") },
  [VTR_COMMAND_KIND_DRAW] = { "vtr-draw-symbolic", "kind-draw", N_ ("draw") },
  [VTR_COMMAND_KIND_DISPATCH] = { "vtr-dispatch-symbolic", "kind-dispatch", N_ ("dispatch") },
  [VTR_COMMAND_KIND_COPY] = { "vtr-copy-symbolic", "kind-copy", N_ ("copy") },
  [VTR_COMMAND_KIND_CLEAR] = { "vtr-clear-symbolic", "kind-clear", N_ ("clear") },
  [VTR_COMMAND_KIND_BARRIER] = { "vtr-barrier-symbolic", "kind-other", N_ ("barrier") },
  [VTR_COMMAND_KIND_STATE] = { "vtr-state-symbolic", "kind-other", N_ ("state") },
  [VTR_COMMAND_KIND_PASS] = { "vtr-pass-symbolic", "kind-other", N_ ("pass") },
  [VTR_COMMAND_KIND_GROUP] = { "vtr-group-symbolic", "kind-other", N_ ("group") },
  [VTR_COMMAND_KIND_SUBMIT] = { "vtr-submit-symbolic", "kind-other", N_ ("submission") },
  [VTR_COMMAND_KIND_LIST] = { "vtr-command-buffer-symbolic", "kind-other",
                              N_ ("command buffer") },
  [VTR_COMMAND_KIND_FRAME] = { "vtr-frame-symbolic", "kind-other", N_ ("frame") },
  [VTR_COMMAND_KIND_PRESENT] = { "vtr-present-symbolic", "kind-other", N_ ("present") },
};

const char *
vtr_command_kind_get_icon_name (VtrCommandKind kind)
{
  return kinds[kind < G_N_ELEMENTS (kinds) ? kind : 0].icon_name;
}

const char *
vtr_command_kind_get_css_class (VtrCommandKind kind)
{
  return kinds[kind < G_N_ELEMENTS (kinds) ? kind : 0].css_class;
}

const char *
vtr_command_kind_get_label (VtrCommandKind kind)
{
  return _ (kinds[kind < G_N_ELEMENTS (kinds) ? kind : 0].label);
}
