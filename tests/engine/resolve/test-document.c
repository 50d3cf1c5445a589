/* Tests documents: opening, paths, attachments, the report. */
#include "vtr-test-trace.h"

#include "engine/document/vtr-document-lists.h"
#include "engine/document/vtr-document.h"

#include <string.h>

#define CB 0x1000
#define SECONDARY 0x2000
#define BUFFER H (VkCommandBuffer, CB)

typedef struct
{
  VtrDocument *document;
  guint64 create, begin, pass, draw, copy, end, submit, present, failed;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  VkFramebuffer framebuffer = H (VkFramebuffer, 0xd1);
  VkImageView views[] = { H (VkImageView, 0xb1), H (VkImageView, 0xb2) };
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 2,
    .pAttachments = views,
    .width = 64,
    .height = 32,
    .layers = 1,
  };
  VkFence fence = VK_NULL_HANDLE;
  VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_allocate_buffer (test, 0x10, SECONDARY);
  vtr_test_add_image (test, 0xa1, 0xb1, VK_FORMAT_R8G8B8A8_SRGB, 128, 64);
  vtr_test_add_image (test, 0xa2, 0xb2, VK_FORMAT_D32_SFLOAT, 128, 64);
  vtr_test_add_render_pass (test, 0xc1, VK_FORMAT_R8G8B8A8_SRGB, TRUE, 1);
  self->create = ADD (test, vkCreateFramebuffer, .device = H (VkDevice, 3), .pCreateInfo = &info,
                      .pFramebuffer = &framebuffer);
  self->failed =
    ADD_RESULT (test, VK_ERROR_OUT_OF_HOST_MEMORY, vkCreateFence, .device = H (VkDevice, 3),
                .pCreateInfo = &fence_info, .pFence = &fence);
  vtr_test_begin (test, SECONDARY);
  vtr_test_end (test, SECONDARY);
  self->begin = vtr_test_begin (test, CB);
  self->pass = vtr_test_begin_pass (test, CB, 0xc1, 0xd1);
  self->draw = vtr_test_draw (test, CB);
  vtr_test_end_pass (test, CB);
  self->copy = ADD (test, vkCmdFillBuffer, .commandBuffer = BUFFER);
  self->end = vtr_test_end (test, CB);
  self->submit = vtr_test_submit (test, CB);
  vtr_test_present (test);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
  self->present = self->submit + 3;
  self->document = vtr_test_trace_open_document (test);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_assert_finalize_object (self->document);
}

static JsonNode *get (Fixture *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static JsonNode *
get (Fixture *self, const char *format, ...)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  JsonNode *node;
  va_list args;

  va_start (args, format);
  path = g_strdup_vprintf (format, args);
  va_end (args);
  node = vtr_document_get (self->document, path, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (node);
  return node;
}

static void
check_text (Fixture *self, const char *expected, const char *path)
{
  g_autoptr (JsonNode) node = get (self, "%s", path);
  g_autofree char *text = json_to_string (node, FALSE);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_commands (Fixture *self, gconstpointer data)
{
  g_autofree char *draw =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/parameters/vertexCount", self->draw);
  g_autofree char *width = g_strdup_printf (
    "/commands/%" G_GUINT64_FORMAT "/parameters/pCreateInfo/width/", self->create);
  g_autofree char *dotted =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT ".0.0.2/name", self->submit);
  g_autofree char *second =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT "@1/index", self->draw);
  g_autofree char *result =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/result", self->failed);
  g_autofree char *runs = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/runs", self->draw);
  g_autofree char *listed =
    g_strdup_printf ("[\"%" G_GUINT64_FORMAT ".0.0.2\",\"%" G_GUINT64_FORMAT ".0.0.2\"]",
                     self->submit, self->submit + 2);
  g_autofree char *index = g_strdup_printf ("%" G_GUINT64_FORMAT, self->draw);
  g_autofree char *first = g_strdup_printf (
    "commands/%" G_GUINT64_FORMAT "/parameters/pCreateInfo/pAttachments/[0]", self->create);

  check_text (self, "3", draw);
  check_text (self, "64", width);
  check_text (self, "\"vkCmdDraw\"", dotted);
  check_text (self, index, second);
  check_text (self, "\"VK_ERROR_OUT_OF_HOST_MEMORY\"", result);
  check_text (self, listed, runs);
  check_text (self, "\"0xb1\"", first);
}

static void
check_error (Fixture *self, const char *path, int code, const char *expected)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = vtr_document_get (self->document, path, NULL, &error);

  g_assert_null (node);
  g_assert_error (error, VTR_RESOLVE_ERROR, code);
  if (strstr (error->message, expected) == NULL)
    g_error ("the error for %s is “%s”, which does not say “%s”", path, error->message, expected);
}

/* Each wrong path says what was expected. */
static void
test_wrong_paths (Fixture *self, gconstpointer data)
{
  g_autofree char *member =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/parameters/nope", self->draw);
  g_autofree char *below =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/parameters/vertexCount/x", self->draw);
  g_autofree char *kind = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/nope", self->draw);
  g_autofree char *run = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "@7", self->draw);
  g_autofree char *dotted =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT ".0.0.999", self->submit);
  g_autofree char *outside =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/bound", self->create);
  g_autofree char *early =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/framebuffer", self->create);

  check_error (self, "", VTR_RESOLVE_ERROR_PATH, "A path begins with commands");
  check_error (self, "nope", VTR_RESOLVE_ERROR_PATH, "begins with commands");
  check_error (self, "commands/999999", VTR_RESOLVE_ERROR_PATH, "from 0 to");
  check_error (self, "commands/-1", VTR_RESOLVE_ERROR_PATH, "number");
  check_error (self, "commands/12.5", VTR_RESOLVE_ERROR_PATH, "SUBMIT.BATCH");
  check_error (self, member, VTR_RESOLVE_ERROR_PATH, "vertexCount");
  check_error (self, below, VTR_RESOLVE_ERROR_PATH, "plain value");
  check_error (self, kind, VTR_RESOLVE_ERROR_PATH, "state");
  check_error (self, run, VTR_RESOLVE_ERROR_PATH, "from 0 to 1");
  check_error (self, dotted, VTR_RESOLVE_ERROR_PATH, "no such");
  check_error (self, "frames/9", VTR_RESOLVE_ERROR_PATH, "from 0 to 1");
  check_error (self, "objects/0", VTR_RESOLVE_ERROR_PATH, "from 1 to");
  check_error (self, outside, VTR_RESOLVE_ERROR_NOTHING, "not recorded");
  check_error (self, early, VTR_RESOLVE_ERROR_NOTHING, "before the first draw");
}

static void
test_trace (Fixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) info = get (self, "info");
  g_autoptr (JsonNode) report = get (self, "report");
  g_autoptr (JsonNode) frame = get (self, "frames/1");
  g_autoptr (JsonNode) images = get (self, "objects/VkImage");
  static const char *const members[] = { "producer", "container", "apis",
                                         "device", "commands", "frames",
                                         "submits", "draws", "dispatches",
                                         "resources", "observations", "initial_commands",
                                         "truncated", "bytes" };
  JsonObject *object = json_node_get_object (info);
  JsonArray *entries;

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    g_assert_true (json_object_has_member (object, members[i]));
  g_assert_cmpint (json_object_get_int_member (object, "frames"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (object, "submits"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (object, "draws"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (frame), "draws"), ==, 1);
  g_assert_cmpuint (json_array_get_length (json_node_get_array (images)), ==, 2);

  object = json_node_get_object (report);
  g_assert_cmpint (json_object_get_int_member (object, "errors"), ==, 3);
  entries = json_object_get_array_member (object, "entries");
  g_assert_cmpuint (json_array_get_length (entries), ==, 5);
  object = json_array_get_object_element (entries, 0);
  g_assert_cmpstr (json_object_get_string_member (object, "text"), ==,
                   "1 recorded command buffer was never submitted.");
  object = json_array_get_object_element (entries, 1);
  g_assert_cmpint (json_object_get_int_member (object, "command"), ==, (gint64)self->failed);
  /* Both attachments: the sequence gives them no memory. */
  for (guint i = 2; i < 4; i++)
    {
      object = json_array_get_object_element (entries, i);
      g_assert_cmpint (json_object_get_int_member (object, "command"), ==, (gint64)self->pass);
      g_assert_cmpstr (json_object_get_string_member (object, "check"), ==, "memory-unbound");
    }
  object = json_array_get_object_element (entries, 4);
  g_assert_cmpstr (json_object_get_string_member (object, "check"), ==, "extension");
}

static void
check_attachments (Fixture *self, guint64 index)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) list = vtr_document_list_attachments (self->document, index, &error);
  const VtrTarget *infos = (const VtrTarget *)(void *)list->data;

  g_assert_no_error (error);
  g_assert_cmpuint (list->len, ==, 2);
  g_assert_cmpuint (infos[0].kind, ==, VTR_ATTACHMENT_COLOR0);
  g_assert_cmpuint (infos[0].width, ==, 64);
  g_assert_cmpstr (infos[0].format->name, ==, "VK_FORMAT_R8G8B8A8_SRGB");
  g_assert_cmpstr (infos[0].format->text, ==, "R8G8B8A8_SRGB");
  g_assert_cmpuint (infos[0].part.aspect, ==, VTR_PIXEL_COLOR);
  g_assert_cmpuint (infos[1].part.aspect, ==, VTR_PIXEL_DEPTH);
  g_assert_false (infos[0].bottom_up);
  g_assert_cmpuint (infos[1].kind, ==, VTR_ATTACHMENT_DEPTH);
}

static void
test_attachments (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) none = NULL;

  check_attachments (self, self->draw);
  check_attachments (self, self->copy);
  check_attachments (self, self->end);
  check_attachments (self, self->submit);
  check_attachments (self, self->present);
  /* The first command of the first recording comes before any pass. */
  none = vtr_document_list_attachments (self->document, self->begin, &error);
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING);
  g_assert_cmpuint (none->len, ==, 0);
}

/* --- Asynchronous --- */

typedef struct
{
  GMainLoop *loop;
  VtrDocument *document;
  JsonNode *node;
  GError *error;
  guint64 last;
  guint n_progress;
} Waiter;

static void
on_progress (guint64 done, guint64 total, gpointer data)
{
  Waiter *self = data;

  g_assert_cmpuint (total, ==, 1000);
  g_assert_cmpuint (done, >=, self->last);
  self->last = done;
  self->n_progress++;
}

static void
on_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  Waiter *self = data;

  self->document = vtr_document_open_finish (result, &self->error);
  g_main_loop_quit (self->loop);
}

static void
on_got (GObject *source, GAsyncResult *result, gpointer data)
{
  Waiter *self = data;

  self->node = vtr_document_get_finish (VTR_DOCUMENT (source), result, &self->error);
  g_main_loop_quit (self->loop);
}

static void
test_async (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Waiter waiter = { .loop = loop };
  const char *path;

  vtr_test_add_device (test);
  for (guint i = 0; i < 20000; i++)
    ADD (test, vkDeviceWaitIdle, .device = H (VkDevice, 3));
  path = vtr_test_trace_finish (test);

  vtr_document_open_async (path, on_progress, &waiter, NULL, on_opened, &waiter);
  g_main_loop_run (loop);
  g_assert_no_error (waiter.error);
  g_assert_nonnull (waiter.document);
  /* At most one call for each thousandth. */
  g_assert_cmpuint (waiter.n_progress, <, 1000);

  vtr_document_get_async (waiter.document, "info", NULL, on_got, &waiter);
  g_main_loop_run (loop);
  g_assert_no_error (waiter.error);
  g_assert_true (JSON_NODE_HOLDS_OBJECT (waiter.node));
  json_node_unref (waiter.node);

  vtr_document_get_async (waiter.document, "report", cancellable, on_got, &waiter);
  g_cancellable_cancel (cancellable);
  g_main_loop_run (loop);
  g_assert_error (waiter.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&waiter.error);
  /* The worker gives its references back through the main context, soon. */
  for (guint i = 0; i < 2000 && G_OBJECT (waiter.document)->ref_count > 1; i++)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  g_assert_finalize_object (waiter.document);

  waiter.document = NULL;
  vtr_document_open_async ("/nonexistent/file.gfxtrace", NULL, NULL, NULL, on_opened, &waiter);
  g_main_loop_run (loop);
  g_assert_null (waiter.document);
  g_assert_error (waiter.error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE);
  g_clear_error (&waiter.error);
}

static void
wait_for_end (gpointer data, gpointer pool)
{
  while (!g_atomic_int_get ((gint *)data))
    g_usleep (1000);
}

/* A selection does not wait for the report of a long trace, and the report does not wait for a
 * selection. */
static void
test_report_beside (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Waiter waiter = { .loop = loop };
  /* Jobs that are still in line are run after this test. */
  static gint over;

  vtr_test_add_device (test);
  vtr_document_open_async (vtr_test_trace_finish (test), NULL, NULL, NULL, on_opened, &waiter);
  g_main_loop_run (loop);
  g_assert_no_error (waiter.error);
  /* All workers of the pool are busy. */
  for (guint i = 0; i < g_get_num_processors (); i++)
    vtr_scheduler_push (vtr_scheduler_get_resolve (), VTR_PRIORITY_INTERACTIVE, wait_for_end,
                        &over);
  vtr_document_get_async (waiter.document, "report", NULL, on_got, &waiter);
  g_main_loop_run (loop);
  g_assert_no_error (waiter.error);
  g_assert_true (JSON_NODE_HOLDS_OBJECT (waiter.node));
  json_node_unref (waiter.node);
  g_atomic_int_set (&over, TRUE);
  for (guint i = 0; i < 2000 && G_OBJECT (waiter.document)->ref_count > 1; i++)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  g_assert_finalize_object (waiter.document);
}

static void
tell_change (gpointer document, GObject *list)
{
  vtr_replay_session_say (vtr_document_get_replay_session (document), VTR_REPLAY_IS_BROKEN,
                          g_strdup ("The end"));
}

/* The end of a replay may be reported while its document is being finalized; no handler is
 * called. */
static void
test_told_at_the_end (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  VtrDocument *document;
  VtrTextureList *textures;

  vtr_test_add_device (test);
  document = vtr_document_open (vtr_test_trace_finish (test), NULL, NULL, NULL, NULL);
  g_assert_nonnull (document);
  textures = vtr_document_list_textures (document, NULL, NULL);
  g_assert_nonnull (textures);
  g_object_weak_ref (G_OBJECT (textures), tell_change, document);
  g_object_unref (textures);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  vtr_replay_session_say (vtr_document_get_replay_session (document), VTR_REPLAY_IS_READY,
                          g_strdup ("Ready"));
  g_assert_true (g_main_context_pending (NULL));
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_finalize_object (document);
  g_assert_false (g_main_context_pending (NULL));
}

int
main (int argc, char **argv)
{
#define TEST(name, function) \
  g_test_add ("/engine/resolve/document/" name, Fixture, NULL, set_up, function, tear_down)

  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  TEST ("commands", test_commands);
  TEST ("wrong-paths", test_wrong_paths);
  TEST ("trace", test_trace);
  TEST ("attachments", test_attachments);
  g_test_add_func ("/engine/resolve/document/async", test_async);
  g_test_add_func ("/engine/resolve/document/report-beside", test_report_beside);
  g_test_add_func ("/engine/resolve/document/told-at-the-end", test_told_at_the_end);
  return g_test_run ();
}
