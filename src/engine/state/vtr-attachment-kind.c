/* Names the kinds of attachments. */
#include "engine/state/vtr-attachment-kind.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/vtr-number.h"
#include "engine/state/vtr-resolve-error.h"

static const struct
{
  VtrAttachmentKind kind;
  const char *name;
} kinds[] = {
  { VTR_ATTACHMENT_DEPTH, "depth" },
  { VTR_ATTACHMENT_STENCIL, "stencil" },
  { VTR_ATTACHMENT_DEPTH_RESOLVE, "depth-resolve" },
  { VTR_ATTACHMENT_STENCIL_RESOLVE, "stencil-resolve" },
  { VTR_ATTACHMENT_SHADING_RATE, "shading-rate" },
};

static const struct
{
  VtrAttachmentKind first;
  const char *name;
} numbered[] = {
  { VTR_ATTACHMENT_COLOR0, "color" },
  { VTR_ATTACHMENT_INPUT0, "input" },
  { VTR_ATTACHMENT_RESOLVE0, "resolve" },
};

char *
vtr_attachment_kind_to_string (VtrAttachmentKind kind)
{
  guint found = 0;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].kind == kind)
      return g_strdup (kinds[i].name);
  for (guint i = 0; i < G_N_ELEMENTS (numbered); i++)
    if (kind >= numbered[i].first)
      found = i;
  return g_strdup_printf ("%s%d", numbered[found].name, (int)(kind - numbered[found].first));
}

gboolean
vtr_attachment_kind_from_string (const char         *text,
                                 VtrAttachmentKind  *out,
                                 GError            **error)
{
  guint64 nth;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].name, text))
      {
        *out = kinds[i].kind;
        return TRUE;
      }
  for (guint i = 0; i < G_N_ELEMENTS (numbered); i++)
    if (g_str_has_prefix (text, numbered[i].name) &&
        vtr_parse_number (text + strlen (numbered[i].name), 10, 0,
                          VTR_MAX_ATTACHMENTS - 1, &nth))
      {
        *out = (VtrAttachmentKind)(numbered[i].first + nth);
        return TRUE;
      }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("“%s” is not a valid attachment. Use color0, color1, …, depth, stencil, "
                  "input0, …, resolve0, …, depth-resolve, stencil-resolve or shading-rate."),
               text);
  return FALSE;
}
