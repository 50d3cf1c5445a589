/* Sentences of the tiny API: they have a catalogue of their own, tests/tiny-api/po, since Vitrine's has none of tests. */
#pragma once

#include <glib.h>

#define VTR_TINY_TEXT_DOMAIN "vitrine-tiny"

#define _(text) g_dgettext (VTR_TINY_TEXT_DOMAIN, text)
#define N_(text) text
