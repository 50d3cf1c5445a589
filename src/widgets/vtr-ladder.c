/* The four steps on the capture page that show how far a launched program has come, from the
 * start to its first image. */
#include "vtr-config.h"

#include "widgets/vtr-ladder.h"

#include <glib/gi18n.h>

#include "wire/vtr-capture-proto.h"

#define STUCK_AFTER (5 * G_USEC_PER_SEC)

typedef struct
{
  GtkWidget *icons; /* GtkStack: icon or spinner */
  GtkWidget *icon;
  GtkWidget *spinner;
  GtkWidget *name;
  GtkWidget *fact;
  GtkWidget *time;
  GtkWidget *row;
} Rung;

struct _VtrLadder
{
  GtkWidget parent_instance;

  GtkWidget *list;
  Rung rungs[VTR_CAPTURE_N_RUNGS];
  gboolean stuck;
};

G_DEFINE_FINAL_TYPE (VtrLadder, vtr_ladder, GTK_TYPE_WIDGET)

static const char *const names[VTR_CAPTURE_N_RUNGS] = {
  [VTR_CAPTURE_RUNG_LOADED] = N_ ("Layer loaded"),
  [VTR_CAPTURE_RUNG_STARTED] = N_ ("Instance created"),
  [VTR_CAPTURE_RUNG_DEVICE] = N_ ("Device created"),
  [VTR_CAPTURE_RUNG_FIRST_FRAME] = N_ ("First present"),
};

typedef enum
{
  LOOK_LATER,
  LOOK_CURRENT,
  LOOK_STUCK,
  LOOK_FAILED,
  LOOK_DONE,
} Look;

static void
set_look (Rung *rung, Look look, const char *fact, gint64 time)
{
  static const struct
  {
    const char *icon;
    const char *css_class;
  } looks[] = {
    [LOOK_LATER] = { "content-loading-symbolic", "later" },
    [LOOK_CURRENT] = { NULL, "current" },
    [LOOK_STUCK] = { "dialog-warning-symbolic", "warning" },
    [LOOK_FAILED] = { "dialog-error-symbolic", "error" },
    [LOOK_DONE] = { "emblem-ok-symbolic", "success" },
  };
  static const char *const said[] = { N_ ("not reached"), N_ ("waiting"),
                                      N_ ("waiting for a long time"),
                                      N_ ("failed"), N_ ("done") };
  g_autofree char *seconds =
    time > 0 ? g_strdup_printf (_ ("%.2f s"), (double)time / G_USEC_PER_SEC) : NULL;
  g_autofree char *label = g_strdup_printf (
    "%s: %s, %s", gtk_label_get_label (GTK_LABEL (rung->name)), _ (said[look]), fact);

  gtk_stack_set_visible_child (GTK_STACK (rung->icons),
                               look == LOOK_CURRENT ? rung->spinner : rung->icon);
  gtk_spinner_set_spinning (GTK_SPINNER (rung->spinner), look == LOOK_CURRENT);
  if (looks[look].icon)
    gtk_image_set_from_icon_name (GTK_IMAGE (rung->icon), looks[look].icon);
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      gtk_widget_remove_css_class (rung->icon, looks[i].css_class);
      gtk_widget_remove_css_class (rung->row, looks[i].css_class);
    }
  gtk_widget_add_css_class (rung->icon, looks[look].css_class);
  if (look == LOOK_LATER)
    gtk_widget_add_css_class (rung->row, "later");
  gtk_label_set_label (GTK_LABEL (rung->fact), fact);
  gtk_widget_set_tooltip_text (rung->fact, *fact ? fact : NULL);
  gtk_label_set_label (GTK_LABEL (rung->time), seconds ? seconds : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (rung->row), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
}

/* The text of a step that is reached, if the layer sent none. (transfer full) */
static char *
dup_fact (guint rung, const VtrCaptureStats *stats, const VtrCaptureRungInfo *info)
{
  if ((info->fact && *info->fact) || info->state != VTR_CAPTURE_RUNG_DONE)
    return g_strdup (info->fact ? info->fact : "");
  if (rung == VTR_CAPTURE_RUNG_LOADED && stats->pid > 0)
    return stats->n_processes > 1
             ? g_strdup_printf (_ ("Process %d and %u more"), (int)stats->pid,
                                stats->n_processes - 1)
             : g_strdup_printf (_ ("Process %d"), (int)stats->pid);
  if (rung == VTR_CAPTURE_RUNG_FIRST_FRAME && stats->frames_per_second > 0)
    return g_strdup_printf (_ ("%.0f frames per second"), stats->frames_per_second);
  return g_strdup ("");
}

void
vtr_ladder_update (VtrLadder *self, VtrCaptureSession *session)
{
  VtrCaptureStats stats = { 0 };
  gboolean running;
  gboolean waiting = TRUE; /* the first missing step is yet to come */
  gint64 before = 0;

  self->stuck = FALSE;
  if (session)
    vtr_capture_session_get_stats (session, &stats);
  running = session && stats.state <= VTR_CAPTURE_STATE_RECORDING;
  for (guint i = 0; i < VTR_CAPTURE_N_RUNGS; i++)
    {
      VtrCaptureRungInfo info = { .fact = "" };
      Look look = LOOK_LATER;

      if (session)
        vtr_capture_session_get_rung (session, i, &info);
      if (info.state == VTR_CAPTURE_RUNG_DONE)
        look = LOOK_DONE;
      else if (info.state == VTR_CAPTURE_RUNG_TRIED)
        look = LOOK_FAILED;
      else if (waiting && running)
        {
          /* A program without a window never presents, so recording counts as success. */
          self->stuck = stats.elapsed - before > STUCK_AFTER &&
                        !(i == VTR_CAPTURE_RUNG_FIRST_FRAME && stats.commands > 0);
          look = self->stuck ? LOOK_STUCK : LOOK_CURRENT;
        }
      if (look == LOOK_STUCK && *info.fact == '\0')
        {
          g_autofree char *since = g_strdup_printf (
            _ ("Waiting for %.0f s"), (double)(stats.elapsed - before) / G_USEC_PER_SEC);

          set_look (&self->rungs[i], look, since, 0);
        }
      else
        {
          g_autofree char *fact = dup_fact (i, &stats, &info);

          set_look (&self->rungs[i], look, fact, look == LOOK_DONE ? info.time : 0);
        }
      if (info.state == VTR_CAPTURE_RUNG_PENDING)
        waiting = FALSE;
      else
        before = info.time;
    }
}

gboolean
vtr_ladder_get_stuck (VtrLadder *self)
{
  return self->stuck;
}

static void
vtr_ladder_dispose (GObject *object)
{
  g_clear_pointer (&VTR_LADDER (object)->list, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_ladder_parent_class)->dispose (object);
}

static void
vtr_ladder_class_init (VtrLadderClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_ladder_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "vtrladder");
}

static void
init_rung (VtrLadder *self, guint i)
{
  Rung *rung = &self->rungs[i];
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);

  rung->icon = gtk_image_new ();
  rung->spinner = gtk_spinner_new ();
  rung->icons = gtk_stack_new ();
  gtk_stack_add_child (GTK_STACK (rung->icons), rung->icon);
  gtk_stack_add_child (GTK_STACK (rung->icons), rung->spinner);
  rung->name = gtk_label_new (_ (names[i]));
  gtk_label_set_xalign (GTK_LABEL (rung->name), 0);
  gtk_label_set_width_chars (GTK_LABEL (rung->name), 18);
  rung->fact = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (rung->fact), 0);
  gtk_label_set_ellipsize (GTK_LABEL (rung->fact), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (rung->fact, TRUE);
  gtk_widget_add_css_class (rung->fact, "caption");
  gtk_widget_add_css_class (rung->fact, "dim-text");
  rung->time = gtk_label_new (NULL);
  gtk_widget_add_css_class (rung->time, "caption");
  gtk_widget_add_css_class (rung->time, "numeric");
  gtk_widget_add_css_class (rung->time, "dim-text");
  gtk_box_append (GTK_BOX (box), rung->icons);
  gtk_box_append (GTK_BOX (box), rung->name);
  gtk_box_append (GTK_BOX (box), rung->fact);
  gtk_box_append (GTK_BOX (box), rung->time);
  rung->row = gtk_list_box_row_new ();
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (rung->row), FALSE);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (rung->row), box);
  gtk_list_box_append (GTK_LIST_BOX (self->list), rung->row);
}

static void
vtr_ladder_init (VtrLadder *self)
{
  self->list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (self->list, "card");
  gtk_widget_add_css_class (self->list, "ladder");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress"), -1);
  gtk_widget_set_parent (self->list, GTK_WIDGET (self));
  for (guint i = 0; i < VTR_CAPTURE_N_RUNGS; i++)
    init_rung (self, i);
  vtr_ladder_update (self, NULL);
}

GtkWidget *
vtr_ladder_new (void)
{
  return g_object_new (VTR_TYPE_LADDER, NULL);
}
