/* Makes the titles and details of rows. Only called for visible rows, so it may decode commands. */
#include "engine/model/vtr-command-tree-private.h"
#include "engine/api/vtr-show-api.h"
#include "engine/state/vtr-history.h"
#include "base/vtr-number.h"
#include "engine/model/vtr-command-text.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-print.h"

#include <glib/gi18n.h>
#include <string.h>

/* Bytes after which a list of arguments is cut. */
#define MAX_ARGUMENTS 160

/* A narrow space between thousands: one that no line breaks at and that a right-to-left sentence
 * takes for a part of the number, or it would be read "124 16". */
char *
vtr_format_count (guint64 n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
  gsize length = strlen (digits);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0)
        g_string_append (text, "\u202f");
      g_string_append_c (text, digits[i]);
    }
  return g_string_free (text, FALSE);
}

const char *
vtr_command_short_name (VtrCmdId id)
{
  const VtrShowApi *show = vtr_show_api_get (id);

  if (!vtr_cmd_is_known (id))
    return "?";
  return show->short_name != NULL ? show->short_name (id) : vtr_cmd_name (id);
}

const char *
vtr_label_text (const VtrCommand *command)
{
  const VtrApi *api = vtr_api_get (command->id);

  if (api == NULL || api->scopes == NULL || api->scopes->get_label == NULL)
    return NULL;
  return api->scopes->get_label (command);
}

char *
vtr_command_tree_dup_label (VtrCommandTree *self, guint64 index)
{
  VtrCommand command;
  VtrArena arena;
  const char *label = NULL;
  char *text;

  vtr_arena_init (&arena);
  if (vtr_trace_decode (self->trace, index, &arena, &command, NULL))
    label = vtr_label_text (&command);
  text = label != NULL && *label != '\0' ? g_utf8_make_valid (label, -1) : g_strdup (_ ("Group"));
  vtr_arena_finish (&arena);
  return text;
}

/* The API of @id, if it says something about rows. */
static const VtrScopeApi *
get_scopes_of (guint32 id)
{
  const VtrApi *api = vtr_api_get (id);

  return api != NULL ? api->scopes : NULL;
}

/* The scope API of the command that the row begins with. */
static const VtrScopeApi *
get_scope_api (VtrCommandTree    *self,
               const VtrTreeNode *node)
{
  return get_scopes_of (vtr_trace_get_command_id (self->trace, node->first));
}

/* (nullable) */
static char *
ask_text (VtrCommandTree    *self,
          const VtrTreeNode *node)
{
  const VtrScopeApi *api = get_scope_api (self, node);

  return api != NULL && api->get_text != NULL ? api->get_text (self->analysis, node) : NULL;
}

void
vtr_command_tree_get_pass_name (VtrCommandTree    *self,
                                const VtrTreeNode *node,
                                VtrPassName       *out)
{
  const VtrScopeApi *api = get_scope_api (self, node);

  *out = (VtrPassName){ .name = NULL };
  if (api != NULL && api->name_pass != NULL)
    api->name_pass (self->analysis, node->first, out);
}

char *
vtr_pass_name_format (const VtrPassName *name,
                      guint32            number)
{
  if (name->name != NULL)
    return g_strdup (name->name);
  if (!name->is_known)
    return g_strdup_printf (_ ("Pass %u"), number);
  if (name->n_colors > 0)
    return g_strdup_printf (_ ("Colour pass %u"), number);
  if (name->has_depth || name->has_stencil)
    return g_strdup_printf (_ ("Depth pass %u"), number);
  return g_strdup_printf (_ ("Pass %u without attachments"), number);
}

static char *
make_pass_title (VtrCommandTree *self, const VtrTreeNode *node)
{
  VtrPassName name;

  vtr_command_tree_get_pass_name (self, node, &name);
  return vtr_pass_name_format (&name, vtr_command_tree_get_pass_number (self, node));
}

/* The API's name for it, or @otherwise. */
static char *
make_api_title (VtrCommandTree    *self,
                const VtrTreeNode *node,
                const char        *otherwise)
{
  char *title = ask_text (self, node);

  return title != NULL ? title : g_strdup (otherwise);
}

static guint32
get_ordinal (VtrCommandTree *self, const VtrTreeNode *node)
{
  g_autoptr (VtrScopeTree) tree = vtr_command_tree_get_scopes (self, node);
  guint32 container = vtr_command_tree_find_container (tree, node);

  return container != G_MAXUINT32 ? vtr_scope_tree_at (tree, container)->ordinal : 0;
}

char *
vtr_command_tree_get_title (VtrCommandTree *self, const VtrTreeNode *node)
{
  switch (node->kind)
    {
    case VTR_NODE_FRAME:
      if (node->last < vtr_trace_get_n_initial_commands (self->trace))
        return g_strdup (_ ("Initial State"));
      if (vtr_trace_get_part_of (self->trace, node->last) >= vtr_trace_get_n_frames (self->trace))
        return g_strdup (_ ("After the Last Frame"));
      return g_strdup_printf (_ ("Frame %s"),
                              VTR_NUMBER (vtr_trace_get_frame_of (self->trace, node->last)));
    case VTR_NODE_LIST:
      return make_api_title (self, node, _ ("Command list"));
    case VTR_NODE_SCOPE:
      return make_api_title (self, node, _ ("Scope"));
    case VTR_NODE_PASS:
      return make_pass_title (self, node);
    case VTR_NODE_SUBPASS:
      return g_strdup_printf (_ ("Subpass %u"), get_ordinal (self, node));
    case VTR_NODE_GROUP:
      return vtr_command_tree_dup_label (self, node->first);
    case VTR_NODE_CMD:
      return g_strdup (
        vtr_command_short_name (vtr_trace_get_command_id (self->trace, node->command)));
    case VTR_NODE_COMMAND:
    case VTR_NODE_SUBMIT:
      return g_strdup (vtr_trace_get_command_name (self->trace, node->command));
    case VTR_NODE_ROOT:
      break;
    }
  return g_strdup ("");
}

/* A recorded command's row leaves out "vkCmd" or "vk", and does not tell which. */
char *
vtr_command_tree_get_full_title (VtrCommandTree *self, const VtrTreeNode *node)
{
  VtrCmdId id = node->kind == VTR_NODE_CMD ? vtr_trace_get_command_id (self->trace, node->command)
                                           : VTR_CMD_NONE;

  return vtr_cmd_is_known (id) ? g_strdup (vtr_cmd_name (id))
                               : vtr_command_tree_get_title (self, node);
}

/* --- Details --- */

/* "648 draws · 2 dispatches"; @otherwise commands when there are none. */
static char *
make_work (guint64 n_draws, guint64 n_dispatches, guint64 n_commands)
{
  g_autofree char *draws = vtr_format_count (n_draws);
  g_autofree char *dispatches = vtr_format_count (n_dispatches);
  g_autofree char *commands = vtr_format_count (n_commands);
  g_autofree char *draw_text =
    g_strdup_printf (g_dngettext (NULL, "%s draw", "%s draws", (gulong)n_draws), draws);
  g_autofree char *dispatch_text = g_strdup_printf (
    g_dngettext (NULL, "%s dispatch", "%s dispatches", (gulong)n_dispatches), dispatches);

  if (n_draws > 0 && n_dispatches > 0)
    return g_strdup_printf ("%s · %s", draw_text, dispatch_text);
  if (n_draws > 0)
    return g_steal_pointer (&draw_text);
  if (n_dispatches > 0)
    return g_steal_pointer (&dispatch_text);
  return g_strdup_printf (g_dngettext (NULL, "%s command", "%s commands", (gulong)n_commands),
                          commands);
}

static char *
make_pass_detail (VtrCommandTree *self, const VtrTreeNode *node, const char *work)
{
  GString *text = g_string_new (NULL);
  VtrPassName name;

  vtr_command_tree_get_pass_name (self, node, &name);
  if (name.n_colors > 0)
    g_string_append_printf (text, g_dngettext (NULL, "%u colour", "%u colour", name.n_colors),
                            name.n_colors);
  if (name.has_depth || name.has_stencil)
    g_string_append_printf (text, "%s%s", text->len > 0 ? " + " : "",
                            name.has_depth && name.has_stencil ? _ ("depth, stencil")
                            : name.has_depth                   ? _ ("depth")
                                                               : _ ("stencil"));
  if (text->len > 0)
    g_string_append (text, " · ");
  g_string_append (text, work);
  return g_string_free (text, FALSE);
}

static char *
make_container_detail (VtrCommandTree *self, const VtrTreeNode *node)
{
  g_autoptr (VtrScopeTree) tree = vtr_command_tree_get_scopes (self, node);
  guint32 nth = vtr_command_tree_find_container (tree, node);
  const VtrContainer *container;
  g_autofree char *work = NULL;

  if (nth == G_MAXUINT32)
    return g_strdup ("");
  container = vtr_scope_tree_at (tree, nth);
  work = make_work (container->n_draws, container->n_dispatches,
                    (guint64)MAX (container->inner_last - container->inner_first + 1, 0));
  if (node->kind == VTR_NODE_PASS)
    return make_pass_detail (self, node, work);
  if (node->kind == VTR_NODE_LIST &&
      (container->n_draws > 0 || container->n_dispatches > 0))
    {
      g_autofree char *count = vtr_format_count (tree->commands.n);

      return g_strdup_printf (
        g_dngettext (NULL, "%s command · %s", "%s commands · %s", (gulong)tree->commands.n),
        count, work);
    }
  return g_steal_pointer (&work);
}

static char *
make_frame_detail (VtrCommandTree *self, const VtrTreeNode *node)
{
  g_autoptr (VtrScopeTree) tree = vtr_command_tree_get_scopes (self, node);
  guint64 draws = vtr_scope_tree_at (tree, 0)->n_draws;
  guint64 dispatches = vtr_scope_tree_at (tree, 0)->n_dispatches;
  guint32 low = 0, high = vtr_timeline_get_n_submissions (self->timeline);

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_submission (self->timeline, middle)->submit < node->first)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < vtr_timeline_get_n_submissions (self->timeline); low++)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, low);

      if (submission->submit > node->last)
        break;
      for (guint32 i = 0; i < submission->n_runs; i++)
        {
          const VtrRun *run = vtr_timeline_get_run (self->timeline, submission->first_run + i);
          const VtrRecording *recording =
            vtr_timeline_get_recording (self->timeline, run->recording);

          draws += recording->n_draws;
          dispatches += recording->n_dispatches;
        }
    }
  return make_work (draws, dispatches, node->last - node->first + 1);
}

/* Elements of an array of handles that are named. */
#define MAX_NAMED 3

static void
append_handle (VtrHistory *history, const VtrProperty *property, guint64 index, GString *text)
{
  const VtrObject *object = vtr_history_find_name (history, property->type, property->value, index);
  g_autofree char *name = NULL;

  if (object != NULL)
    name = vtr_history_describe (history, object);
  else if (property->value == 0)
    name = g_strdup (_ ("null"));
  else
    name = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x",
                            vtr_trace_get_driver_handle (vtr_history_get_trace (history),
                                                         property->value));
  g_string_append (text, name);
}

static gboolean
append_handles (
  VtrHistory *history, VtrArena *arena, const VtrProperty *property, guint64 index, GString *text)
{
  const VtrProperty *first =
    property->n_children > 0 ? vtr_property_child (arena, property, 0) : NULL;

  if (first == NULL || first->kind != VTR_PROPERTY_HANDLE)
    return FALSE;
  g_string_append_c (text, '[');
  for (guint64 i = 0; i < MIN (property->n_children, MAX_NAMED); i++)
    {
      const VtrProperty *child = vtr_property_child (arena, property, i);

      if (i > 0)
        g_string_append (text, ", ");
      if (child != NULL)
        append_handle (history, child, index, text);
    }
  if (property->n_children > MAX_NAMED)
    g_string_append_printf (text, ", … %" G_GUINT64_FORMAT, property->n_children);
  g_string_append_c (text, ']');
  return TRUE;
}

/* "pipeline stage" words of VkPipelineStageFlagBits2: VK_PIPELINE_STAGE_2_, which its values begin
   with. */
static char *
dup_value_prefix (const char *type)
{
  GString *prefix = g_string_new ("VK");
  gsize length = strlen (type);
  const char *flags = strstr (type, "Flag");
  const char *digits = flags != NULL ? flags + strcspn (flags, "0123456789") : NULL;

  if (flags != NULL)
    length = (gsize)(flags - type);
  else
    while (length > 2 && g_ascii_isupper (type[length - 1]))
      length--; /* the vendor */
  for (gsize i = 2; i < length; i++)
    {
      if (g_ascii_isupper (type[i]))
        g_string_append_c (prefix, '_');
      g_string_append_c (prefix, g_ascii_toupper (type[i]));
    }
  g_string_append_c (prefix, '_');
  if (digits != NULL && g_ascii_isdigit (*digits))
    g_string_append_printf (prefix, "%c_", *digits);
  return g_string_free (prefix, FALSE);
}

void
vtr_append_short_enum (GString *text, VtrEnumId id, const char *name, gsize size)
{
  g_autofree char *prefix = dup_value_prefix (vtr_api_string (vtr_enum_get (id)->name));
  g_autofree char *copy = g_strndup (name, size);
  g_auto (GStrv) bits = g_strsplit (copy, "|", -1);
  /* Formats are known by their names as they are written. */
  const gboolean format =
    g_str_has_suffix (vtr_api_string (vtr_enum_get (id)->name), "Format");

  for (guint i = 0; bits[i] != NULL; i++)
    {
      char *bit = bits[i];

      if (i > 0)
        g_string_append_c (text, '|');
      if (!g_str_has_prefix (bit, prefix))
        {
          g_string_append (text, bit);
          continue;
        }
      bit += strlen (prefix);
      if (g_str_has_suffix (bit, "_BIT"))
        bit[strlen (bit) - strlen ("_BIT")] = '\0';
      for (; *bit != '\0'; bit++)
        g_string_append_c (text, format ? *bit : *bit == '_' ? ' '
                                                             : g_ascii_tolower (*bit));
    }
}

/* Name of an enumerant → its VtrEnumId + 1. Made once. */
static GHashTable *
get_enumerants (void)
{
  static gsize made;
  static GHashTable *names;

  if (g_once_init_enter (&made))
    {
      names = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint k = 0; k < VTR_N_ENUMS; k++)
        {
          const VtrApiEnum *type = vtr_enum_get (vtr_enum_at (k));
          const VtrApiEnumValue *values = vtr_api_enum_values + type->first_value;

          for (guint i = 0; i < type->n_values; i++)
            g_hash_table_insert (names, (char *)vtr_api_string (values[i].name),
                                 GUINT_TO_POINTER (vtr_enum_at (k) + 1));
        }
      g_once_init_leave (&made, 1);
    }
  return names;
}

/* Appends the enumerant @word without the prefix of its type; other words as they are. */
static void
append_without_prefix (GString *text, const char *word)
{
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (get_enumerants (), word));
  g_autofree char *prefix = NULL;
  gsize length = strlen (word);

  if (id == 0)
    {
      g_string_append (text, word);
      return;
    }
  prefix = dup_value_prefix (vtr_api_string (vtr_enum_get (id - 1)->name));
  if (vtr_enum_get (id - 1)->is_bitmask && g_str_has_suffix (word, "_BIT"))
    length -= strlen ("_BIT");
  if (g_str_has_prefix (word, prefix) && length > strlen (prefix))
    g_string_append_len (text, word + strlen (prefix), (gssize)(length - strlen (prefix)));
  else
    {
      const char *rest = strchr (word, '_');
      const gsize skipped = rest != NULL ? (gsize)(rest + 1 - word) : 0;

      g_string_append_len (text, word + skipped, (gssize)(length - skipped));
    }
}

char *
vtr_shorten_enumerants (const char *text)
{
  static const char letters[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_";
  GString *out = g_string_new (NULL);

  while (*text != '\0')
    {
      gsize word = strspn (text, letters);

      /* Names of APIs' enumerants: a prefix in capitals. */
      if (word > 3 && g_ascii_isupper (*text) && memchr (text, '_', word) != NULL)
        {
          g_autofree char *name = g_strndup (text, word);

          append_without_prefix (out, name);
        }
      else
        g_string_append_len (out, text, (gssize)MAX (word, 1));
      text += MAX (word, 1);
    }
  return g_string_free (out, FALSE);
}

/* "imageMemoryBarriers[2]" of the parameter pImageMemoryBarriers. */
static void
append_counted (const VtrProperty *property, GString *text)
{
  const char *name = property->name;

  if (name[0] == 'p' && g_ascii_isupper (name[1]))
    {
      g_string_append_c (text, g_ascii_tolower (name[1]));
      name += 2;
    }
  g_string_append_printf (text, "%s[%" G_GUINT64_FORMAT "]", name, property->n_children);
}

static void
append_value (
  VtrHistory *history, VtrArena *arena, const VtrProperty *property, guint64 index, GString *text)
{
  const VtrProperty *first;
  VtrBuffer buffer = { 0 };

  switch (property->kind)
    {
    case VTR_PROPERTY_HANDLE:
      append_handle (history, property, index, text);
      return;
    case VTR_PROPERTY_BYTES:
      g_string_append_printf (text,
                              g_dngettext (NULL, "%s byte", "%s bytes", property->size),
                              VTR_NUMBER (property->size));
      return;
    case VTR_PROPERTY_ARRAY:
      if (append_handles (history, arena, property, index, text))
        return;
      first = vtr_property_child (arena, property, 0);
      if (first != NULL && first->n_children > 0)
        {
          append_counted (property, text);
          return;
        }
      break;
    default:
      break;
    }
  vtr_property_text (property, &buffer);
  if ((property->kind == VTR_PROPERTY_ENUM || property->kind == VTR_PROPERTY_FLAGS) &&
      vtr_enum_is_known (property->type))
    vtr_append_short_enum (text, property->type, (const char *)buffer.data, buffer.size);
  else
    g_string_append_len (text, (const char *)buffer.data, (gssize)buffer.size);
  vtr_buffer_finish (&buffer);
}

static gboolean
is_plain_context (const VtrProperty *property)
{
  const VtrScopeApi *api = get_scopes_of (property->type);

  return property->kind == VTR_PROPERTY_HANDLE && api != NULL && api->is_implied != NULL &&
         api->is_implied (property->type);
}

/* Arguments that a row leaves out: the object it is in, null values, counts of lists that follow,
   and structures that are too large for a line. */
static gboolean
is_noise (const VtrProperty *property, guint64 nth)
{
  if (nth == 0 && is_plain_context (property))
    return TRUE;
  switch (property->kind)
    {
    case VTR_PROPERTY_NULL:
    case VTR_PROPERTY_STRUCT:
      return TRUE;
    case VTR_PROPERTY_FLAGS:
      return property->value == 0;
    case VTR_PROPERTY_ARRAY:
      return property->n_children == 0;
    case VTR_PROPERTY_NUMBER:
      return (property->field->flags & VTR_FIELD_LEN_SOURCE) != 0 &&
             property->field->pointers == 0;
    default:
      return g_str_equal (property->name, "pAllocator");
    }
}

/* Members of a structure that say only what it is. */
static gboolean
is_header (const VtrProperty *property)
{
  return g_str_equal (property->name, "sType") || g_str_equal (property->name, "pNext");
}

/* The members of @parent that a row says. @inside: those of its structures instead of its own; for
   calls such as vkSetDebugUtilsObjectNameEXT, all of whose arguments are in one. Returns: how
   many. */
static guint
append_arguments (VtrHistory        *history,
                  VtrArena          *arena,
                  const VtrProperty *parent,
                  gboolean           inside,
                  guint64            index,
                  GString           *text)
{
  guint n = 0;

  for (guint64 i = 0; parent != NULL && i < parent->n_children; i++)
    {
      const VtrProperty *child = vtr_property_child (arena, parent, i);

      if (child != NULL && inside && child->kind == VTR_PROPERTY_STRUCT)
        {
          if (n == 0)
            n += append_arguments (history, arena, child, FALSE, index, text);
          continue;
        }
      if (child == NULL || inside || is_header (child) || is_noise (child, i))
        continue;
      if (n++ > 0)
        g_string_append (text, ", ");
      if (text->len > MAX_ARGUMENTS)
        {
          g_string_append (text, "…");
          break;
        }
      append_value (history, arena, child, index, text);
    }
  return n;
}

char *
vtr_command_dup_arguments (VtrAnalysis *analysis, guint64 index)
{
  const VtrApiEnv env = vtr_trace_get_env (vtr_analysis_get_trace (analysis));
  GString *text = g_string_new ("(");
  const VtrScopeApi *api;
  const VtrProperty *root;
  const char *result;
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (!vtr_trace_decode (vtr_analysis_get_trace (analysis), index, &arena, &command, NULL))
    {
      vtr_arena_finish (&arena);
      g_string_free (text, TRUE);
      return g_strdup (_ ("cannot be read"));
    }
  root = vtr_property_root (&arena, command.id, command.args, command.decoded, &env);
  if (append_arguments (vtr_analysis_get_history (analysis), &arena, root, FALSE, index, text) == 0)
    append_arguments (vtr_analysis_get_history (analysis), &arena, root, TRUE, index, text);
  g_string_append_c (text, ')');
  api = get_scopes_of (command.id);
  result = api != NULL && api->get_result != NULL ? api->get_result (&command) : NULL;
  if (result != NULL)
    g_string_append_printf (text, " = %s", result);
  vtr_arena_finish (&arena);
  return g_string_free (text, FALSE);
}

char *
vtr_command_tree_get_detail (VtrCommandTree *self, const VtrTreeNode *node)
{
  switch (node->kind)
    {
    case VTR_NODE_FRAME:
      return make_frame_detail (self, node);
    case VTR_NODE_SUBMIT:
      return make_api_title (self, node, "");
    case VTR_NODE_LIST:
    case VTR_NODE_PASS:
    case VTR_NODE_SUBPASS:
    case VTR_NODE_GROUP:
    case VTR_NODE_SCOPE:
      return make_container_detail (self, node);
    case VTR_NODE_COMMAND:
    case VTR_NODE_CMD:
      return vtr_command_dup_arguments (self->analysis, node->command);
    case VTR_NODE_ROOT:
      break;
    }
  return g_strdup ("");
}
