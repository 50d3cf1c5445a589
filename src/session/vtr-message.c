/* One message in the Report or Log pane: its severity, text, time, and the command it is about. */
#include "vtr-config.h"

#include "session/vtr-message.h"

struct _VtrMessage
{
  GObject parent_instance;

  VtrMessageLevel level;
  char *text;
  guint64 command;
  GDateTime *time;
};

G_DEFINE_FINAL_TYPE (VtrMessage, vtr_message, G_TYPE_OBJECT)

static void
vtr_message_finalize (GObject *object)
{
  VtrMessage *self = VTR_MESSAGE (object);

  g_free (self->text);
  g_date_time_unref (self->time);
  G_OBJECT_CLASS (vtr_message_parent_class)->finalize (object);
}

static void
vtr_message_class_init (VtrMessageClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_message_finalize;
}

static void
vtr_message_init (VtrMessage *self)
{
  self->time = g_date_time_new_now_local ();
}

VtrMessage *
vtr_message_new (VtrMessageLevel level, const char *text, guint64 command)
{
  VtrMessage *self = g_object_new (VTR_TYPE_MESSAGE, NULL);

  self->level = level;
  self->text = g_strdup (text);
  self->command = command;
  return self;
}

VtrMessageLevel
vtr_message_get_level (VtrMessage *self)
{
  return self->level;
}

const char *
vtr_message_get_text (VtrMessage *self)
{
  return self->text;
}

guint64
vtr_message_get_command (VtrMessage *self)
{
  return self->command;
}

GDateTime *
vtr_message_get_time (VtrMessage *self)
{
  return self->time;
}
