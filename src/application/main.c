/* The main () of the program “vitrine”: sets up translations and runs the application. */
#include "vtr-config.h"

#include "base/vtr-file-limit.h"
#include "engine/format/vtr-locale.h"

#include "application/vtr-application.h"

int
main (int   argc,
      char *argv[])
{
  g_autoptr (VtrApplication) application = NULL;

  vtr_file_limit_catch ();
  vtr_locale_init ();

  application = vtr_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
