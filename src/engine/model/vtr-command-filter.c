/* The filter language: terms joined by "and", each turned into a test that is as cheap as it can
   be: by command id first, by ranges of groups next, by decoding last. */
#include "engine/model/vtr-command-tree-private.h"

#include "engine/state/vtr-resolve-error.h"
#include "base/vtr-number.h"
#include "engine/model/vtr-command-text.h"

#include "engine/api/vtr-state-api.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct
{
  guint64 first, last;
} VtrCommandRange;

typedef struct
{
  gboolean negated;
  gboolean ids[VTR_N_COMMANDS]; /* commands that match by what they are, by vtr_cmd_index () */
  GHashTable *foreign;          /* (nullable) matching ids from VTR_CMD_FOREIGN on */
  GArray *ranges;               /* (nullable) of VtrCommandRange, sorted, apart: matches by place */
  guint64 first, last;          /* flat range that it is limited to */
  gboolean has_thread;
  guint64 thread;
  gboolean errors; /* calls that failed */
} VtrTerm;

typedef struct
{
  VtrAnalysis *analysis;
  VtrTrace *trace;
  VtrCommandTree *tree;
  GPtrArray *terms; /* of VtrTerm */
} VtrFilter;

static void
vtr_term_free (gpointer data)
{
  VtrTerm *term = data;

  g_clear_pointer (&term->ranges, g_array_unref);
  g_clear_pointer (&term->foreign, g_hash_table_unref);
  g_free (term);
}

/* --- Kinds --- */

static const struct
{
  const char *word;
  VtrCommandKind kind;
} kind_words[] = {
  { "draw", VTR_COMMAND_KIND_DRAW },
  { "dispatch", VTR_COMMAND_KIND_DISPATCH },
  { "copy", VTR_COMMAND_KIND_COPY },
  { "clear", VTR_COMMAND_KIND_CLEAR },
  { "barrier", VTR_COMMAND_KIND_BARRIER },
  { "state", VTR_COMMAND_KIND_STATE },
  { "pass", VTR_COMMAND_KIND_PASS },
  { "submit", VTR_COMMAND_KIND_SUBMIT },
  { "present", VTR_COMMAND_KIND_PRESENT },
};

static gboolean
match_kind (VtrTerm *term, const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (kind_words); i++)
    {
      if (strcmp (word, kind_words[i].word) != 0)
        continue;
      for (guint nth = 0; nth < VTR_N_COMMANDS; nth++)
        term->ids[nth] = vtr_command_kind (vtr_cmd_at (nth)) == kind_words[i].kind;
      return TRUE;
    }
  return FALSE;
}

/* --- Groups --- */

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const VtrCommandRange *left = a, *right = b;

  return left->first < right->first ? -1 : left->first > right->first;
}

/* Sorted and without overlaps, so that a search finds the only one that may hold an index. */
static void
merge_ranges (GArray *ranges)
{
  guint n = 0;

  g_array_sort (ranges, compare_ranges);
  for (guint i = 0; i < ranges->len; i++)
    {
      VtrCommandRange range = g_array_index (ranges, VtrCommandRange, i);
      VtrCommandRange *last = n > 0 ? &g_array_index (ranges, VtrCommandRange, n - 1) : NULL;

      if (last != NULL && range.first <= last->last)
        last->last = MAX (last->last, range.last);
      else
        g_array_index (ranges, VtrCommandRange, n++) = range;
    }
  g_array_set_size (ranges, n);
}

static gboolean
contains_folded (const char *text, const char *folded)
{
  g_autofree char *other = g_utf8_casefold (text, -1);

  return strstr (other, folded) != NULL;
}

static int
compare_counts (gconstpointer a, gconstpointer b)
{
  const guint32 *left = a, *right = b;

  return *left < *right ? -1 : *left > *right;
}

/* How many passes of its frame come before each run of @recording, each number once: mostly a
 * single one, as a command buffer that runs in each frame has its place there. (transfer full) */
static GArray *
list_passes_before (VtrFilter *self, guint32 recording)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (self->analysis);
  GArray *counts = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 run, n = 0;

  for (guint32 k = 0;
       (run = vtr_timeline_find_run_index (timeline, recording, k)) != VTR_NO_RUN; k++)
    {
      guint32 count = vtr_command_tree_count_passes_before (self->tree, run);

      g_array_append_val (counts, count);
    }
  g_array_sort (counts, compare_counts);
  for (guint i = 0; i < counts->len; i++)
    if (n == 0 || g_array_index (counts, guint32, i) != g_array_index (counts, guint32, n - 1))
      g_array_index (counts, guint32, n++) = g_array_index (counts, guint32, i);
  g_array_set_size (counts, n);
  return counts;
}

/* Whether the title of the pass of the commands of @range contains @folded in any of the runs of
 * @recording: its number may be another in each. @before: list_passes_before (). */
static gboolean
pass_matches (VtrFilter             *self,
              guint32                recording,
              const VtrCommandRange *range,
              GArray                *before,
              const char            *folded)
{
  VtrTreeNode node = {
    .kind = VTR_NODE_PASS,
    .first = range->first,
    .last = range->last,
    .run = vtr_timeline_get_recording (vtr_analysis_get_timeline (self->analysis), recording)
             ->first_run,
  };
  VtrPassName name;
  guint32 number;
  gboolean matches = FALSE;

  if (before->len == 0)
    return FALSE;
  vtr_command_tree_get_pass_name (self->tree, &node, &name);
  number = vtr_command_tree_get_pass_number (self->tree, &node) -
           vtr_command_tree_count_passes_before (self->tree, node.run);
  for (guint i = 0; i < before->len && !matches; i++)
    {
      g_autofree char *title =
        vtr_pass_name_format (&name, g_array_index (before, guint32, i) + number);

      matches = contains_folded (title, folded);
    }
  return matches;
}

static gboolean
group_matches (VtrFilter *self, const VtrCommandRange *range, const char *folded)
{
  g_autofree char *title = vtr_command_tree_dup_label (self->tree, range->first);

  return contains_folded (title, folded);
}

/* Whether container @nth of a frame matches: its runs have one number. */
static gboolean
frame_pass_matches (VtrFilter             *self,
                    VtrScopeTree          *tree,
                    guint32                nth,
                    const VtrCommandRange *range,
                    const char            *folded)
{
  VtrTreeNode node = {
    .kind = VTR_NODE_PASS,
    .first = range->first,
    .last = range->last,
    .run = VTR_NO_RUN,
  };
  g_autofree char *title = NULL;
  VtrPassName name;

  vtr_command_tree_get_pass_name (self->tree, &node, &name);
  title = vtr_pass_name_format (&name, vtr_scope_tree_at (tree, nth)->ordinal + 1);
  return contains_folded (title, folded);
}

/* Those of one recording or frame. */
static void
collect_in (VtrFilter    *self,
            VtrScopeTree *tree,
            const char   *folded,
            gboolean      passes,
            GArray       *ranges)
{
  g_autoptr (GArray) before = NULL;

  for (guint32 k = 1; k < tree->containers->len; k++)
    {
      const VtrContainer *container = vtr_scope_tree_at (tree, k);
      VtrCommandRange range;
      gboolean matches = FALSE;

      if (container->last < container->first)
        continue;
      range.first = vtr_segments_get (&tree->commands, (guint64)container->first);
      range.last = vtr_segments_get (&tree->commands, (guint64)container->last);
      if (container->kind == VTR_NODE_GROUP)
        matches = group_matches (self, &range, folded);
      else if (passes && container->kind == VTR_NODE_PASS && tree->recording == VTR_NO_RECORDING)
        matches = frame_pass_matches (self, tree, k, &range, folded);
      else if (passes && container->kind == VTR_NODE_PASS)
        {
          if (before == NULL)
            before = list_passes_before (self, tree->recording);
          matches = pass_matches (self, tree->recording, &range, before, folded);
        }
      if (matches)
        g_array_append_val (ranges, range);
    }
}

/* The commands of all groups (and passes, if @passes) whose titles contain @word. */
static gboolean
collect_groups (VtrFilter     *self,
                const char    *word,
                gboolean       passes,
                GArray        *ranges,
                GCancellable  *cancellable,
                GError       **error)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (self->analysis);
  g_autofree char *folded = g_utf8_casefold (word, -1);
  guint64 n_frames =
    vtr_timeline_has_direct_work (timeline) ? vtr_trace_get_n_parts (self->trace) : 0;

  for (guint32 i = 0; i < vtr_timeline_get_n_recordings (timeline); i++)
    {
      g_autoptr (VtrScopeTree) tree = vtr_scope_tree_build (timeline, i);

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      collect_in (self, tree, folded, passes, ranges);
    }
  for (guint64 i = 0; i < n_frames; i++)
    {
      g_autoptr (VtrScopeTree) tree = NULL;
      guint64 first, last;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      vtr_trace_get_frame (self->trace, i, &first, &last);
      tree = vtr_scope_tree_build_frame (timeline, first, last);
      collect_in (self, tree, folded, passes, ranges);
    }
  merge_ranges (ranges);
  return TRUE;
}

/* --- Terms --- */

static gboolean
parse_number_term (const char *keyword, const char *value, guint64 *out, GError **error)
{
  if (vtr_parse_number (value, 10, 0, G_MAXUINT64, out))
    return TRUE;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("“%s:%s” needs a number after the colon."), keyword, value);
  return FALSE;
}

/* Whether a name is wanted. */
typedef gboolean (*NameMatcher) (const char *name, gconstpointer wanted);

static gboolean
matches_regex (const char *name, gconstpointer wanted)
{
  return g_regex_match (wanted, name, 0, NULL);
}

static gboolean
matches_word (const char *name, gconstpointer wanted)
{
  return contains_folded (name, wanted);
}

static gboolean
matches_all (const char *name, gconstpointer wanted)
{
  return TRUE;
}

/* Commands of APIs that this build lacks, by their names in the trace. */
static void
take_foreign (VtrFilter *self, VtrTerm *term, NameMatcher matches, gconstpointer wanted)
{
  const guint n = vtr_trace_get_n_foreign (self->trace);

  term->foreign = g_hash_table_new (NULL, NULL);
  for (guint id = VTR_CMD_FOREIGN; id < VTR_CMD_FOREIGN + n; id++)
    if (matches (vtr_trace_get_id_name (self->trace, (VtrCmdId)id), wanted))
      g_hash_table_add (term->foreign, GUINT_TO_POINTER (id));
}

static gboolean
parse_name (VtrFilter *self, VtrTerm *term, const char *value, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GRegex) regex = g_regex_new (value, G_REGEX_CASELESS, 0, &reason);

  if (regex == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“name:%s” needs a regular expression after the colon: %s."), value,
                   reason->message);
      return FALSE;
    }
  for (guint nth = 0; nth < VTR_N_COMMANDS; nth++)
    term->ids[nth] = matches_regex (vtr_cmd_name (vtr_cmd_at (nth)), regex);
  take_foreign (self, term, matches_regex, regex);
  return TRUE;
}

static gboolean
parse_frame (VtrFilter *self, VtrTerm *term, const char *value, GError **error)
{
  guint64 frame, n = vtr_trace_get_n_frames (self->trace);

  if (!parse_number_term ("frame", value, &frame, error))
    return FALSE;
  if (frame >= n)
    {
      g_set_error (
        error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
        _ ("There is no frame %s; the trace has %s."), VTR_NUMBER (frame), VTR_NUMBER (n));
      return FALSE;
    }
  vtr_trace_get_frame (self->trace, frame, &term->first, &term->last);
  for (guint nth = 0; nth < VTR_N_COMMANDS; nth++)
    term->ids[nth] = TRUE;
  take_foreign (self, term, matches_all, NULL);
  return TRUE;
}

static gboolean
parse_keyword (VtrFilter     *self,
               VtrTerm       *term,
               const char    *keyword,
               const char    *value,
               GCancellable  *cancellable,
               GError       **error)
{
  if (strcmp (keyword, "pass") == 0)
    {
      term->ranges = g_array_new (FALSE, FALSE, sizeof (VtrCommandRange));
      return collect_groups (self, value, TRUE, term->ranges, cancellable, error);
    }
  if (strcmp (keyword, "thread") == 0)
    {
      term->has_thread = TRUE;
      return parse_number_term (keyword, value, &term->thread, error);
    }
  if (strcmp (keyword, "name") == 0)
    return parse_name (self, term, value, error);
  if (strcmp (keyword, "frame") == 0)
    return parse_frame (self, term, value, error);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("Unknown keyword “%s:”. Use pass:, thread:, frame: or name:."), keyword);
  return FALSE;
}

static gboolean
parse_word (
  VtrFilter *self, VtrTerm *term, const char *word, GCancellable *cancellable, GError **error)
{
  g_autofree char *folded = g_utf8_casefold (word, -1);

  if (match_kind (term, folded))
    return TRUE;
  if (strcmp (folded, "error") == 0)
    {
      term->errors = TRUE;
      return TRUE;
    }
  for (guint nth = 0; nth < VTR_N_COMMANDS; nth++)
    term->ids[nth] = matches_word (vtr_cmd_name (vtr_cmd_at (nth)), folded);
  take_foreign (self, term, matches_word, folded);
  term->ranges = g_array_new (FALSE, FALSE, sizeof (VtrCommandRange));
  return collect_groups (self, word, FALSE, term->ranges, cancellable, error);
}

static gboolean
parse_term (VtrFilter *self, const char *text, GCancellable *cancellable, GError **error)
{
  VtrTerm *term = g_new0 (VtrTerm, 1);
  const char *colon;

  g_ptr_array_add (self->terms, term);
  term->last = G_MAXUINT64;
  if (text[0] == '-' && text[1] != '\0')
    {
      term->negated = TRUE;
      text++;
    }
  colon = strchr (text, ':');
  if (colon != NULL && colon > text)
    {
      g_autofree char *keyword = g_strndup (text, (gsize)(colon - text));

      if (colon[1] == '\0')
        {
          g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                       _ ("“%s” needs a value after the colon."), text);
          return FALSE;
        }
      return parse_keyword (self, term, keyword, colon + 1, cancellable, error);
    }
  return parse_word (self, term, text, cancellable, error);
}

/* Blanks part terms; quotation marks hold one together: pass:"Shadow map". */
static GPtrArray *
split_terms (const char *text)
{
  GPtrArray *terms = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) term = g_string_new (NULL);
  gboolean quoted = FALSE;

  for (;; text++)
    {
      if (*text == '\0' || (!quoted && g_ascii_isspace (*text)))
        {
          if (term->len > 0)
            g_ptr_array_add (terms, g_strdup (term->str));
          g_string_truncate (term, 0);
          if (*text == '\0')
            break;
        }
      else if (*text == '"')
        quoted = !quoted;
      else
        g_string_append_c (term, *text);
    }
  return terms;
}

/* --- Matching --- */

static gboolean
in_ranges (GArray *ranges, guint64 index)
{
  guint low = 0, high = ranges->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const VtrCommandRange *range = &g_array_index (ranges, VtrCommandRange, middle);

      if (index < range->first)
        high = middle;
      else if (index > range->last)
        low = middle + 1;
      else
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_failed (VtrFilter *self, guint64 index, VtrCmdId id, VtrArena *arena)
{
  const VtrApi *api = vtr_api_get (id);
  VtrCommand command;

  if ((vtr_trace_get_flags (self->trace, index) & (VTR_COMMAND_DIED | VTR_COMMAND_DAMAGED)) != 0)
    return TRUE;
  if (vtr_cmd_get (id)->result == VTR_RESULT_VOID || api == NULL || api->state == NULL ||
      api->state->succeeded == NULL)
    return FALSE;
  vtr_arena_reset (arena);
  return !vtr_trace_decode (self->trace, index, arena, &command, NULL) ||
         api->state->succeeded (&command, NULL) == VTR_NO;
}

static gboolean
matches_foreign (const VtrTerm *term, VtrCmdId id)
{
  return term->foreign != NULL && g_hash_table_contains (term->foreign, GUINT_TO_POINTER (id));
}

static gboolean
term_matches (VtrFilter *self, const VtrTerm *term, guint64 index, VtrCmdId id, VtrArena *arena)
{
  if (index < term->first || index > term->last)
    return FALSE;
  if (term->has_thread)
    return vtr_trace_get_thread (self->trace, index) == term->thread;
  if (term->errors)
    return has_failed (self, index, id, arena);
  return (vtr_cmd_is_known (id) ? term->ids[vtr_cmd_index (id)] : matches_foreign (term, id)) ||
         (term->ranges != NULL && in_ranges (term->ranges, index));
}

static GArray *
run_filter (VtrFilter *self, guint64 limit, GCancellable *cancellable, GError **error)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint64 n = vtr_trace_get_n_commands (self->trace);
  gboolean cancelled = FALSE;
  VtrArena arena;

  vtr_arena_init (&arena);
  for (guint64 i = 0; i < n && found->len < limit && !cancelled; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (self->trace, i);
      gboolean matches = vtr_cmd_is_known (id) || vtr_cmd_is_foreign (id);

      if (i % 1024 == 0)
        cancelled = g_cancellable_set_error_if_cancelled (cancellable, error);
      for (guint k = 0; k < self->terms->len && matches; k++)
        {
          const VtrTerm *term = self->terms->pdata[k];

          matches = term_matches (self, term, i, id, &arena) != term->negated;
        }
      if (matches)
        g_array_append_val (found, i);
    }
  vtr_arena_finish (&arena);
  return cancelled ? NULL : g_steal_pointer (&found);
}

GArray *
vtr_command_filter (VtrAnalysis   *analysis,
                    const char    *text,
                    guint64        limit,
                    GCancellable  *cancellable,
                    GError       **error)
{
  g_autoptr (VtrCommandTree) tree = vtr_command_tree_new (analysis);
  g_autoptr (GPtrArray) terms = g_ptr_array_new_with_free_func (vtr_term_free);
  g_autoptr (GPtrArray) texts = split_terms (text);
  VtrFilter self = {
    .analysis = analysis,
    .trace = vtr_analysis_get_trace (analysis),
    .tree = tree,
    .terms = terms,
  };

  for (guint i = 0; i < texts->len; i++)
    if (!parse_term (&self, texts->pdata[i], cancellable, error))
      return NULL;
  return run_filter (&self, limit, cancellable, error);
}
