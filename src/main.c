#include "vtr-config.h"

#include "base/vtr-file-limit.h"

#include <glib/gi18n.h>
#include <locale.h>

#include "vtr-application.h"

int
main (int   argc,
      char *argv[])
{
  g_autoptr (VtrApplication) application = NULL;

  vtr_file_limit_catch ();
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = vtr_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
