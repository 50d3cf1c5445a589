/* The language of the programs. */
#pragma once

#include <glib.h>

/**
 * vtr_locale_init:
 *
 * Takes the user's locale, and the translations from where they were installed, or from
 * VITRINE_LOCALE_DIR, which “meson devenv” sets. The first thing that a program does. Threading: main.
 */
void vtr_locale_init (void);

/* Translates a sentence that another process or an API has said, from the catalogue that has it (VtrApi.text_domain).
 * Returns: @text itself if none has. Threading: any. */
const char *vtr_locale_translate (const char *text) G_GNUC_FORMAT (1);
