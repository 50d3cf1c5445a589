/* vitrine-cli screenshot: the framebuffer after a call, as PNG. */
#include "vtr-cli.h"
#include "vtr-cli-image.h"

#include "engine/resolve/vtr-document.h"

#include <stdio.h>

static gboolean json;
static char *at;
static char *frame;
static char *attachment;
static char *output;

static const GOptionEntry entries[] = {
  { "at", 0, 0, G_OPTION_ARG_STRING, &at, N_ ("After this command"), N_ ("INDEX") },
  { "frame", 0, 0, G_OPTION_ARG_STRING, &frame, N_ ("At the end of this frame, from 0"), N_ ("N") },
  { "attachment", 0, 0, G_OPTION_ARG_STRING, &attachment,
    N_ ("color0 (default), color1, …, depth or stencil"), N_ ("NAME") },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
    N_ ("PNG file to write; one named *.raw gets the texels as they are"), N_ ("FILE") },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Describe the image as JSON"), NULL },
  { NULL },
};

static gboolean
parse_attachment (const char        *text,
                  VtrAttachmentKind *out)
{
  guint64 nth;

  if (text == NULL)
    *out = VTR_ATTACHMENT_COLOR0;
  else if (g_str_equal (text, "depth"))
    *out = VTR_ATTACHMENT_DEPTH;
  else if (g_str_equal (text, "stencil"))
    *out = VTR_ATTACHMENT_STENCIL;
  else if (g_str_has_prefix (text, "color") &&
           g_ascii_string_to_unsigned (text + 5, 10, 0, VTR_MAX_ATTACHMENTS - 1, &nth, NULL))
    *out = VTR_ATTACHMENT_COLOR0 + nth;
  else
    return FALSE;
  return TRUE;
}

static void
on_progress (guint64  done,
             guint64  total,
             gpointer data)
{
  vtr_cli_progress (_ ("Reading commands"), done, total);
}

/* The command that --at or --frame names. */
static gboolean
find_command (VtrTrace  *trace,
              guint64   *index,
              GError   **error)
{
  guint64 n_initial = vtr_trace_get_n_initial_commands (trace);
  guint64 n, first;

  if (at != NULL)
    {
      if (!vtr_cli_parse_index (at, index, error))
        return FALSE;
      *index += n_initial;
      if (*index < vtr_trace_get_n_commands (trace))
        return TRUE;
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("There is no command %s: the trace has %" G_GUINT64_FORMAT
                      ", counted from 0."),
                   at, vtr_trace_get_n_commands (trace) - n_initial);
      return FALSE;
    }

  if (!g_ascii_string_to_unsigned (frame, 10, 0, G_MAXUINT64 - 1, &n, NULL) ||
      n >= vtr_trace_get_n_frames (trace))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("There is no frame “%s”: the trace has %" G_GUINT64_FORMAT
                      ", counted from 0."),
                   frame,
                   vtr_trace_get_n_frames (trace));
      return FALSE;
    }
  vtr_trace_get_frame (trace, n, &first, index);
  return TRUE;
}

/* Depth and wide colours lose something in a PNG; raw texels do not. */
static gboolean
save (VtrImage  *image,
      GError   **error)
{
  if (g_str_has_suffix (output, ".raw"))
    return vtr_cli_save_raw (image, output, error);
  return vtr_image_save_png (image, output, error);
}

static void
print_description (const VtrImage *image,
                   guint64         number)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) node = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "path");
  json_builder_add_string_value (builder, output);
  json_builder_set_member_name (builder, "command");
  json_builder_add_int_value (builder, number);
  json_builder_set_member_name (builder, "width");
  json_builder_add_int_value (builder, image->width);
  json_builder_set_member_name (builder, "height");
  json_builder_add_int_value (builder, image->height);
  json_builder_set_member_name (builder, "format");
  json_builder_add_int_value (builder, image->format);
  json_builder_set_member_name (builder, "attachment");
  json_builder_add_string_value (builder, attachment != NULL ? attachment : "color0");
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  vtr_cli_print_json (node, FALSE);
}

VtrCliStatus
vtr_cli_screenshot (int    argc,
                    char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrImage) image = NULL;
  g_autoptr (GError) error = NULL;
  VtrAttachmentKind kind;
  VtrCliStatus status;
  guint64 index;

  if (!vtr_cli_parse ("screenshot", "FILE --at INDEX|--frame N -o OUT.png",
                      _ ("Replays the trace up to a command and saves what it drew to."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;
  if ((at == NULL) == (frame == NULL))
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("Say which moment: either --at INDEX or --frame N."));
  if (output == NULL)
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("Say where the picture goes: -o FILE."));
  if (!parse_attachment (attachment, &kind))
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("“%s” is no attachment. Use color0, color1, …, depth or stencil."),
                             attachment);

  document = vtr_document_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (document == NULL)
    return vtr_cli_fail (error);
  if (!find_command (vtr_document_get_trace (document), &index, &error))
    return vtr_cli_fail (error);
  vtr_cli_progress_end ();

  image = vtr_document_get_framebuffer (document, index, kind, vtr_cli_get_cancellable (), &error);
  if (image == NULL || !save (image, &error))
    return vtr_cli_fail (error);

  if (json)
    print_description (image,
                       vtr_trace_get_number (vtr_document_get_trace (document), index));
  return VTR_CLI_OK;
}
