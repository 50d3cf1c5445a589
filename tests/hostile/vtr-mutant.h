/* Traces that are valid files but invalid programs: the objects of a real trace, some of them
 * changed as a hostile or broken program would have it.
 *
 * Threading: one at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VtrMutantSource VtrMutantSource;

/* Reads a trace of either kind. Returns: NULL with @error. */
VtrMutantSource *vtr_mutant_source_new (const char  *path,
                                        GError     **error);
void vtr_mutant_source_free (VtrMutantSource *self);

/* The trace with the changes that @seed stands for (0: none), as a file without compression, or, of
 * a source that has it, @compressed. @story: gets a line for each change. (transfer full) */
GByteArray *vtr_mutant_make (const VtrMutantSource *self,
                             guint32                seed,
                             gboolean               compressed,
                             GString               *story);

G_END_DECLS
