/* vitrine-cli screenshot: saves an attachment or any image after a call, as PNG and as texels. */
#include "vtr-cli-edit.h"
#include "vtr-cli.h"

#include "api/vtr-api-types.h"
#include "engine/answers/vtr-image-path.h"
#include "engine/picture/vtr-image-file.h"

#include <stdio.h>

static gboolean json;
static gboolean poison;
static gboolean no_cache;
static char *at;
static char *frame;
static char **paths;
static char *attachment;
static char *object;
static char *mip;
static char *layer;
static char *slice;
static char *sample;
static char *aspect;
static char *raw;
static char *output;
static char *edits; /* options of every path */

static const GOptionEntry entries[] = {
  { "at", 0, 0, G_OPTION_ARG_STRING, &at,
    N_ ("Save the image after this command: INDEX, INDEX@RUN or SUBMIT.BATCH.BUFFER.COMMAND"),
    N_ ("ADDRESS") },
  { "frame", 0, 0, G_OPTION_ARG_STRING, &frame,
    N_ ("Save the image at the end of this frame, counting from 0"), N_ ("N") },
  { "path", 0, 0, G_OPTION_ARG_STRING_ARRAY, &paths,
    N_ ("Save the image at this path, e.g. commands/12/images/41?mip=1; can be repeated, then -o "
        "and --raw name folders"),
    N_ ("PATH") },
  { "attachment", 0, 0, G_OPTION_ARG_STRING, &attachment,
    N_ ("color0 (default), color1, …, depth, stencil, input0, resolve0, …"), N_ ("NAME") },
  { "object", 0, 0, G_OPTION_ARG_STRING, &object,
    N_ ("Save this image instead of an attachment; without --at, just before it is destroyed"),
    N_ ("ID") },
  { "mip", 0, 0, G_OPTION_ARG_STRING, &mip, N_ ("Mip level of the image"), N_ ("N") },
  { "layer", 0, 0, G_OPTION_ARG_STRING, &layer, N_ ("Layer of the image or attachment"),
    N_ ("N") },
  { "slice", 0, 0, G_OPTION_ARG_STRING, &slice, N_ ("Slice of a 3D image"), N_ ("N") },
  { "sample", 0, 0, G_OPTION_ARG_STRING, &sample,
    N_ ("One sample of a multisampled image, or “resolve”"), N_ ("N") },
  { "aspect", 0, 0, G_OPTION_ARG_STRING, &aspect,
    N_ ("color, depth, stencil, plane0, plane1 or plane2"), N_ ("NAME") },
  VTR_CLI_EDIT_ENTRIES,
  { "no-cache", 0, 0, G_OPTION_ARG_NONE, &no_cache,
    N_ ("Replay even if the image is cached"), NULL },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
    N_ ("File to write: .png, .ktx2 (texels unchanged), .pfm (floats) or .raw (as --raw); “-” "
        "writes a PNG to standard output"),
    N_ ("FILE|-") },
  { "raw", 0, 0, G_OPTION_ARG_FILENAME, &raw,
    N_ ("Also write the texels unchanged: rows without padding or header; --json prints their "
        "format and size; “-” is standard output"),
    N_ ("FILE|-") },
  { "poison", 0, 0, G_OPTION_ARG_NONE, &poison,
    N_ ("Fill memory that the trace lacks with a pattern"), NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Describe the image as JSON"), NULL },
  { NULL },
};

static void
on_progress (guint64  done,
             guint64  total,
             gpointer data)
{
  vtr_cli_progress (_ ("Reading commands"), done, total);
}

/* Why the options cannot be combined; NULL: they can. */
static const char *
find_contradiction (void)
{
  const guint n_stdout = (guint)(vtr_cli_is_stdout (output) + vtr_cli_is_stdout (raw));

  if ((at != NULL) + (frame != NULL) + (paths != NULL) > 1)
    return _ ("Use exactly one of --at ADDRESS, --frame N and --path PATH.");
  if (paths != NULL && (attachment != NULL || object != NULL || mip != NULL || layer != NULL ||
                        slice != NULL || sample != NULL || aspect != NULL))
    return _ ("--path cannot be combined with other options. Write them into the path, as in "
              "…/color0?layer=1.");
  if (object != NULL && (attachment != NULL || frame != NULL))
    return _ ("--object cannot be combined with --attachment or --frame.");
  if (frame != NULL && attachment != NULL)
    return _ ("--frame saves the presented image and cannot be combined with --attachment.");
  if (output == NULL && raw == NULL)
    return _ ("Give the file to write: -o FILE.");
  if (paths != NULL && paths[1] != NULL && n_stdout > 0)
    return _ ("Several images need a folder and cannot be written to standard output.");
  return vtr_cli_find_stdout_fault (n_stdout, json);
}

/* Without --at, --frame and --path: the end of the last frame. */
static gboolean
choose_last_frame (VtrTrace  *trace,
                   GError   **error)
{
  guint64 n_frames = vtr_trace_get_n_frames (trace);

  if (n_frames == 0)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("“%s” has no frames. Name a command with --at ADDRESS."),
                   vtr_trace_get_path (trace));
      return FALSE;
    }
  if (attachment != NULL)
    at = vtr_trace_format_number (trace, vtr_trace_get_frame_end (trace, n_frames - 1));
  else
    frame = g_strdup_printf ("%" G_GUINT64_FORMAT, n_frames - 1);
  return TRUE;
}

/* The path for the options without --path. */
static char *
make_path (void)
{
  const struct
  {
    const char *name, *value;
  } options[] = {
    { "mip", mip },
    { "layer", layer },
    { "slice", slice },
    { "sample", sample },
    { "aspect", aspect },
    { "after", object != NULL ? at : NULL },
  };
  GString *text = g_string_new (NULL);
  char separator = '?';

  if (object != NULL)
    g_string_append_printf (text, "objects/%s/texture", object);
  else if (frame != NULL)
    g_string_append_printf (text, "frames/%s", frame);
  else
    g_string_append_printf (text, "%s%s/framebuffer/%s",
                            g_str_has_prefix (at, "initial/") ? "" : "commands/", at,
                            attachment != NULL ? attachment : "color0");
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (options[i].value != NULL)
      {
        g_string_append_printf (text, "%c%s=%s", separator, options[i].name, options[i].value);
        separator = '&';
      }
  return g_string_free (text, FALSE);
}

static gboolean
save (VtrImage    *image,
      const char  *path,
      const char  *raw_path,
      GError     **error)
{
  g_autoptr (GBytes) file = NULL;

  if (raw_path != NULL && !vtr_cli_write (raw_path, image->texels, error))
    return FALSE;
  if (path == NULL)
    return TRUE;
  file = vtr_image_encode (image, path, error);
  return file != NULL && vtr_cli_write (path, file, error);
}

static void
add_number (JsonBuilder *builder,
            const char  *name,
            gint64       value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_text (JsonBuilder *builder,
          const char  *name,
          const char  *value)
{
  json_builder_set_member_name (builder, name);
  if (value != NULL)
    json_builder_add_string_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

static void
add_double (JsonBuilder *builder,
            const char  *name,
            double       value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

/* Adds the values that a PNG shows as black and white. */
static void
add_range (JsonBuilder *builder,
           VtrImage    *image)
{
  const VtrImageRange range = vtr_image_find_range (image);

  json_builder_set_member_name (builder, "range");
  json_builder_begin_object (builder);
  add_double (builder, "low", range.low);
  add_double (builder, "high", range.high);
  json_builder_set_member_name (builder, "clipped");
  json_builder_add_boolean_value (builder, range.least < range.low || range.most > range.high);
  json_builder_end_object (builder);
}

/* Adds the range of the counts of an overlay. */
static void
add_counts (JsonBuilder *builder,
            VtrImage    *image)
{
  double mean, covered;
  double top = vtr_image_get_statistics (image, &mean, &covered);

  json_builder_set_member_name (builder, "overdraw");
  json_builder_begin_object (builder);
  add_double (builder, "max", top);
  add_double (builder, "mean", mean);
  add_double (builder, "meanCovered", covered);
  json_builder_end_object (builder);
}

static void
print_description (VtrTrace   *trace,
                   VtrImage   *image,
                   const char *question,
                   const char *path,
                   const char *raw_path)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) node = NULL;

  json_builder_begin_object (builder);
  add_text (builder, "path", path != NULL ? path : raw_path);
  add_text (builder, "raw", raw_path);
  add_text (builder, "image", question);
  add_number (builder, "command", (gint64)vtr_trace_get_number (trace, image->after));
  add_number (builder, "object", image->image);
  add_number (builder, "width", image->width);
  add_number (builder, "height", image->height);
  add_number (builder, "stride", (gint64)image->stride);
  add_number (builder, "bytes", (gint64)g_bytes_get_size (image->texels));
  add_number (builder, "format", image->format->number);
  add_text (builder, "formatName", image->format->name);
  add_text (builder, "aspect", vtr_pixel_aspect_get_name (image->aspect));
  add_number (builder, "mip", image->mip);
  add_number (builder, "layer", image->layer);
  add_number (builder, "slice", image->slice);
  add_number (builder, "samples", image->samples);
  if (image->sample == VTR_SAMPLE_RESOLVE)
    add_text (builder, "sample", "resolve");
  else
    add_number (builder, "sample", image->sample);
  add_text (builder, "attachment",
            paths != NULL || object != NULL ? NULL : attachment != NULL ? attachment
                                                                        : "color0");
  add_range (builder, image);
  if (image->overlay != VTR_OVERLAY_NONE)
    add_text (builder, "overlay", vtr_overlay_to_string (image->overlay));
  if (image->overlay == VTR_OVERLAY_OVERDRAW)
    add_counts (builder, image);
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  vtr_cli_print_json (node, FALSE);
}

static VtrCliStatus
take (VtrDocument *document,
      const char  *path,
      const char  *file,
      const char  *raw_path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *question = vtr_cli_edit_append (path, edits);
  g_autoptr (VtrImage) image =
    vtr_document_get_image (document, question, vtr_cli_get_cancellable (), &error);

  if (image == NULL || !save (image, file, raw_path, &error))
    return vtr_cli_fail (error);
  if (json)
    print_description (vtr_document_get_trace (document), image, question, file, raw_path);
  else if (file != NULL && vtr_image_is_png (file))
    {
      g_autofree char *note = vtr_image_describe_range (image);

      if (note != NULL)
        g_printerr ("%s\n", note);
    }
  return VTR_CLI_OK;
}

/* Saves several images as numbered files in folders. If one fails, the others are still saved. */
static VtrCliStatus
take_several (VtrDocument *document)
{
  VtrCliStatus worst = VTR_CLI_OK;

  for (guint i = 0; paths[i] != NULL && !g_cancellable_is_cancelled (vtr_cli_get_cancellable ());
       i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *raw_name = g_strdup_printf ("%u.raw", i);
      g_autofree char *file =
        output != NULL ? g_build_filename (output, name, NULL) : NULL;
      g_autofree char *raw_path = raw != NULL ? g_build_filename (raw, raw_name, NULL) : NULL;
      VtrCliStatus status = take (document, paths[i], file, raw_path);

      worst = worst == VTR_CLI_OK ? status : worst;
    }
  return worst;
}

VtrCliStatus
vtr_cli_screenshot (int    argc,
                    char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *question = NULL;
  VtrAttachmentKind kind;
  VtrCliStatus status;

  if (!vtr_cli_parse ("screenshot",
                      "FILE [--at ADDRESS|--frame N|--path PATH|--object ID] -o OUT.png",
                      _ ("Replays the trace up to a command and saves its framebuffer, or any "
                         "image at that point. Without a command or frame, the last frame is "
                         "saved."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;
  if (find_contradiction () != NULL)
    return vtr_cli_complain (VTR_CLI_USAGE, "%s", find_contradiction ());
  if (output != NULL && (paths == NULL || paths[1] == NULL) &&
      !vtr_image_check_suffix (output, &error))
    return vtr_cli_complain (VTR_CLI_USAGE, "%s", error->message);
  if (attachment != NULL && !vtr_attachment_kind_from_string (attachment, &kind, &error))
    return vtr_cli_complain (VTR_CLI_USAGE, "%s", error->message);

  if (no_cache)
    g_setenv ("VITRINE_NO_CACHE", "1", TRUE);
  document = vtr_document_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (document == NULL)
    return vtr_cli_fail (error);
  vtr_cli_progress_end ();

  vtr_document_set_poison (document, poison);
  edits = vtr_cli_edit_format (document, &error);
  if (edits == NULL)
    return vtr_cli_fail (error);
  if (at == NULL && frame == NULL && paths == NULL && object == NULL &&
      !choose_last_frame (vtr_document_get_trace (document), &error))
    return vtr_cli_fail (error);
  if (paths != NULL && paths[1] != NULL)
    return take_several (document);
  question = paths != NULL ? g_strdup (paths[0]) : make_path ();
  return take (document, question, output, raw);
}
