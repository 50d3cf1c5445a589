/* The decoded command that rows and lists of properties show. */
#pragma once

#include "engine/model/vtr-property-list.h"

G_BEGIN_DECLS

/**
 * VtrPropertySource:
 *
 * A decoded command (or a structure) with the arena that everything of it lies in, and that the
 * nodes of its property tree are made in. Threading: one at a time, the thread that uses the rows.
 */
typedef struct
{
  gatomicrefcount refs;
  VtrAnalysis *analysis;
  VtrArena arena;
  VtrApiEnv env;
  VtrCommand command;
  guint64 index; /* handles are looked up as this command means them */
  char *path;    /* of the root: "commands/12/parameters"; NULL: none */
  const VtrProperty *root;
} VtrPropertySource;

VtrPropertySource *vtr_property_source_new_for_command (VtrAnalysis  *analysis,
                                                        guint64       index,
                                                        GError      **error);
/* Without a command: a place for structures of the bound state at @index, made in its arena. */
VtrPropertySource *vtr_property_source_new (VtrAnalysis *analysis,
                                            guint64      index);
VtrPropertySource *vtr_property_source_ref (VtrPropertySource *self);
void vtr_property_source_unref (VtrPropertySource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrPropertySource, vtr_property_source_unref)

/* (transfer full) */
char *vtr_property_source_dup_text (VtrPropertySource *self,
                                    const VtrProperty *property);
char *vtr_property_source_dup_link (VtrPropertySource *self,
                                    const VtrProperty *property);
char *vtr_property_source_dup_path (VtrPropertySource *self,
                                    const VtrProperty *property);

VtrPropertyRow *vtr_property_row_new_for_property (VtrPropertySource *source,
                                                   const VtrProperty *property);
VtrPropertyList *vtr_property_list_new_for_property (VtrPropertySource *source,
                                                     const VtrProperty *property);
/* Rows that were made already; taken. */
VtrPropertyList *vtr_property_list_new_take (GPtrArray *rows);
/* Appends the members of a structure to @rows, but for sType and an empty pNext. @base lies in the
   source's arena. */
void vtr_property_source_append_struct (VtrPropertySource *self,
                                        VtrStructId        id,
                                        gconstpointer      base,
                                        GPtrArray         *rows);

G_END_DECLS
