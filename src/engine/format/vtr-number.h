/* Numbers as text, for sentences that are translated: gettext cannot read what hides behind
 * G_GUINT64_FORMAT, and would cut the sentence there. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char text[24];
} VtrNumber;

static inline VtrNumber
vtr_number (guint64 number)
{
  VtrNumber self;

  g_snprintf (self.text, sizeof self.text, "%" G_GUINT64_FORMAT, number);
  return self;
}

static inline VtrNumber
vtr_number_hex (guint64 number)
{
  VtrNumber self;

  g_snprintf (self.text, sizeof self.text, "0x%" G_GINT64_MODIFIER "x", number);
  return self;
}

/* Digits, valid to the end of the statement: printf ("%s", VTR_NUMBER (n)). */
#define VTR_NUMBER(number) (vtr_number (number).text)
#define VTR_NUMBER_HEX(number) (vtr_number_hex (number).text)

G_END_DECLS
