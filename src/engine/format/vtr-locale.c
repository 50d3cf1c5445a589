/* Prepares the translations of a program. */
#include "engine/format/vtr-locale.h"

#include "vtr-config.h"

#include <glib.h>
#include <libintl.h>
#include <locale.h>

void
vtr_locale_init (void)
{
  const char *folder = g_getenv ("VITRINE_LOCALE_DIR");

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, folder != NULL ? folder : LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}
