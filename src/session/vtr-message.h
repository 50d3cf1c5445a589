/* One message of a session's report or log. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  VTR_MESSAGE_ERROR,
  VTR_MESSAGE_WARNING,
  VTR_MESSAGE_HINT,
} VtrMessageLevel;

/* Immutable. Threading: any. */
#define VTR_TYPE_MESSAGE (vtr_message_get_type ())
G_DECLARE_FINAL_TYPE (VtrMessage, vtr_message, VTR, MESSAGE, GObject)

VtrMessage *vtr_message_new (VtrMessageLevel  level,
                             const char      *text,
                             guint64          command);
VtrMessageLevel vtr_message_get_level (VtrMessage *self);
const char *vtr_message_get_text (VtrMessage *self);
guint64 vtr_message_get_command (VtrMessage *self); /* VTR_COMMAND_NO_INDEX: none */
GDateTime *vtr_message_get_time (VtrMessage *self);

G_END_DECLS
