/* Asks a possibly hostile trace everything that the window and the command line ask, for the
 * test that none of it crashes. */
#include "vtr-asks.h"

#include "engine/document/vtr-document-memory.h"
#include "engine/format/vtr-trace-header.h"
#include "engine/model/vtr-bound-model.h"
#include "engine/model/vtr-command-tree.h"
#include "engine/model/vtr-state-tree.h"
#include "engine/replay-session/vtr-replay-questions.h"
#include "engine/vulkan/shader/vtr-shader-modules.h"
#include "engine/trim/vtr-trim.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N_COMMANDS 3 /* looked at closely */
#define MAX_NODES 600
#define MAX_LISTED 128

gboolean vtr_asks_tell;

void
vtr_asks_begin (VtrAsksProgress *self,
                const char      *what)
{
  g_strlcpy (self->doing, what, sizeof self->doing);
}

void
vtr_asks_end (VtrAsksProgress *self,
              const GError    *error)
{
  if (vtr_asks_tell)
    fprintf (stderr, "  %s: %s\n", self->doing, error != NULL ? error->message : "fine");
  if (error == NULL)
    {
      self->n_answers++;
      return;
    }
  self->n_sentences++;
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_cmpuint (strlen (error->message), >, 0);
  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    self->n_deaths++;
}

static void
ask_path (VtrAsksProgress *self,
          VtrDocument     *document,
          const char      *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = NULL;

  vtr_asks_begin (self, path);
  node = vtr_document_get (document, path, NULL, &error);
  g_assert_true ((node == NULL) == (error != NULL));
  vtr_asks_end (self, error);
}

static void
ask_image (VtrAsksProgress *self,
           VtrDocument     *document,
           const char      *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) image = NULL;

  vtr_asks_begin (self, path);
  image = vtr_document_get_image (document, path, NULL, &error);
  g_assert_true ((image == NULL) == (error != NULL));
  if (image != NULL)
    {
      GBytes *texels = vtr_image_to_rgba8 (image, 0, 1);
      GBytes *png = vtr_image_to_png (image, NULL);
      double texel[4];

      g_clear_pointer (&texels, g_bytes_unref);
      g_clear_pointer (&png, g_bytes_unref);
      vtr_image_read_texel (image, image->width - 1, image->height - 1, texel);
    }
  vtr_asks_end (self, error);
}

/* --- Commands -------------------------------------------------------------------------------- */

static void
ask_pictures (VtrAsksProgress *self,
              VtrDocument     *document,
              guint64          index,
              const char      *command,
              GRand           *rand)
{
  static const char *const images[] = {
    "/framebuffer/color0",
    "/framebuffer/color1",
    "/framebuffer/depth",
    "/framebuffer/stencil",
    "/framebuffer/input0",
    "/framebuffer/color0?overlay=wireframe-all",
    "/framebuffer/color0?overlay=wireframe",
    "/framebuffer/color0?overlay=highlight",
    "/framebuffer/color0?overlay=overdraw",
    "/framebuffer/color0?sample=0",
  };
  static const char *const runs[] = { "", "", "@1" };

  for (guint i = 0; i < 2; i++)
    {
      const char *image = images[g_rand_int (rand) % G_N_ELEMENTS (images)];
      g_autofree char *path =
        g_strconcat (command, runs[g_rand_int (rand) % G_N_ELEMENTS (runs)], image, NULL);

      ask_image (self, document, path);
    }
  if (g_rand_boolean (rand))
    {
      g_autofree char *path =
        g_strdup_printf ("%s/framebuffer/color0?disable=%" G_GUINT64_FORMAT, command,
                         vtr_trace_get_number (vtr_document_get_trace (document), index));

      ask_image (self, document, path);
    }
}

static void
ask_memory (VtrAsksProgress *self,
            VtrDocument     *document,
            guint64          index,
            const char      *command,
            GRand           *rand)
{
  static const char *const options[] = { "", "?read=replay", "?type=vec4&layout=std140",
                                         "?type=u32%5B8%5D&stride=3" };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) ranges = NULL;

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *observation =
        g_strdup_printf ("%s/observations/%u/bytes", command, g_rand_int (rand) % 4);

      ask_path (self, document, observation);
    }
  vtr_asks_begin (self, "ranges");
  ranges = vtr_memory_list_ranges (vtr_document_get_memory (document),
                                   index, VTR_NO_RUN, NULL, &error);
  vtr_asks_end (self, error);
  for (guint i = 0; ranges != NULL && i < MIN (ranges->len, 3); i++)
    {
      const VtrMemoryRange *range = &g_array_index (ranges, VtrMemoryRange,
                                                    g_rand_int (rand) % ranges->len);
      const char *option = options[g_rand_int (rand) % G_N_ELEMENTS (options)];
      guint64 size = MIN (range->size, 4096);
      g_autofree char *path =
        g_strdup_printf ("%s/memory/%u/0x%" G_GINT64_MODIFIER "x+%" G_GUINT64_FORMAT "%s", command,
                         range->space, range->offset, size, option);

      ask_path (self, document, path);
    }
}

static void
walk_rows (GListModel *rows,
           guint       depth,
           guint      *left)
{
  for (guint i = 0; rows != NULL && i < g_list_model_get_n_items (rows) && *left > 0; i++)
    {
      g_autoptr (VtrPropertyRow) row = g_list_model_get_item (rows, i);

      (*left)--;
      vtr_property_row_get_text (row);
      vtr_property_row_get_note (row);
      vtr_property_row_get_link (row);
      vtr_property_row_get_path (row);
      if (depth < 8)
        walk_rows (vtr_property_row_get_children (row), depth + 1, left);
    }
}

static void
walk_state (VtrStateNode *node,
            guint         depth,
            guint        *left)
{
  GListModel *children = vtr_state_node_get_children (node);

  vtr_state_node_get_value (node);
  vtr_state_node_get_note (node);
  vtr_state_node_get_link (node);
  for (guint i = 0; children != NULL && depth < 8 && i < g_list_model_get_n_items (children) &&
                    *left > 0;
       i++)
    {
      g_autoptr (VtrStateNode) child = g_list_model_get_item (children, i);

      (*left)--;
      walk_state (child, depth + 1, left);
    }
}

/* The panes of the window. */
static void
show_command (VtrAsksProgress *self,
              VtrDocument     *document,
              guint64          index,
              const char      *command)
{
  g_autofree char *path = g_strconcat (command, "/state", NULL);
  g_autoptr (GError) error = NULL, bound_error = NULL, state_error = NULL;
  g_autoptr (VtrPropertyList) rows = NULL;
  g_autoptr (VtrBoundModel) bound = NULL;
  g_autoptr (VtrStateNode) state = NULL;
  guint left = MAX_NODES;

  vtr_asks_begin (self, "rows");
  rows = vtr_property_list_new_for_command (vtr_document_get_analysis (document), index, &error);
  walk_rows ((GListModel *)rows, 0, &left);
  vtr_asks_end (self, error);
  vtr_asks_begin (self, "pipeline");
  bound = vtr_bound_model_new (vtr_document_get_analysis (document), index, NULL, &bound_error);
  left = MAX_NODES;
  for (guint stage = 0; bound != NULL && stage < vtr_bound_model_get_n_stages (bound); stage++)
    {
      GListModel *groups = vtr_bound_model_get_groups (bound, stage);

      for (guint i = 0; groups != NULL && i < g_list_model_get_n_items (groups); i++)
        {
          g_autoptr (VtrPropertyGroup) group = g_list_model_get_item (groups, i);

          walk_rows (vtr_property_group_get_rows (group), 0, &left);
        }
    }
  vtr_asks_end (self, bound_error);
  vtr_asks_begin (self, "state tree");
  state = vtr_state_node_new (vtr_document_get_analysis (document), path, NULL, &state_error);
  left = MAX_NODES;
  if (state != NULL)
    walk_state (state, 0, &left);
  vtr_asks_end (self, state_error);
}

static void
ask_command (VtrAsksProgress *self,
             VtrDocument     *document,
             guint64          index,
             GRand           *rand)
{
  static const char *const parts[] = { "", "/state", "/bound", "/memory",
                                       "/images", "/buffers", "/shaders", "/textures",
                                       "/runs", "/framebuffer", "/mapped-writes" };
  g_autofree char *command = vtr_trace_format_command (vtr_document_get_trace (document), index);

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *part = g_strconcat (command, parts[i], NULL);

      ask_path (self, document, part);
    }
  ask_pictures (self, document, index, command, rand);
  ask_memory (self, document, index, command, rand);
  show_command (self, document, index, command);
}

/* --- Objects --------------------------------------------------------------------------------- */

static void
ask_object (VtrAsksProgress *self,
            VtrDocument     *document,
            guint            id,
            GRand           *rand)
{
  static const char *const parts[] = { "",
                                       "/texture",
                                       "/shader/reflection",
                                       "/shader/glsl",
                                       "/shader/disassembly",
                                       "/shader/source" };
  g_autofree char *texture = g_strdup_printf ("objects/%u/texture?mip=%u&layer=%u", id,
                                              g_rand_int (rand) % 3, g_rand_int (rand) % 3);

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *path = g_strdup_printf ("objects/%u%s", id, parts[i]);

      ask_path (self, document, path);
    }
  ask_image (self, document, texture);
}

/* A shader of the trace in the place of another one, or of itself. */
static void
replace_shader (VtrAsksProgress *self,
                VtrDocument     *document,
                guint64          index,
                GRand           *rand)
{
  VtrHistory *history = vtr_document_get_history (document);
  guint n = vtr_history_get_n_objects (history), modules[16], n_modules = 0;
  g_autoptr (GBytes) code = NULL;
  g_autofree guint8 *bytes = NULL;
  g_autofree char *name = NULL, *command = NULL, *path = NULL;
  gsize size;

  for (guint id = 1; id <= n && n_modules < G_N_ELEMENTS (modules); id++)
    if (vtr_history_get_object (history, id)->type == VTR_HANDLE_VkShaderModule)
      modules[n_modules++] = id;
  if (n_modules == 0)
    return;
  code = vtr_shader_code_of_object (
    history, vtr_history_get_object (history, modules[g_rand_int (rand) % n_modules]), NULL);
  if (code == NULL)
    return;
  bytes = g_memdup2 (g_bytes_get_data (code, &size), g_bytes_get_size (code));
  size = g_bytes_get_size (code);
  for (guint i = g_rand_int (rand) % 4; i > 0 && size > 20; i--)
    bytes[20 + g_rand_int (rand) % (size - 20)] = (guint8)g_rand_int (rand);
  g_bytes_unref (code);
  code = g_bytes_new_take (g_steal_pointer (&bytes), size);
  name = vtr_document_add_shader (document, code);
  command = vtr_trace_format_command (vtr_document_get_trace (document), index);
  path = g_strdup_printf ("%s/framebuffer/color0?shader=%u:%s", command,
                          modules[g_rand_int (rand) % n_modules], name);
  ask_image (self, document, path);
}

/* --- The whole ------------------------------------------------------------------------------- */

static void
walk_tree (VtrCommandTree    *tree,
           const VtrTreeNode *node,
           guint             *left)
{
  for (guint32 i = 0; i<node->n_children && * left> 0; i++)
    {
      VtrTreeNode child;
      g_autofree char *title = NULL, *detail = NULL, *path = NULL;

      (*left)--;
      vtr_command_tree_get_child (tree, node, i, &child);
      title = vtr_command_tree_get_title (tree, &child);
      detail = vtr_command_tree_get_detail (tree, &child);
      path = vtr_command_tree_dup_path (tree, &child);
      g_assert_true (title == NULL || g_utf8_validate (title, -1, NULL));
      g_assert_true (detail == NULL || g_utf8_validate (detail, -1, NULL));
      walk_tree (tree, &child, left);
    }
}

static void
ask_lists (VtrAsksProgress *self,
           VtrDocument     *document,
           GRand           *rand)
{
  static const char *const filters[] = { "draw", "-name:vkCmd.* error", "thread:1", "pass:x" };
  g_autoptr (VtrCommandTree) tree = NULL;
  g_autoptr (GArray) found = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) thumbnail = NULL;
  guint64 n = vtr_trace_get_n_commands (vtr_document_get_trace (document));
  guint left = MAX_NODES;
  VtrTreeNode root;

  vtr_asks_begin (self, "tree");
  tree = vtr_command_tree_new (vtr_document_get_analysis (document));
  vtr_command_tree_get_root (tree, &root);
  walk_tree (tree, &root, &left);
  vtr_asks_begin (self, "filter");
  found = vtr_command_filter (vtr_document_get_analysis (document),
                              filters[g_rand_int (rand) % G_N_ELEMENTS (filters)], 1000,
                              NULL, &error);
  vtr_asks_end (self, error);
  vtr_asks_begin (self, "thumbnail");
  thumbnail = vtr_trace_dup_thumbnail (vtr_document_get_trace (document));
  for (guint64 i = 0, step = 1 + n / MAX_LISTED; i < n; i += step)
    {
      g_autofree char *command = vtr_trace_format_command (vtr_document_get_trace (document), i);

      ask_path (self, document, command);
    }
}

static void
ask_replays (VtrAsksProgress *self,
             VtrDocument     *document,
             GRand           *rand)
{
  VtrReplayAllOptions options = { .images = TRUE,
                                  .to = VTR_COMMAND_NO_INDEX,
                                  .poison = g_rand_boolean (rand) };
  g_autoptr (GError) error = NULL;

  vtr_asks_begin (self, "replay");
  vtr_replay_session_replay_all (vtr_document_get_replay_session (document), &options, NULL, NULL,
                                 &error);
  vtr_asks_end (self, error);
}

/* Draws and dispatches are what is looked at. */
static guint64
choose_command (VtrDocument *document,
                guint64      n,
                GRand       *rand)
{
  VtrTrace *trace = vtr_document_get_trace (document);
  guint64 index = g_rand_int (rand) % n;
  const VtrApiClass work = VTR_CLASS_DRAW | VTR_CLASS_DISPATCH;

  for (guint64 tries = 0; tries < n && g_rand_int (rand) % 8 != 0; tries++)
    {
      if ((vtr_cmd_get (vtr_trace_get_command_id (trace, index))->classes & work) != 0)
        break;
      index = (index + 1) % n;
    }
  return index;
}

void
vtr_asks_about_document (VtrAsksProgress *self,
                         VtrDocument     *document,
                         GRand           *rand)
{
  static const char *const paths[] = {
    "info",
    "devices",
    "report",
    "report?replay=1",
    "objects",
    "frames",
    "frames/0",
    "frames/1",
    "submits",
    "submits/0",
    "resources",
    "shaders",
    "textures",
    "compatibility",
    "initial",
    "frames/0/timings?by=draw&loops=1&warm=0",
    "frames/0/timings?by=pass&loops=1&warm=1",
    "frames/0/statistics?loops=1&warm=0",
  };
  guint64 n = vtr_trace_get_n_commands (vtr_document_get_trace (document));
  guint n_objects = vtr_history_get_n_objects (vtr_document_get_history (document));

  for (guint i = 0; n > 0 && i < N_COMMANDS; i++)
    {
      guint64 index = choose_command (document, n, rand);

      ask_command (self, document, index, rand);
      if (g_rand_int (rand) % 3 == 0)
        replace_shader (self, document, index, rand);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    ask_path (self, document, paths[i]);
  for (guint i = 0; i < 2 && n_objects > 0; i++)
    ask_object (self, document, 1 + g_rand_int (rand) % n_objects, rand);
  ask_image (self, document, "frames/0");
  ask_lists (self, document, rand);
  ask_replays (self, document, rand);
}

void
vtr_asks_about_file (VtrAsksProgress *self,
                     const char      *path,
                     VtrDocument     *document)
{
  g_autoptr (GError) error = NULL, open_error = NULL;
  g_autoptr (VtrDocument) trimmed = NULL;
  g_autofree char *output = g_strdup_printf ("/dev/shm/vtr-hostile-%d.gfxtrace", (int)getpid ());
  VtrTrimFacts facts;

  vtr_asks_begin (self, "trim");
  if (vtr_trim (path, output, &facts, NULL, &error))
    {
      trimmed = vtr_document_open (output, NULL, NULL, NULL, &open_error);
      vtr_asks_end (self, open_error);
    }
  vtr_asks_end (self, error);
  g_unlink (output);
}
