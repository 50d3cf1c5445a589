/* Tests the store of recent traces, and its cards. */
#include "vtr-test-ui.h"

#include <glib/gstdio.h>

#include "session/vtr-recent-store.h"
#include "widgets/vtr-start-page.h"

static GFile *
file_of (const char *folder,
         const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_new_for_path (path);
}

static GdkTexture *
make_texture (void)
{
  g_autoptr (GBytes) bytes = g_bytes_new ("\x10\x20\x30\xff", 4);

  return gdk_memory_texture_new (1, 1, GDK_MEMORY_R8G8B8A8, bytes, 4);
}

static void
test_keep (void)
{
  g_autofree char *folder = g_dir_make_tmp ("recent-XXXXXX", NULL);
  g_autoptr (VtrRecentStore) store = vtr_recent_store_new (folder);
  g_autoptr (VtrRecentStore) again = NULL;
  g_autoptr (GFile) a = file_of (folder, "a.gfxtrace");
  g_autoptr (GFile) b = file_of (folder, "b.gfxtrace");
  g_autoptr (GdkTexture) texture = make_texture ();
  VtrRecentFacts facts = { "llvmpipe", 60, 2520, 1200000, FALSE };
  g_autoptr (VtrRecent) first = NULL;
  g_autofree char *text = NULL;
  guint64 now;

  vtr_recent_store_add (store, a, &facts);
  facts.truncated = TRUE;
  vtr_recent_store_add (store, b, &facts);
  vtr_recent_store_set_thumbnail (store, b, texture);
  vtr_recent_store_add (store, b, &facts);
  /* A thumbnail that is older than its file is of another trace. */
  now = (guint64)g_get_real_time ();
  g_assert_nonnull (vtr_recent_store_get_thumbnail (store, b, now - 60 * G_USEC_PER_SEC));
  g_assert_null (vtr_recent_store_get_thumbnail (store, b, now + 60 * G_USEC_PER_SEC));
  g_assert_null (vtr_recent_store_get_thumbnail (store, a, 0));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (store)), ==, 2);

  /* The next run has all stored traces, with their thumbnails. */
  again = vtr_recent_store_new (folder);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (again)), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (VtrRecent) recent = g_list_model_get_item (G_LIST_MODEL (again), i);

      if (g_str_equal (vtr_recent_get_name (recent), "b"))
        first = g_object_ref (recent);
    }
  g_assert_nonnull (first);
  g_assert_true (vtr_recent_get_truncated (first));
  g_assert_nonnull (vtr_recent_get_texture (first));
  text = vtr_recent_describe (first);
  g_assert_cmpstr (text, ==, "llvmpipe · 60 frames · 2\u202f520 commands");

  vtr_recent_store_remove (again, b);
  vtr_recent_store_remove (again, b);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (again)), ==, 1);
}

/* Rubbish in the file costs the list, nothing else. */
static void
test_damaged (void)
{
  g_autofree char *folder = g_dir_make_tmp ("recent-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "recent.ini", NULL);
  g_autoptr (VtrRecentStore) store = NULL;
  g_autoptr (GFile) file = file_of (folder, "a.gfxtrace");
  VtrRecentFacts facts = { NULL, 0, 0, 0, FALSE };

  g_assert_true (g_file_set_contents (path, "\x01\xff[[[\nframes=many\n", -1, NULL));
  store = vtr_recent_store_new (folder);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (store)), ==, 0);
  vtr_recent_store_add (store, file, &facts);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (store)), ==, 1);
}

static void
test_page (void)
{
  g_autofree char *folder = g_dir_make_tmp ("recent-XXXXXX", NULL);
  g_autoptr (VtrRecentStore) store = vtr_recent_store_new (folder);
  GtkWidget *page = vtr_start_page_new ();
  g_autoptr (GdkTexture) texture = make_texture ();
  VtrRecentFacts facts = { "llvmpipe", 1, 1, 1, FALSE };
  GtkWindow *window;

  vtr_start_page_set_store (VTR_START_PAGE (page), store);
  window = vtr_test_ui_show (page, 900, 600);
  for (int i = 0; i < 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("%d.gfxtrace", i);
      g_autoptr (GFile) file = file_of (folder, name);

      vtr_recent_store_add (store, file, &facts);
      vtr_recent_store_set_thumbnail (store, file, texture);
    }
  vtr_test_ui_spin (100);
  g_object_ref_sink (page);
  gtk_window_destroy (window);
  vtr_test_ui_assert_gone (page);
}

int
main (int   argc,
      char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/recent/keep", test_keep);
  g_test_add_func ("/widgets/recent/damaged", test_damaged);
  g_test_add_func ("/widgets/recent/page", test_page);
  return g_test_run ();
}
