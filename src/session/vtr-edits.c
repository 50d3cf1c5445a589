/* The user's edits of an open trace (overlay, disabled commands, replaced shaders), with undo
 * and redo. */
#include "vtr-config.h"

#include "session/vtr-edits.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/shader/vtr-shader-code.h"

#define UNDO_MAX 200
/* The most commands that a path may name. */
#define DISABLED_MAX 65536

/* One state of the edits that can be undone; immutable. */
typedef struct
{
  GArray *disabled;    /* guint64, ascending */
  GHashTable *shaders; /* "41", "41.2" → name of the code in the document */
} State;

struct _VtrEdits
{
  GObject parent_instance;

  VtrDocument *document;
  VtrOverlay overlay;
  guint64 overlay_from; /* VTR_COMMAND_NO_INDEX: not said */
  GHashTable *codes;    /* name → GBytes: all replacements that were ever made */
  GPtrArray *states;    /* State; [now] is the current one */
  guint now;
  const VtrPictureEdit *edits[2]; /* for the document; without and with the overlay */
  gboolean parsed[2];
};

G_DEFINE_FINAL_TYPE (VtrEdits, vtr_edits, G_TYPE_OBJECT)

enum
{
  CHANGED,
  OVERLAY_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* --- states ---------------------------------------------------------------------------------- */

static State *
state_new (void)
{
  State *state = g_new0 (State, 1);

  state->disabled = g_array_new (FALSE, FALSE, sizeof (guint64));
  state->shaders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return state;
}

static void
state_free (State *state)
{
  g_array_unref (state->disabled);
  g_hash_table_unref (state->shaders);
  g_free (state);
}

static const State *
get_state (VtrEdits *self)
{
  return g_ptr_array_index (self->states, self->now);
}

/* A copy of @from to change, without its commands. */
static State *
copy_shaders (const State *from)
{
  State *state = state_new ();
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, from->shaders);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (state->shaders, g_strdup (key), g_strdup (value));
  return state;
}

static void
copy_disabled (State *state, const State *from)
{
  if (from->disabled->len > 0)
    g_array_append_vals (state->disabled, from->disabled->data, from->disabled->len);
}

static void
forget_parsed (VtrEdits *self)
{
  memset (self->parsed, 0, sizeof self->parsed);
}

static void
go_to (VtrEdits *self, guint nth)
{
  self->now = nth;
  forget_parsed (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

/* Takes @state. */
static void
push (VtrEdits *self, State *state)
{
  g_ptr_array_set_size (self->states, (int)self->now + 1);
  g_ptr_array_add (self->states, state);
  if (self->states->len > UNDO_MAX)
    g_ptr_array_remove_index (self->states, 0);
  go_to (self, self->states->len - 1);
}

gboolean
vtr_edits_can_undo (VtrEdits *self)
{
  return self->now > 0;
}

gboolean
vtr_edits_can_redo (VtrEdits *self)
{
  return self->now + 1 < self->states->len;
}

gboolean
vtr_edits_undo (VtrEdits *self)
{
  if (!vtr_edits_can_undo (self))
    return FALSE;
  go_to (self, self->now - 1);
  return TRUE;
}

gboolean
vtr_edits_redo (VtrEdits *self)
{
  if (!vtr_edits_can_redo (self))
    return FALSE;
  go_to (self, self->now + 1);
  return TRUE;
}

/* --- overlay --------------------------------------------------------------------------------- */

VtrOverlay
vtr_edits_get_overlay (VtrEdits *self)
{
  return self->overlay;
}

void
vtr_edits_set_overlay (VtrEdits *self, VtrOverlay overlay)
{
  if (self->overlay == overlay)
    return;
  self->overlay = overlay;
  if (overlay == VTR_OVERLAY_NONE)
    self->overlay_from = VTR_COMMAND_NO_INDEX;
  forget_parsed (self);
  g_signal_emit (self, signals[OVERLAY_CHANGED], 0);
}

guint64
vtr_edits_get_overlay_from (VtrEdits *self)
{
  return self->overlay_from;
}

void
vtr_edits_set_overlay_from (VtrEdits *self, guint64 command)
{
  if (self->overlay_from == command)
    return;
  self->overlay_from = command;
  forget_parsed (self);
  g_signal_emit (self, signals[OVERLAY_CHANGED], 0);
}

/* --- commands -------------------------------------------------------------------------------- */

static int
compare_commands (gconstpointer a, gconstpointer b)
{
  const guint64 left = *(const guint64 *)a, right = *(const guint64 *)b;

  return left < right ? -1 : left > right;
}

guint
vtr_edits_get_n_disabled (VtrEdits *self)
{
  return get_state (self)->disabled->len;
}

gboolean
vtr_edits_is_disabled (VtrEdits *self, guint64 command)
{
  return g_array_binary_search (get_state (self)->disabled, &command, compare_commands, NULL);
}

static gboolean
check_commands (VtrEdits *self, GArray *commands, GError **error)
{
  if (commands->len + vtr_edits_get_n_disabled (self) > DISABLED_MAX)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                           _ ("Too many commands are disabled at once."));
      return FALSE;
    }
  for (guint i = 0; i < commands->len; i++)
    if (!vtr_document_can_disable (self->document, g_array_index (commands, guint64, i), error))
      return FALSE;
  return TRUE;
}

/* The difference or the union of two ascending lists. */
static void
merge (GArray *out, const GArray *old, const GArray *change, gboolean add)
{
  guint i = 0, j = 0;

  while (i < old->len || (add && j < change->len))
    {
      const guint64 left = i < old->len ? g_array_index (old, guint64, i) : G_MAXUINT64;
      const guint64 right = j < change->len ? g_array_index (change, guint64, j) : G_MAXUINT64;
      const guint64 least = MIN (left, right);

      if (add || left < right)
        g_array_append_val (out, least);
      i += left == least;
      while (j < change->len && g_array_index (change, guint64, j) == least)
        j++;
    }
}

gboolean
vtr_edits_set_disabled (VtrEdits  *self,
                        GArray    *commands,
                        gboolean   disabled,
                        GError   **error)
{
  g_autoptr (GArray) sorted = g_array_copy (commands);
  State *state;

  if (disabled && !check_commands (self, commands, error))
    return FALSE;
  g_array_sort (sorted, compare_commands);
  state = copy_shaders (get_state (self));
  merge (state->disabled, get_state (self)->disabled, sorted, disabled);
  if (state->disabled->len == vtr_edits_get_n_disabled (self))
    state_free (state);
  else
    push (self, state);
  return TRUE;
}

void
vtr_edits_enable_all (VtrEdits *self)
{
  if (vtr_edits_get_n_disabled (self) > 0)
    push (self, copy_shaders (get_state (self)));
}

/* --- shaders --------------------------------------------------------------------------------- */

static char *
make_key (guint32 object, guint32 stage)
{
  return stage == VTR_SHADER_MODULE ? g_strdup_printf ("%u", object)
                                    : g_strdup_printf ("%u.%u", object, stage);
}

guint
vtr_edits_get_n_shaders (VtrEdits *self)
{
  return g_hash_table_size (get_state (self)->shaders);
}

GBytes *
vtr_edits_get_shader (VtrEdits *self, guint32 object, guint32 stage)
{
  g_autofree char *key = make_key (object, stage);
  const char *name = g_hash_table_lookup (get_state (self)->shaders, key);

  return name != NULL ? g_hash_table_lookup (self->codes, name) : NULL;
}

static char *
add_code (VtrEdits *self, GBytes *code)
{
  char *name = vtr_document_add_shader (self->document, code);

  g_hash_table_replace (self->codes, g_strdup (name), g_bytes_ref (code));
  return name;
}

void
vtr_edits_set_shader (VtrEdits *self, guint32 object, guint32 stage, GBytes *code)
{
  g_autofree char *key = make_key (object, stage);
  g_autofree char *name = code != NULL ? add_code (self, code) : NULL;
  State *state;

  if (g_strcmp0 (g_hash_table_lookup (get_state (self)->shaders, key), name) == 0)
    return;
  state = copy_shaders (get_state (self));
  copy_disabled (state, get_state (self));
  if (name != NULL)
    g_hash_table_replace (state->shaders, g_steal_pointer (&key), g_steal_pointer (&name));
  else
    g_hash_table_remove (state->shaders, key);
  push (self, state);
}

/* --- all of them ----------------------------------------------------------------------------- */

void
vtr_edits_copy (VtrEdits *self, VtrEdits *from)
{
  State *state = copy_shaders (get_state (from));
  GHashTableIter iter;
  gpointer code;

  copy_disabled (state, get_state (from));
  g_hash_table_iter_init (&iter, from->codes);
  while (g_hash_table_iter_next (&iter, NULL, &code))
    g_free (add_code (self, code));
  if (state->disabled->len > 0 || g_hash_table_size (state->shaders) > 0)
    push (self, state);
  else
    state_free (state);
  vtr_edits_set_overlay (self, from->overlay);
  vtr_edits_set_overlay_from (self, from->overlay_from);
}

void
vtr_edits_reset (VtrEdits *self)
{
  if (vtr_edits_get_n_disabled (self) > 0 || vtr_edits_get_n_shaders (self) > 0)
    push (self, state_new ());
  vtr_edits_set_overlay (self, VTR_OVERLAY_NONE);
}

/* --- questions ------------------------------------------------------------------------------- */

/* Whether the overlay is one that covers commands from a first one on. */
static gboolean
has_from (VtrEdits *self)
{
  return self->overlay_from != VTR_COMMAND_NO_INDEX &&
         (self->overlay == VTR_OVERLAY_WIREFRAME || self->overlay == VTR_OVERLAY_HIGHLIGHT);
}

static void
add_option (GString *text, const char *name)
{
  g_string_append_printf (text, "%s%s=", text->len > 0 ? "&" : "", name);
}

char *
vtr_edits_format (VtrEdits *self, gboolean with_overlay)
{
  const State *state = get_state (self);
  VtrTrace *trace = vtr_document_get_trace (self->document);
  GString *text = g_string_new (NULL);
  GHashTableIter iter;
  gpointer key, value;

  if (with_overlay && self->overlay != VTR_OVERLAY_NONE)
    {
      add_option (text, "overlay");
      g_string_append (text, vtr_overlay_to_string (self->overlay));
    }
  if (with_overlay && has_from (self))
    {
      g_autofree char *number = vtr_trace_format_number (trace, self->overlay_from);

      add_option (text, "from");
      g_string_append (text, number);
    }
  if (state->disabled->len > 0)
    add_option (text, "disable");
  for (guint i = 0; i < state->disabled->len; i++)
    {
      g_autofree char *number =
        vtr_trace_format_number (trace, g_array_index (state->disabled, guint64, i));

      g_string_append_printf (text, "%s%s", i > 0 ? "," : "", number);
    }
  g_hash_table_iter_init (&iter, state->shaders);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      add_option (text, "shader");
      g_string_append_printf (text, "%s:%s", (const char *)key, (const char *)value);
    }
  return g_string_free (text, FALSE);
}

const VtrPictureEdit *
vtr_edits_get (VtrEdits *self, gboolean with_overlay)
{
  const guint which = with_overlay ? 1 : 0;

  if (!self->parsed[which])
    {
      g_autofree char *options = vtr_edits_format (self, with_overlay);
      g_autoptr (GError) error = NULL;

      if (!vtr_document_parse_edit (self->document, options, &self->edits[which], &error))
        g_warning ("%s", error->message); /* everything was checked when the edits were made */
      self->parsed[which] = TRUE;
    }
  return self->edits[which];
}

char *
vtr_edits_append (const char *path, const char *options)
{
  if (*options == '\0')
    return g_strdup (path);
  return g_strconcat (path, strchr (path, '?') != NULL ? "&" : "?", options, NULL);
}

static void
add_words (GString *text, const char *words)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", words);
}

char *
vtr_edits_describe (VtrEdits *self, gboolean with_overlay)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_disabled = vtr_edits_get_n_disabled (self);
  guint n_shaders = vtr_edits_get_n_shaders (self), n;
  const VtrOverlayInfo *infos = vtr_overlay_list (&n);

  for (guint i = 0; with_overlay && i < n; i++)
    if (infos[i].overlay == self->overlay && self->overlay != VTR_OVERLAY_NONE)
      add_words (text, _ (infos[i].title));
  if (with_overlay && has_from (self))
    {
      g_autofree char *number =
        vtr_trace_format_number (vtr_document_get_trace (self->document), self->overlay_from);
      g_autofree char *words = g_strdup_printf (_ ("from command %s"), number);

      add_words (text, words);
    }
  if (n_disabled > 0)
    {
      g_autofree char *words = g_strdup_printf (
        ngettext ("%u command disabled", "%u commands disabled", n_disabled), n_disabled);

      add_words (text, words);
    }
  if (n_shaders > 0)
    {
      g_autofree char *words = g_strdup_printf (
        ngettext ("%u shader replaced", "%u shaders replaced", n_shaders), n_shaders);

      add_words (text, words);
    }
  return text->len > 0 ? g_strdup (text->str) : NULL;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_edits_finalize (GObject *object)
{
  VtrEdits *self = VTR_EDITS (object);

  g_object_unref (self->document);
  g_ptr_array_unref (self->states);
  g_hash_table_unref (self->codes);
  G_OBJECT_CLASS (vtr_edits_parent_class)->finalize (object);
}

static void
vtr_edits_class_init (VtrEditsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_edits_finalize;
  signals[CHANGED] = g_signal_new ("changed", VTR_TYPE_EDITS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 0);
  signals[OVERLAY_CHANGED] = g_signal_new ("overlay-changed", VTR_TYPE_EDITS, G_SIGNAL_RUN_LAST, 0,
                                           NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
vtr_edits_init (VtrEdits *self)
{
  self->codes =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  self->overlay_from = VTR_COMMAND_NO_INDEX;
  self->states = g_ptr_array_new_with_free_func ((GDestroyNotify)state_free);
  g_ptr_array_add (self->states, state_new ());
}

VtrEdits *
vtr_edits_new (VtrDocument *document)
{
  VtrEdits *self = g_object_new (VTR_TYPE_EDITS, NULL);

  self->document = g_object_ref (document);
  return self;
}
