/* vtr-bench-window: measures how fast a window answers, as a person with a stop watch would, and
 * prints the results as one JSON object.
 *
 * Starts a program on $DISPLAY, watches the pixels of a few lines of the screen, then, for every
 * --select PATH, asks Vitrine over D-Bus to select it and waits until the picture has changed and
 * come to rest. Times are milliseconds to the last change seen: what follows it was still. */
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xcb.h>

#define LINES 40 /* watched in a rectangle */
#define POLL_US 1000
#define CHANGE_TIMEOUT_MS 5000 /* then a selection counts as one that changes nothing */

typedef struct
{
  gint x, y, width, height;
} Rectangle;

typedef struct
{
  xcb_connection_t *x;
  xcb_screen_t *screen;
  guint64 memory[8]; /* what each rectangle showed last */
} Watch;

static double
now_ms (void)
{
  return (double)g_get_monotonic_time () / 1000;
}

static guint64
mix (guint64       hash,
     const guint8 *bytes,
     gsize         n)
{
  for (gsize i = 0; i + 8 <= n; i += 8)
    {
      guint64 word;

      memcpy (&word, bytes + i, 8);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
  return hash;
}

/* A number for what the lines of @area show. */
static guint64
look (Watch           *self,
      const Rectangle *area)
{
  xcb_get_image_cookie_t cookies[LINES];
  guint64 hash = 1;

  for (guint i = 0; i < LINES; i++)
    cookies[i] = xcb_get_image (self->x, XCB_IMAGE_FORMAT_Z_PIXMAP, self->screen->root,
                                (gint16)area->x,
                                (gint16)(area->y + area->height * (gint)i / LINES),
                                (guint16)area->width, 1, ~0u);
  for (guint i = 0; i < LINES; i++)
    {
      xcb_get_image_reply_t *reply = xcb_get_image_reply (self->x, cookies[i], NULL);

      if (reply == NULL)
        continue;
      hash = mix (hash, xcb_get_image_data (reply),
                  (gsize)xcb_get_image_data_length (reply));
      free (reply);
    }
  return hash;
}

/* Whether @area has more than one color. */
static gboolean
has_detail (Watch           *self,
            const Rectangle *area)
{
  xcb_get_image_reply_t *reply = xcb_get_image_reply (
    self->x,
    xcb_get_image (self->x, XCB_IMAGE_FORMAT_Z_PIXMAP, self->screen->root, (gint16)area->x,
                   (gint16)area->y, (guint16)area->width, (guint16)area->height, ~0u),
    NULL);
  gboolean detail = FALSE;

  if (reply != NULL)
    {
      const guint8 *bytes = xcb_get_image_data (reply);
      int n = xcb_get_image_data_length (reply);

      for (int i = 4; i + 4 <= n && !detail; i += 4)
        detail = memcmp (bytes + i, bytes, 4) != 0;
      free (reply);
    }
  return detail;
}

/* Waits for a change of @area from @seen (inout). Returns: when it was seen; 0: not in time. */
static double
wait_for_change (Watch           *self,
                 const Rectangle *area,
                 guint64         *seen,
                 double           end)
{
  while (now_ms () < end)
    {
      guint64 now = look (self, area);

      if (now != *seen)
        {
          *seen = now;
          return now_ms ();
        }
      g_usleep (POLL_US);
    }
  return 0;
}

/* Until nothing has changed for @quiet_ms. Returns: the time of the last change; @first is when
 * there was none. */
static double
wait_for_rest (Watch           *self,
               const Rectangle *area,
               guint64         *seen,
               double           first,
               double           quiet_ms)
{
  for (double last = first, changed;; last = changed)
    {
      changed = wait_for_change (self, area, seen, MAX (last, now_ms ()) + quiet_ms);
      if (changed == 0)
        return last;
    }
}

static gboolean
select_path (GDBusConnection *bus,
             const char      *path)
{
  GVariantBuilder parameters;
  g_autoptr (GVariant) answer = NULL;

  g_variant_builder_init (&parameters, G_VARIANT_TYPE ("av"));
  g_variant_builder_add (&parameters, "v", g_variant_new_string (path));
  answer = g_dbus_connection_call_sync (
    bus, "io.github.vitrine.Vitrine", "/io/github/vitrine/Vitrine", "org.gtk.Actions",
    "Activate", g_variant_new ("(sava{sv})", "select", &parameters, NULL), NULL,
    G_DBUS_CALL_FLAGS_NO_AUTO_START, 5000, NULL, NULL);
  return answer != NULL;
}

static double
get_anonymous_mib (GSubprocess *program)
{
  g_autofree char *path =
    g_strdup_printf ("/proc/%s/status", g_subprocess_get_identifier (program));
  g_autofree char *status = NULL;
  const char *line = NULL;

  if (g_file_get_contents (path, &status, NULL, NULL))
    line = strstr (status, "RssAnon:");
  return line != NULL ? strtod (line + 8, NULL) / 1024 : 0;
}

static void
put (JsonBuilder *json,
     const char  *name,
     double       value)
{
  json_builder_set_member_name (json, name);
  json_builder_add_double_value (json, value);
}

static void
measure_clicks (Watch            *watch,
                JsonBuilder      *json,
                char            **paths,
                const Rectangle  *picture,
                double            quiet)
{
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  guint64 seen = look (watch, picture);

  json_builder_set_member_name (json, "clicks_ms");
  json_builder_begin_array (json);
  for (guint i = 0; bus != NULL && paths[i] != NULL; i++)
    {
      double begun = now_ms (), changed;

      if (!select_path (bus, paths[i]))
        break;
      changed = wait_for_change (watch, picture, &seen, begun + CHANGE_TIMEOUT_MS);
      if (changed > 0)
        json_builder_add_double_value (
          json, wait_for_rest (watch, picture, &seen, changed, quiet) - begun);
    }
  json_builder_end_array (json);
}

/* The whole window, its list at the start, the picture in its centre. */
static const Rectangle WINDOW = { 0, 0, 1280, 800 };
static const Rectangle ROWS = { 10, 180, 380, 380 };
static const Rectangle PICTURE = { 460, 200, 420, 340 };
/* The part of it that holds nothing but a picture. */
static const Rectangle CANVAS = { 460, 200, 420, 190 };

static void
measure (Watch        *watch,
         JsonBuilder  *json,
         GSubprocess  *program,
         double        begun,
         char        **paths,
         double        quiet)
{
  const Rectangle *areas[] = { &WINDOW, &ROWS, &PICTURE };
  const Rectangle *details[] = { NULL, &ROWS, &CANVAS };
  const char *names[] = { "rest_ms", "rows_ms", "picture_ms" };
  const char *first_names[] = { "first_ms", "rows_first_ms", "picture_first_ms" };
  guint64 seen[] = { watch->memory[0], watch->memory[1], watch->memory[2] };
  double last[3] = { 0 }, firsts[3] = { 0 }, end = begun + 60000;

  /* All three at once: the last of the changes of each. */
  while (now_ms () < end && (firsts[0] == 0 || now_ms () < last[0] + quiet))
    {
      for (guint i = 0; i < G_N_ELEMENTS (areas); i++)
        {
          guint64 now = look (watch, areas[i]);

          if (now != seen[i])
            {
              seen[i] = now;
              last[i] = now_ms ();
            }
          /* Rows and pictures are more than the colour of the window they appear on. */
          if (firsts[i] == 0 && last[i] > 0 &&
              (details[i] == NULL || has_detail (watch, details[i])))
            firsts[i] = now_ms ();
        }
      g_usleep (POLL_US);
    }
  for (guint i = 0; i < G_N_ELEMENTS (areas); i++)
    put (json, first_names[i], firsts[i] > 0 ? firsts[i] - begun : -1);
  for (guint i = 0; i < G_N_ELEMENTS (areas); i++)
    put (json, names[i], last[i] > 0 ? last[i] - begun : -1);
  put (json, "rss_anon_mib", get_anonymous_mib (program));
  if (paths != NULL)
    measure_clicks (watch, json, paths, &PICTURE, 150);
  put (json, "rss_anon_after_mib", get_anonymous_mib (program));
}

int
main (int    argc,
      char **argv)
{
  g_auto (GStrv) paths = NULL, command = NULL;
  gint quiet = 700;
  GOptionEntry entries[] = {
    { "select", 's', 0, G_OPTION_ARG_STRING_ARRAY, &paths, "Then select this", "PATH" },
    { "quiet", 'q', 0, G_OPTION_ARG_INT, &quiet, "Stillness that counts as rest", "MS" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &command, NULL, "PROGRAM…" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autoptr (GSubprocess) program = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *text = NULL;
  GError *error = NULL;
  Watch watch = { 0 };
  double begun;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || command == NULL)
    {
      g_printerr ("%s\n", error != NULL ? error->message : "Say a program");
      return 2;
    }
  watch.x = xcb_connect (NULL, NULL);
  if (xcb_connection_has_error (watch.x))
    {
      g_printerr ("There is no X server at $DISPLAY\n");
      return 1;
    }
  watch.screen = xcb_setup_roots_iterator (xcb_get_setup (watch.x)).data;
  watch.memory[0] = look (&watch, &WINDOW);
  watch.memory[1] = look (&watch, &ROWS);
  watch.memory[2] = look (&watch, &PICTURE);

  begun = now_ms ();
  program = g_subprocess_newv ((const char *const *)command,
                               G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error);
  if (program == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  json_builder_begin_object (json);
  measure (&watch, json, program, begun, paths, quiet);
  json_builder_end_object (json);
  g_subprocess_send_signal (program, SIGTERM);
  g_subprocess_wait (program, NULL, NULL);
  node = json_builder_get_root (json);
  text = json_to_string (node, FALSE);
  g_print ("%s\n", text);
  xcb_disconnect (watch.x);
  return 0;
}
