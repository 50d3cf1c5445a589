/* The language of the programs. */
#pragma once

/**
 * vtr_locale_init:
 *
 * Takes the user's locale, and the translations from where they were installed, or from
 * VITRINE_LOCALE_DIR, which “meson devenv” sets. The first thing that a program does. Threading: main.
 */
void vtr_locale_init (void);
