/* The API state as JSON, whole or in parts; paths, the state pane and its search all use it. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-api-state.h"

G_BEGIN_DECLS

/**
 * VtrStateView:
 *
 * A state with its living objects sorted by owner: devices, instances and contexts are at the top,
 * each other object below the one that it was made from. Threading: any (immutable). Atomically
 * reference-counted.
 */
typedef struct _VtrStateView VtrStateView;

VtrStateView *vtr_state_view_new (VtrAnalysis *analysis,
                                  VtrApiState *state);
/* A view of the state before the command; NULL: @state does not have it. Its paths are the same. */
VtrStateView *vtr_state_view_new_before (VtrAnalysis *analysis,
                                         VtrApiState *state);
VtrStateView *vtr_state_view_ref (VtrStateView *self);
void vtr_state_view_unref (VtrStateView *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrStateView, vtr_state_view_unref)

VtrApiState *vtr_state_view_get_state (VtrStateView *self);
VtrAnalysis *vtr_state_view_get_analysis (VtrStateView *self);
/* Its path: "commands/12@1/state". */
const char *vtr_state_view_get_path (VtrStateView *self);

/* Objects of one type below one owner. */
typedef struct
{
  guint32 owner; /* object id; 0: the top */
  guint32 type;  /* VTR_HANDLE_* */
  GArray *ids;   /* of guint32, in order of creation */
} VtrStateGroup;

/* The groups below @owner, in the order shown: GPtrArray of VtrStateGroup. (transfer container) */
GPtrArray *vtr_state_view_list_groups (VtrStateView *self,
                                       guint32       owner);
/* NULL: there are none. */
const VtrStateGroup *vtr_state_view_find_group (VtrStateView *self,
                                                guint32       owner,
                                                const char   *name);
/* "images", "descriptorSets". (transfer full) */
char *vtr_state_group_name (guint32 type);
/* Whether objects that were made from one of this type are listed below it. */
gboolean vtr_state_view_is_owner (guint32 type);
/* The data that the API of @id keeps in this view (VtrStateApi.view_new); NULL: none. */
gpointer vtr_state_view_get_part (VtrStateView *self,
                                  guint32       id);
/* A reference to an object with its path in this state; null for 0. (transfer full) */
JsonNode *vtr_state_view_reference (VtrStateView *self,
                                    guint32       id);
/* Adds such a reference to @object. */
void vtr_state_view_set_reference (VtrStateView *self,
                                   JsonObject   *object,
                                   const char   *name,
                                   guint32       id);
/* "commands/12/state/devices/1/images/41"; "objects/41" for one that does not live there.
   (transfer full) */
char *vtr_state_view_format_object (VtrStateView *self,
                                    guint32       id);

/* One object with its type, state and creation; without the objects below it.
   (transfer full) */
JsonNode *vtr_state_view_object (VtrStateView *self,
                                 guint32       id);
/* Like vtr_state_view_object (), without the creation, which is faster. (transfer full) */
JsonNode *vtr_state_view_summary (VtrStateView *self,
                                  guint32       id);
/* The members at the top that are not groups: "command", "last", "pass", "bound" (when recorded).
   (transfer full) */
JsonNode *vtr_state_view_facts (VtrStateView *self);
/* Everything below the top or one owner: groups of objects. (transfer full) */
JsonNode *vtr_state_view_all (VtrStateView  *self,
                              GCancellable  *cancellable,
                              GError       **error);
/* The part that @steps (after "state") lead to. (transfer full) */
JsonNode *vtr_state_view_resolve (VtrStateView  *self,
                                  char         **steps,
                                  GCancellable  *cancellable,
                                  GError       **error);

G_END_DECLS
