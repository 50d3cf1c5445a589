/* Prepares the translations of a program. */
#include "engine/format/vtr-locale.h"

#include "vtr-config.h"

#include "engine/api/vtr-api.h"

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
  for (gsize i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->text_domain != NULL)
      {
        bindtextdomain (vtr_apis[i]->text_domain, vtr_apis[i]->text_folder);
        bind_textdomain_codeset (vtr_apis[i]->text_domain, "UTF-8");
      }
}

const char *
vtr_locale_translate (const char *text)
{
  const char *found;

  if (text[0] == '\0')
    return text;
  found = g_dgettext (GETTEXT_PACKAGE, text);
  for (gsize i = 0; found == text && vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->text_domain != NULL)
      found = g_dgettext (vtr_apis[i]->text_domain, text);
  return found;
}
