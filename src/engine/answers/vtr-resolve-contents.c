/* Answers commands/N/images and commands/N/buffers: what exists when a command runs, and the bytes
 * of a buffer. Pictures come from vtr_document_get_image (). */
#include "engine/answers/vtr-resolve.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/answers/vtr-edit-path.h"
#include "engine/answers/vtr-image-path.h"
#include "engine/api/vtr-memory-api.h"
#include "engine/api/vtr-show-api.h"
#include "base/vtr-number.h"
#include "engine/replay-session/vtr-replay-questions.h"
#include "engine/state/vtr-image-facts.h"
#include "pixels/vtr-pixel-format.h"

#define MAX_JSON_BYTES (16u << 20)

/* A sort of objects, whatever API they are of. */
typedef struct
{
  const char *what;
  /* Whether an API has such objects, and of which kind. */
  gboolean (*get_kind) (const VtrApi *api, guint32 *kind);
} Sort;

static gboolean
get_image_kind (const VtrApi *api,
                guint32      *kind)
{
  if (api->show == NULL || api->show->get_image == NULL)
    return FALSE;
  *kind = api->show->image_kind;
  return TRUE;
}

static gboolean
get_buffer_kind (const VtrApi *api,
                 guint32      *kind)
{
  if (api->memory == NULL || api->memory->locate == NULL)
    return FALSE;
  *kind = api->memory->buffer_kind;
  return TRUE;
}

static const Sort images = { "image", get_image_kind };
static const Sort buffers = { "buffer", get_buffer_kind };

static JsonNode *
list_alive (VtrAnswers     *answers,
            const VtrPlace *address,
            const Sort     *sort)
{
  VtrHistory *history = vtr_analysis_get_history (answers->analysis);
  const guint64 moment =
    vtr_timeline_get_stop (vtr_analysis_get_timeline (answers->analysis), address);
  JsonArray *array = json_array_new ();

  for (guint api = 0; vtr_apis[api] != NULL; api++)
    {
      g_autoptr (GArray) ids = NULL;
      guint32 kind;

      if (!sort->get_kind (vtr_apis[api], &kind))
        continue;
      ids = vtr_history_list (history, kind);
      for (guint i = 0; i < ids->len; i++)
        {
          const VtrObject *object =
            vtr_history_get_object (history, g_array_index (ids, guint32, i));

          if (object->created <= moment && object->destroyed > moment)
            json_array_add_element (array, vtr_json_object_ref (history, object));
        }
    }
  return vtr_json_take_array (array);
}

/* "41" of "41?mip=1": an object of @sort. *@options: what follows the mark, or NULL. */
static const VtrObject *
parse_object (VtrAnswers  *answers,
              const char  *step,
              const Sort  *sort,
              const char **options,
              GError     **error)
{
  VtrHistory *history = vtr_analysis_get_history (answers->analysis);
  const char *mark = strchr (step, '?');
  g_autofree char *number = mark != NULL ? g_strndup (step, (gsize)(mark - step)) : g_strdup (step);
  const VtrObject *object;
  const VtrApi *api;
  guint32 kind;
  guint64 id;

  *options = mark != NULL ? mark + 1 : NULL;
  if (!vtr_path_parse_number (number, sort->what,
                              (guint64)vtr_history_get_n_objects (history) + 1, &id,
                              error))
    return NULL;
  object = vtr_history_get_object (history, (guint32)id);
  api = object != NULL ? vtr_api_get (object->type) : NULL;
  if (api != NULL && sort->get_kind (api, &kind) && object->type == kind)
    return object;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH, _ ("Object %s is not of type %s."),
               number, sort->what);
  return NULL;
}

/* --- Images ---------------------------------------------------------------------------------- */

static JsonNode *
describe_image (VtrAnswers      *answers,
                const VtrPlace  *address,
                const VtrObject *image)
{
  const guint64 moment =
    vtr_timeline_get_stop (vtr_analysis_get_timeline (answers->analysis), address);
  JsonNode *node = vtr_json_object_ref (vtr_analysis_get_history (answers->analysis), image);
  JsonObject *json = json_node_get_object (node);
  VtrImageFacts facts;

  json_object_set_boolean_member (json, "alive",
                                  image->created <= moment && image->destroyed > moment);
  if (vtr_image_facts_get (vtr_analysis_get_history (answers->analysis), image, &facts, NULL))
    {
      JsonArray *aspects = json_array_new ();

      json_object_set_string_member (json, "format", facts.format);
      json_object_set_int_member (json, "width", facts.width);
      json_object_set_int_member (json, "height", facts.height);
      json_object_set_int_member (json, "depth", facts.depth);
      json_object_set_int_member (json, "mipLevels", facts.mip_levels);
      json_object_set_int_member (json, "arrayLayers", facts.array_layers);
      json_object_set_int_member (json, "samples", facts.samples);
      for (VtrPixelAspect aspect = VTR_PIXEL_COLOR; aspect < VTR_PIXEL_NO_ASPECT; aspect++)
        if ((facts.aspects >> aspect & 1) != 0)
          json_array_add_string_element (aspects, vtr_pixel_aspect_get_name (aspect));
      json_object_set_array_member (json, "aspects", aspects);
    }
  return node;
}

JsonNode *
vtr_resolve_images_at (VtrAnswers      *answers,
                       const VtrPlace  *address,
                       char           **steps,
                       GError         **error)
{
  const VtrObject *image;
  const char *options;

  if (steps[0] == NULL)
    return list_alive (answers, address, &images);
  image = parse_object (answers, steps[0], &images, &options, error);
  return image != NULL ? vtr_json_walk (describe_image (answers, address, image), steps + 1,
                                        steps[0], error)
                       : NULL;
}

/* --- Buffers --------------------------------------------------------------------------------- */

static gboolean
parse_range (VtrAnswers            *answers,
             const char            *options,
             guint64               *offset,
             guint64               *size,
             const VtrPictureEdit **edit,
             GError               **error)
{
  g_auto (VtrEditDraft) draft = { 0 };
  g_auto (GStrv) list = g_strsplit (options != NULL ? options : "", "&", -1);

  for (guint i = 0; list[i] != NULL; i++)
    {
      guint64 *out = g_str_has_prefix (list[i], "offset=") ? offset
                     : g_str_has_prefix (list[i], "size=") ? size
                                                           : NULL;

      char *value = strchr (list[i], '=');

      if (*list[i] == '\0')
        continue;
      if (out == NULL && value != NULL)
        {
          *value = '\0';
          if (vtr_edit_path_knows (list[i]))
            {
              if (!vtr_edit_path_parse_option (answers->session, list[i], value + 1, &draft, error))
                return FALSE;
              continue;
            }
          *value = '=';
        }
      if (out == NULL ||
          !vtr_parse_number (strchr (list[i], '=') + 1, 10, 0, G_MAXUINT64, out))
        {
          g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                       _ ("“%s” is not an option of a buffer. Use offset=BYTES and size=BYTES."),
                       list[i]);
          return FALSE;
        }
    }
  *edit = vtr_edit_draft_finish (
    &draft, vtr_replay_session_get_edits (answers->session));
  return TRUE;
}

static JsonNode *
read_buffer (VtrAnswers       *answers,
             const VtrPlace   *address,
             const VtrObject  *buffer,
             const char       *options,
             GCancellable     *cancellable,
             GError          **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *text = NULL;
  guint64 offset = 0, size = G_MAXUINT64;
  const VtrPictureEdit *edit = NULL;
  JsonObject *json;
  JsonNode *node;
  gsize n;

  if (!parse_range (answers, options, &offset, &size, &edit, error))
    return NULL;
  bytes = vtr_replay_session_read_object (answers->session, address, buffer->id, offset,
                                          size, edit, cancellable, error);
  if (bytes == NULL)
    return NULL;
  n = g_bytes_get_size (bytes);
  if (n > MAX_JSON_BYTES)
    {
      g_autofree char *there = g_strdup_printf ("%" G_GSIZE_FORMAT, n);
      g_autofree char *limit = g_strdup_printf ("%u", MAX_JSON_BYTES);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The buffer has %s bytes, but one answer holds at most %s. Request a part "
                      "with offset and size."),
                   there, limit);
      return NULL;
    }
  node = vtr_json_object_ref (vtr_analysis_get_history (answers->analysis), buffer);
  json = json_node_get_object (node);
  text = g_base64_encode (g_bytes_get_data (bytes, NULL), n);
  json_object_set_int_member (json, "offset", (gint64)offset);
  json_object_set_int_member (json, "size", (gint64)n);
  json_object_set_string_member (json, "bytes", text);
  return node;
}

JsonNode *
vtr_resolve_buffers_at (VtrAnswers      *answers,
                        const VtrPlace  *address,
                        char           **steps,
                        GCancellable    *cancellable,
                        GError         **error)
{
  const VtrObject *buffer;
  const char *options;
  JsonNode *node;

  if (steps[0] == NULL)
    return list_alive (answers, address, &buffers);
  buffer = parse_object (answers, steps[0], &buffers, &options, error);
  node = buffer != NULL ? read_buffer (answers, address, buffer, options, cancellable,
                                       error)
                        : NULL;
  return node != NULL ? vtr_json_walk (node, steps + 1, steps[0], error) : NULL;
}
