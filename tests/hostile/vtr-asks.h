/* Asks about a trace, which may be hostile, everything that the command line and the window ask.
 * Each question must end with an answer or an error.
 *
 * Threading: one at a time. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* Shared with who watches. */
typedef struct
{
  guint seed; /* under way */
  guint n_done;
  guint n_opened;
  guint n_answers;
  guint n_sentences;
  guint n_deaths; /* of the replayer, told */
  char doing[160];
} VtrAsksProgress;

/* Whether requests and answers are printed on standard error. */
extern gboolean vtr_asks_tell;

void vtr_asks_begin (VtrAsksProgress *self,
                     const char      *what);
void vtr_asks_end (VtrAsksProgress *self,
                   const GError    *error);

/* Some commands and objects of it closely, the whole of it as lists, and all replays. */
void vtr_asks_about_document (VtrAsksProgress *self,
                              VtrDocument     *document,
                              GRand           *rand);

/* What is written from it to a new file. @path: its file. */
void vtr_asks_about_file (VtrAsksProgress *self,
                          const char      *path,
                          VtrDocument     *document);

G_END_DECLS
