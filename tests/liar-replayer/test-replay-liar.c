/* Tests against a replayer that was taken over: whatever it sends, every request ends, with a
 * sentence if it failed, and the engine keeps working. vtr-liar-acts.c lists what it sends. */
#include "engine/replay/vtr-replay-backend.h"
#include "engine/document/vtr-document.h"
#include "engine/replay-session/vtr-replay-questions.h"
#include "engine/replay-session/vtr-replay-validate.h"
#include "engine/vulkan/host/vtr-vulkan-device-message.h"
#include "wire/vtr-replay-asm.h"

#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/resource.h>

#define MOST_SECONDS 120 /* of an act */

/* Acts after which the request has failed. */
static const char *const failing[] = {
  "die-oddly",
  "silence",
  "wait",
  "wait-at-end",
  "babble",
  "empty",
  "many-fds",
  "post-unsealed",
  "post-nothing",
  "post-pipe",
  "post-short",
  "post-absurd",
  "post-outside",
  "post-again-and-again",
  "post-huge-pages",
  "bad-end",
  "early-end",
  "ends",
  "babble-first",
};

/* Acts that a request may survive. */
static const char *const harmless[] = {
  "random-status",
  "shrink-status",
  "resources",
  "flood",
  "flood-first",
  "many-objects",
  "flood-fds",
  "wishes-first",
};

/* Acts when the engine asks what devices there are, and what images they make. */
static const char *const asked[] = { "silent-devices", "babble", "wishes", "flood-devices",
                                     "no-devices", "devices-again", "formats" };

static GBytes *
get_resource (guint64    number,
              gpointer   data,
              GError   **error)
{
  return number < 10 ? g_bytes_new_static ("0123456789abcdef", 16) : NULL;
}

static void
posted (guint64       post,
        const guint8 *bytes,
        gsize         size,
        gpointer      data)
{
  volatile guint8 sum = 0;

  /* As far as it is there: absurd sizes would only take long. */
  for (gsize i = 0; i < MIN (size, 1 << 20); i++)
    sum = (guint8)(sum ^ bytes[i]);
  (void)sum;
}

static void
progress (guint64  label,
          gpointer data)
{
}

/* Shown text has no control characters that a terminal would obey. */
static void
check_text (const char *text)
{
  g_assert_nonnull (text);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      g_assert_true (c == '\n' || c == '\t' || !g_unichar_iscntrl (c));
    }
}

static void
message (int         level,
         guint64     label,
         const char *text,
         gpointer    data)
{
  check_text (text);
}

static void
complaint (const VtrReplayComplaint *complaint,
           gpointer                  data)
{
  check_text (complaint->text);
  check_text (complaint->id);
  for (gsize i = 0; i < complaint->n_slots; i++)
    g_assert_cmpuint (complaint->slots[i], >=, 0x40000);
}

static const VtrReplayEvents events = { get_resource, posted, progress, message, complaint };

static void
check_error (const GError *error)
{
  g_assert_nonnull (error);
  check_text (error->message);
  g_test_message ("%s", error->message);
}

/* Silence is waited for. */
static gboolean
is_silent (const char *act)
{
  return g_str_equal (act, "mute") || g_str_has_prefix (act, "silen") ||
         g_str_has_prefix (act, "wait");
}

static void
act_as (const char *act,
        guint       seed)
{
  g_autofree char *number = g_strdup_printf ("%u", seed);

  g_setenv ("VITRINE_REPLAY_TIMEOUT", is_silent (act) || g_str_equal (act, "random") ? "1" : "60",
            TRUE);
  g_setenv ("LIAR_ACT", act, TRUE);
  g_setenv ("LIAR_SEED", number, TRUE);
}

static gboolean
run (VtrReplayBackend  *backend,
     GError           **error)
{
  const guint32 words[] = { (guint32)VTR_OP_LABEL << 26 | 7 };
  const VtrReplayResource resource = { { 1, 2 }, 16 };
  const VtrReplaySegment segment = {
    .opcodes = words, .n_opcodes = 1, .resources = &resource, .n_resources = 1
  };
  VtrReplayOutcome outcome = { 0 };
  g_autoptr (GError) why = NULL;

  if (!backend->klass->begin (backend, 0, &events, NULL, NULL, error))
    return FALSE;
  for (guint i = 0; i < 10 && why == NULL; i++)
    if (!backend->klass->send (backend, &segment, &why))
      check_error (why);
  return backend->klass->finish (backend, &outcome, NULL, error);
}

static void
test_run (gconstpointer data)
{
  const char *act = data;
  const gboolean fails = g_strv_contains (failing, act);
  gint64 start = g_get_monotonic_time ();
  VtrReplayBackend *backend;

  act_as (act, 1);
  backend = vtr_replay_process_new (NULL);
  for (guint i = 0; i < (is_silent (act) ? 1 : 2); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean fine = run (backend, &error);

      if (!fine)
        check_error (error);
      g_assert_true (fine || fails || is_silent (act) || g_str_equal (act, "flood-fds"));
      g_assert_false (fine && fails);
    }
  backend->klass->free (backend);
  g_assert_cmpint (g_get_monotonic_time () - start, <, MOST_SECONDS * G_USEC_PER_SEC);
}

static void
test_ask (gconstpointer data)
{
  const char *act = data;
  const VtrVulkanImageKind kinds[3] = { { 1, 1, 1, 1, 0 } };
  VtrVulkanImageLimits answers[3];
  VtrReplayBackend *backend;
  guint n_failed = 0;

  act_as (act, 1);
  backend = vtr_replay_process_new (NULL);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) why = NULL;
      g_autoptr (GPtrArray) devices = backend->klass->describe (backend, NULL, &error);

      if (devices == NULL)
        check_error (error);
      else
        g_assert_cmpuint (devices->len, >, 0);
      n_failed += devices == NULL;
      memset (answers, 0xee, sizeof answers);
      if (!vtr_vulkan_device_check_images (backend, 0, kinds, 3, answers, NULL, &why))
        {
          check_error (why);
          n_failed++;
          continue;
        }
      for (guint k = 0; k < G_N_ELEMENTS (answers); k++)
        g_assert_cmpint (answers[k].result, ==, 0);
    }
  backend->klass->free (backend);
  g_assert_cmpuint (n_failed, >, 0);
}

/* Sound and false words in any order. */
static void
test_random (void)
{
  guint n = g_test_slow () ? 300 : 12;
  guint n_fine = 0;

  for (guint seed = 0; seed < n; seed++)
    {
      VtrReplayBackend *backend;

      act_as ("random", seed);
      backend = vtr_replay_process_new (NULL);
      for (guint i = 0; i < 3; i++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (GPtrArray) devices = NULL;

          if (run (backend, &error))
            n_fine++;
          else
            check_error (error);
          devices = backend->klass->describe (backend, NULL, NULL);
        }
      backend->klass->free (backend);
    }
  g_test_message ("%u of %u requests ended well", n_fine, 3 * n);
  g_assert_cmpuint (n_fine, >, 0);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (500 * 1000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* A cancelled request returns, however busy the replayer seems. */
static void
test_give_up (void)
{
  const VtrReplaySegment segment = { .opcodes = (const guint32[]){ 7 }, .n_opcodes = 1 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  VtrReplayBackend *backend;
  GThread *thread;

  act_as ("deaf", 1);
  backend = vtr_replay_process_new (NULL);
  g_assert_true (backend->klass->begin (backend, 0, &events, NULL, cancellable, &error));
  thread = g_thread_new ("cancel", cancel_soon, cancellable);
  while (backend->klass->send (backend, &segment, NULL))
    ;
  g_assert_false (backend->klass->finish (backend, NULL, cancellable, &error));
  check_error (error);
  g_thread_join (thread);
  backend->klass->free (backend);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 30 * G_USEC_PER_SEC);
}

static void
count_words (const VtrReplayComplaint *complaint,
             gpointer                  data)
{
  *(gsize *)data += strlen (complaint->text);
}

/* What the engine keeps of the replayer's messages does not grow without limit. */
static void
test_long_words (void)
{
  const VtrReplayEvents counting = { get_resource, posted, progress, message, count_words };
  VtrReplayBackend *backend;
  gsize size = 0;

  act_as ("long-words", 1);
  backend = vtr_replay_process_new (NULL);
  g_assert_true (backend->klass->begin (backend, 0, &counting, &size, NULL, NULL));
  backend->klass->finish (backend, NULL, NULL, NULL);
  backend->klass->free (backend);
  g_assert_cmpuint (size, >, 1 << 20);
  g_assert_cmpuint (size, <, 300 << 20);
}

/* --- Documents ------------------------------------------------------------------------------- */

static void
ask_path (VtrDocument *document,
          const char  *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = vtr_document_get (document, path, NULL, &error);

  if (node == NULL)
    check_error (error);
}

static void
ask_image (VtrDocument *document,
           const char  *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) image = vtr_document_get_image (document, path, NULL, &error);

  if (image == NULL)
    {
      check_error (error);
      return;
    }
  g_clear_pointer (&image, vtr_image_unref);
}

static void
ask_document (VtrDocument *document)
{
  VtrReplayAllOptions options = { .images = TRUE, .to = VTR_COMMAND_NO_INDEX };
  g_autoptr (GPtrArray) messages = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) why = NULL;

  ask_path (document, "compatibility");
  ask_image (document, "commands/122/framebuffer/color0");
  ask_image (document, "commands/122/framebuffer/color0?overlay=wireframe-all");
  ask_image (document, "commands/122/framebuffer/depth");
  ask_image (document, "commands/104/framebuffer/color0");
  ask_path (document, "frames/1/timings?by=draw");
  ask_path (document, "commands/122/memory");
  if (!vtr_replay_session_replay_all (vtr_document_get_replay_session (document), &options, NULL,
                                      NULL, &error))
    check_error (error);
  messages = vtr_replay_session_validate (vtr_document_get_replay_session (document), NULL, NULL,
                                          NULL, &why);
  for (guint i = 0; messages != NULL && i < messages->len; i++)
    {
      const VtrValidationMessage *said = g_ptr_array_index (messages, i);

      check_text (said->text);
      g_assert_cmpuint (said->index, <,
                        vtr_trace_get_n_commands (vtr_document_get_trace (document)));
    }
}

static void
test_document (void)
{
  guint n = g_test_slow () ? 200 : 4;

  for (guint seed = 0; seed < n; seed++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (VtrDocument) document = NULL;

      /* The first one says what devices there are: that is asked once. */
      act_as (seed == 0 ? "many-objects" : "random", seed);
      document = vtr_document_open (g_getenv ("LIAR_TRACE"), NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      ask_document (document);
    }
}

static void
ignore_frame (guint64   frame,
              VtrImage *image,
              gpointer  data)
{
}

/* Bytes that the engine did not ask for are not copied. */
static void
test_post_much (void)
{
  VtrReplayAllOptions options = {
    .images = TRUE, .to = VTR_COMMAND_NO_INDEX, .frame = ignore_frame
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrDocument) document = NULL;
  struct rusage usage;

  act_as ("post-much", 1);
  document = vtr_document_open (g_getenv ("LIAR_TRACE"), NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  ask_path (document, "frames/1/timings?by=draw");
  ask_image (document, "commands/122/framebuffer/color0?overlay=overdraw");
  if (!vtr_replay_session_replay_all (vtr_document_get_replay_session (document), &options, NULL,
                                      NULL, &error))
    check_error (error);
  getrusage (RUSAGE_SELF, &usage);
  g_assert_cmpint (usage.ru_maxrss, <, 800 << 10); /* KiB */
}

static void
add (const char           *name,
     const char    *const *acts,
     gsize                 n,
     GTestDataFunc         test)
{
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/replayer/liar/%s/%s", name, acts[i]);

      g_test_add_data_func (path, acts[i], test);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* The first one: it looks at the largest size that the process ever had. */
  g_test_add_func ("/replayer/liar/post-much", test_post_much);
  if (g_test_slow ()) /* 20 seconds, as long as a start may take */
    g_test_add_data_func ("/replayer/liar/run/mute", "mute", test_run);
  add ("run", failing, G_N_ELEMENTS (failing), test_run);
  add ("run", harmless, G_N_ELEMENTS (harmless), test_run);
  add ("ask", asked, G_N_ELEMENTS (asked), test_ask);
  g_test_add_func ("/replayer/liar/give-up", test_give_up);
  g_test_add_func ("/replayer/liar/long-words", test_long_words);
  g_test_add_func ("/replayer/liar/random", test_random);
  g_test_add_func ("/replayer/liar/document", test_document);
  return g_test_run ();
}
