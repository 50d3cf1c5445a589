/* Writes the state of objects as JSON. Threading: any. */
#pragma once

#include "engine/state/vtr-json.h"
#include "engine/vulkan/state/vtr-vulkan-shared.h"
#include "engine/state/vtr-state-view.h"

G_BEGIN_DECLS

/* Adds the state of object @of to @object. @record: its state. */
void vtr_state_json_add (VtrStateView         *view,
                         const VtrObject      *of,
                         const VtrStateRecord *record,
                         JsonObject           *object);
/* Sets member @name to the number of @command, or to null if it is 0. */
void vtr_state_json_set_command (VtrStateView *view,
                                 JsonObject   *object,
                                 const char   *name,
                                 guint64       command);
void vtr_state_json_set_enum (JsonObject *object,
                              const char *name,
                              VtrEnumId   id,
                              gint64      value);
void vtr_state_json_set_flags (JsonObject *object,
                               const char *name,
                               VtrEnumId   id,
                               guint64     bits);
/* vtr-state-json-set.c */
void vtr_state_json_add_set (VtrStateView      *view,
                             const VtrStateSet *set,
                             JsonObject        *object);
void vtr_state_json_add_execution_set (VtrStateView               *view,
                                       const VtrStateExecutionSet *set,
                                       JsonObject                 *object);

G_END_DECLS
