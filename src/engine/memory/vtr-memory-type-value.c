/* Reads values of a VtrMemoryType from bytes. */
#include "engine/memory/vtr-memory-type-private.h"

#include "base/vtr-number.h"

#include <math.h>
#include <string.h>

/* --- Values ---------------------------------------------------------------------------------- */

static guint64
read_bits (const guint8 *bytes,
           guint         width)
{
  guint64 value = 0;

  for (guint i = 0; i < width; i++)
    value |= (guint64)bytes[i] << (8 * i);
  return value;
}

static gint64
sign_extend (guint64 bits,
             guint   width)
{
  guint shift = 64 - 8 * width;

  return (gint64)(bits << shift) >> shift;
}

static double
half_to_double (guint bits)
{
  int exponent = (int)(bits >> 10 & 0x1f);
  double mantissa = bits & 0x3ff;
  double value;

  if (exponent == 0x1f)
    value = mantissa == 0 ? (double)INFINITY : (double)NAN;
  else if (exponent == 0)
    value = ldexp (mantissa, -24);
  else
    value = ldexp (mantissa + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

static double
read_float (guint64 bits,
            guint   width)
{
  guint32 low = (guint32)bits;
  double wide;
  float single;

  if (width == 2)
    return half_to_double ((guint)bits);
  if (width == 4)
    {
      memcpy (&single, &low, sizeof single);
      return (double)single;
    }
  memcpy (&wide, &bits, sizeof wide);
  return wide;
}

double
vtr_memory_type_read_component (const VtrMemoryType *self,
                                const guint8        *bytes,
                                guint                nth)
{
  guint64 bits = read_bits (bytes + vtr_memory_type_get_component_offset (self, nth), self->width);

  switch (self->number)
    {
    case VTR_NUMBER_INT:
      return (double)sign_extend (bits, self->width);
    case VTR_NUMBER_FLOAT:
      return read_float (bits, self->width);
    case VTR_NUMBER_UNORM:
      return (double)bits / (double)(((guint64)1 << (8 * self->width)) - 1);
    case VTR_NUMBER_SNORM:
      return MAX ((double)sign_extend (bits, self->width) /
                    (double)(((guint64)1 << (8 * self->width - 1)) - 1),
                  -1.0);
    case VTR_NUMBER_UINT:
    case VTR_NUMBER_HEX:
    case VTR_NUMBER_BOOL:
    default:
      return (double)bits;
    }
}

/* As few digits as tell the value from its neighbours. */
static char *
format_double (double value,
               guint  width)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    return g_strdup ("nan");
  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");
  for (int digits = 3; digits < 17; digits++)
    {
      char format[8];
      double back;

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      back = g_ascii_strtod (text, NULL);
      if (back == value || (width <= 4 && (float)back == (float)value))
        return g_strdup (text);
    }
  return g_strdup (g_ascii_dtostr (text, sizeof text, value));
}

char *
vtr_memory_type_format_component (const VtrMemoryType *self,
                                  const guint8        *bytes,
                                  guint                nth)
{
  guint64 bits = read_bits (bytes + vtr_memory_type_get_component_offset (self, nth), self->width);

  switch (self->number)
    {
    case VTR_NUMBER_INT:
      return g_strdup_printf ("%" G_GINT64_FORMAT, sign_extend (bits, self->width));
    case VTR_NUMBER_UINT:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, bits);
    case VTR_NUMBER_HEX:
      return g_strdup_printf ("0x%0*" G_GINT64_MODIFIER "x", (int)self->width * 2, bits);
    case VTR_NUMBER_BOOL:
      return bits <= 1 ? g_strdup (bits != 0 ? "true" : "false")
                       : g_strdup_printf ("true (%" G_GUINT64_FORMAT ")", bits);
    case VTR_NUMBER_UNORM:
    case VTR_NUMBER_SNORM:
      return g_strdup (
        vtr_number_real (vtr_memory_type_read_component (self, bytes, nth), 4).text);
    case VTR_NUMBER_FLOAT:
    default:
      return format_double (vtr_memory_type_read_component (self, bytes, nth), self->width);
    }
}

static void
append_value (const VtrMemoryType *self,
              const guint8        *bytes,
              GString             *to)
{
  guint64 n = vtr_memory_type_get_n_members (self);

  if (n == 0 && self->kind != VTR_MEMORY_TYPE_ARRAY)
    {
      if (self->n_components > 1)
        g_string_append_c (to, '(');
      for (guint i = 0; i < self->n_components; i++)
        {
          g_autofree char *text = vtr_memory_type_format_component (self, bytes, i);

          g_string_append_printf (to, "%s%s", i > 0 ? ", " : "", text);
        }
      if (self->n_components > 1)
        g_string_append_c (to, ')');
      return;
    }
  g_string_append_c (to, self->kind == VTR_MEMORY_TYPE_STRUCT ? '{' : '[');
  for (guint64 i = 0; i < n; i++)
    {
      const VtrMemoryType *member;
      const char *name;
      guint64 offset;

      if (i > 0)
        g_string_append (to, ", ");
      if (to->len > 256)
        {
          g_string_append (to, "…");
          break;
        }
      member = vtr_memory_type_get_member (self, i, &name, &offset);
      append_value (member, bytes + offset, to);
    }
  g_string_append_c (to, self->kind == VTR_MEMORY_TYPE_STRUCT ? '}' : ']');
}

char *
vtr_memory_type_format (const VtrMemoryType *self,
                        const guint8        *bytes)
{
  GString *text = g_string_new (NULL);

  append_value (self, bytes, text);
  return g_string_free (text, FALSE);
}
