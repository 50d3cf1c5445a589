/* Reads paths of pictures: steps, then options after a question mark. */
#include "engine/answers/vtr-image-path.h"
#include "engine/answers/vtr-edit-path.h"
#include "base/vtr-number.h"
#include "engine/memory/vtr-targets.h"
#include "engine/state/vtr-image-facts.h"
#include "engine/state/vtr-path.h"
#include "engine/state/vtr-resolve-error.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* --- Options --------------------------------------------------------------------------------- */

static gboolean
parse_aspect (const char      *text,
              VtrPixelAspect  *out,
              GError         **error)
{
  for (VtrPixelAspect aspect = VTR_PIXEL_COLOR; aspect < VTR_PIXEL_NO_ASPECT; aspect++)
    if (g_str_equal (vtr_pixel_aspect_get_name (aspect), text))
      {
        *out = aspect;
        return TRUE;
      }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("“%s” is not a valid aspect. Use color, depth, stencil, plane0, plane1 or "
                  "plane2."),
               text);
  return FALSE;
}

static gboolean
parse_u32 (const char  *name,
           const char  *text,
           guint32     *out,
           GError     **error)
{
  guint64 value;

  if (vtr_parse_number (text, 10, 0, G_MAXUINT32 - 1, &value))
    {
      *out = (guint32)value;
      return TRUE;
    }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("“%s=%s” is not valid. Use a number, counting from 0."), name, text);
  return FALSE;
}

static gboolean
parse_option (VtrPicture  *out,
              const char  *name,
              const char  *value,
              GError     **error)
{
  const struct
  {
    const char *name;
    guint32 *number;
  } numbers[] = {
    { "mip", &out->mip },
    { "layer", &out->layer },
    { "slice", &out->slice },
    { "sample", &out->sample },
  };

  if (g_str_equal (name, "aspect"))
    return parse_aspect (value, &out->aspect, error);
  if (g_str_equal (name, "sample") && g_str_equal (value, "resolve"))
    return TRUE;
  /* The view of an attachment has one mip level; its layers are slices of a 3-D image. */
  for (guint i = out->is_attachment ? 1 : 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_str_equal (name, numbers[i].name) && !(out->is_attachment && i == 2))
      return parse_u32 (name, value, numbers[i].number, error);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               out->is_attachment
                 ? _ ("“%s” is not an option of an attachment. Use layer, sample, aspect, overlay, "
                      "disable or shader.")
                 : _ ("“%s” is not an option of an image. Use mip, layer, slice, sample, aspect, "
                      "overlay, disable or shader."),
               name);
  return FALSE;
}

/* @options: "mip=1&layer=0", or NULL. @after: (out): the command that an object's texture is asked
 * at, or NULL where none may be named. */
static gboolean
parse_options (VtrReplaySession  *session,
               const char        *options,
               VtrPicture        *out,
               VtrPlace          *after,
               GError           **error)
{
  g_auto (GStrv) list = g_strsplit (options != NULL ? options : "", "&", -1);
  g_auto (VtrEditDraft) edit = { 0 };

  for (guint i = 0; list[i] != NULL; i++)
    {
      char *value = strchr (list[i], '=');

      if (*list[i] == '\0')
        continue;
      if (value == NULL)
        {
          g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                       _ ("“%s” is not a valid option. Use NAME=VALUE."), list[i]);
          return FALSE;
        }
      *value++ = '\0';
      if (after != NULL && g_str_equal (list[i], "after"))
        {
          if (!vtr_path_parse_command (vtr_replay_session_get_basis (session)->timeline, value,
                                       after, error))
            return FALSE;
        }
      else if (vtr_edit_path_knows (list[i])
                 ? !vtr_edit_path_parse_option (session, list[i], value, &edit, error)
                 : !parse_option (out, list[i], value, error))
        return FALSE;
    }
  out->edit = vtr_edit_draft_finish (
    &edit, vtr_replay_session_get_edits (session));
  return TRUE;
}

/* --- Pictures -------------------------------------------------------------------------------- */

static void
init (VtrPicture *self)
{
  *self = (VtrPicture){ .sample = VTR_SAMPLE_RESOLVE, .aspect = VTR_PIXEL_NO_ASPECT };
  self->address.index = VTR_COMMAND_NO_INDEX;
  self->address.run = VTR_NO_RUN;
}

/* The default sample and aspect. */
static void
normalize_image (VtrReplaySession *session,
                 VtrPicture       *self)
{
  VtrHistory *history = vtr_replay_session_get_basis (session)->history;
  static const VtrPixelAspect order[] = { VTR_PIXEL_COLOR, VTR_PIXEL_DEPTH, VTR_PIXEL_STENCIL,
                                          VTR_PIXEL_PLANE_0 };
  const VtrObject *image = vtr_history_get_object (history, self->object);
  VtrImageFacts facts;

  if (!vtr_image_facts_get (history, image, &facts, NULL))
    return;
  for (guint i = 0; self->aspect == VTR_PIXEL_NO_ASPECT && i < G_N_ELEMENTS (order); i++)
    if ((facts.aspects >> order[i] & 1) != 0)
      self->aspect = order[i];
  if (self->sample == VTR_SAMPLE_RESOLVE && (facts.samples == 1 || self->aspect != VTR_PIXEL_COLOR))
    self->sample = 0;
}

/* One address per question: the first run by whichever name, and no run where there is none. */
static void
normalize (VtrReplaySession *session,
           VtrPicture       *self)
{
  VtrPlace *address = &self->address;
  guint32 nth =
    vtr_timeline_find_recording (vtr_replay_session_get_basis (session)->timeline, address->index);
  const VtrRun *run =
    address->run != VTR_NO_RUN
      ? vtr_timeline_get_run (vtr_replay_session_get_basis (session)->timeline, address->run)
      : NULL;

  if (nth == VTR_NO_RECORDING || run == NULL ||
      run == vtr_timeline_find_run (vtr_replay_session_get_basis (session)->timeline, nth, 0))
    address->run = VTR_NO_RUN;
  if (!self->is_attachment)
    normalize_image (session, self);
}

static gboolean
set_object (VtrReplaySession  *session,
            VtrPicture        *self,
            guint64            id,
            GError           **error)
{
  VtrHistory *history = vtr_replay_session_get_basis (session)->history;
  guint32 n = vtr_history_get_n_objects (history);
  const VtrObject *object =
    id >= 1 && id <= n ? vtr_history_get_object (history, (guint32)id) : NULL;
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, id);

  if (object == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("There is no object %s. The trace has objects 1 to %u."), number, n);
      return FALSE;
    }
  if (!vtr_image_is (object))
    {
      g_autofree char *name = vtr_history_describe (history, object);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("Object %s is not an image: it is the %s."), number, name);
      return FALSE;
    }
  self->object = (guint32)id;
  return TRUE;
}

/* Without a command: at the end of the image's life. */
static void
set_default_time (VtrReplaySession *session,
                  VtrPicture       *self)
{
  VtrHistory *history = vtr_replay_session_get_basis (session)->history;
  const VtrObject *object = vtr_history_get_object (history, self->object);

  if (self->address.index == VTR_COMMAND_NO_INDEX)
    {
      self->address.index =
        vtr_target_find_last_readable (vtr_replay_session_get_basis (session)->memory, object);
      if (self->address.index > object->created)
        self->address.index--;
    }
}

static gboolean
parse_object (VtrReplaySession  *session,
              const char        *step,
              VtrPicture        *out,
              GError           **error)
{
  VtrHistory *history = vtr_replay_session_get_basis (session)->history;
  guint64 id;

  return vtr_path_parse_number (step, _ ("object"),
                                (guint64)vtr_history_get_n_objects (history) + 1, &id,
                                error) &&
         set_object (session, out, id, error);
}

static gboolean
parse_frame (VtrReplaySession  *session,
             const char        *step,
             VtrPicture        *out,
             GError           **error)
{
  VtrTrace *trace = vtr_replay_session_get_basis (session)->trace;
  guint64 number;

  if (!vtr_path_parse_number (step, _ ("frame"), vtr_trace_get_n_frames (trace), &number,
                              error))
    return FALSE;
  out->address.index = vtr_trace_get_frame_end (trace, number);
  out->is_attachment = TRUE;
  return TRUE;
}

/* @steps: what comes before the question mark. */
static gboolean
parse_steps (VtrReplaySession  *session,
             const char        *path,
             char             **steps,
             const char        *options,
             VtrPicture        *out,
             GError           **error)
{
  guint n = g_strv_length (steps);

  if (n == 2 && g_str_equal (steps[0], "frames"))
    return parse_frame (session, steps[1], out, error) &&
           parse_options (session, options, out, NULL, error);
  if (n == 3 && g_str_equal (steps[0], "objects") && g_str_equal (steps[2], "texture"))
    {
      if (!parse_object (session, steps[1], out, error) ||
          !parse_options (session, options, out, &out->address, error))
        return FALSE;
      set_default_time (session, out);
      return TRUE;
    }
  if (n == 4 && vtr_path_is_commands (steps[0]) && g_str_equal (steps[2], "images"))
    return vtr_path_parse_command_steps (vtr_replay_session_get_basis (session)->timeline,
                                         steps, &out->address, error) &&
           parse_object (session, steps[3], out, error) &&
           parse_options (session, options, out, NULL, error);
  if (n >= 2 && n <= 4 && vtr_path_is_commands (steps[0]) &&
      (n == 2 || g_str_equal (steps[2], "framebuffer")))
    {
      out->is_attachment = TRUE;
      return vtr_path_parse_command_steps (vtr_replay_session_get_basis (session)->timeline,
                                           steps, &out->address, error) &&
             (n < 4 || vtr_attachment_kind_from_string (steps[3], &out->kind, error)) &&
             parse_options (session, options, out, NULL, error);
    }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("“%s” is not a valid image. Images are commands/N/framebuffer/color0, "
                  "commands/N/images/OBJECT?mip=0&layer=0, objects/OBJECT/texture?after=N and "
                  "frames/N."),
               path);
  return FALSE;
}

gboolean
vtr_picture_parse (VtrReplaySession  *session,
                   const char        *path,
                   VtrPicture        *out,
                   GError           **error)
{
  const char *mark = strchr (path, '?');
  g_autofree char *head = mark != NULL ? g_strndup (path, (gsize)(mark - path)) : g_strdup (path);
  g_auto (GStrv) steps = vtr_path_split (head);

  init (out);
  if (!parse_steps (session, path, steps, mark != NULL ? mark + 1 : NULL, out, error))
    return FALSE;
  normalize (session, out);
  return TRUE;
}

VtrPicture
vtr_picture_of_attachment (VtrReplaySession  *session,
                           const VtrPlace    *address,
                           VtrAttachmentKind  kind)
{
  VtrPicture self;

  init (&self);
  self.is_attachment = TRUE;
  self.address = *address;
  self.kind = kind;
  normalize (session, &self);
  return self;
}

gboolean
vtr_picture_of_query (VtrReplaySession     *session,
                      const VtrImageQuery  *query,
                      VtrPicture           *out,
                      GError              **error)
{
  VtrTrace *trace = vtr_replay_session_get_basis (session)->trace;
  guint64 n = vtr_trace_get_n_commands (trace);

  init (out);
  if (query->index != VTR_COMMAND_NO_INDEX && query->index >= n)
    {
      g_autofree char *number = vtr_trace_format_number (trace, query->index);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("The trace has no command %s."), number);
      return FALSE;
    }
  if (!set_object (session, out, query->object, error))
    return FALSE;
  out->mip = query->mip;
  out->layer = query->layer;
  out->slice = query->slice;
  out->sample = query->sample;
  if (query->aspects != 0)
    out->aspect = (VtrPixelAspect)g_bit_nth_lsf (query->aspects, -1);
  out->edit = query->edit;
  out->address.index = query->index;
  out->address.run = query->run;
  set_default_time (session, out);
  normalize (session, out);
  return TRUE;
}

char *
vtr_picture_key (const VtrPicture *self)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT "@%x/%c%u?%u,%u,%u,%x,%x%s%s", self->address.index,
                          self->address.run, self->is_attachment ? 'a' : 'i',
                          self->is_attachment ? (guint)self->kind : self->object, self->mip,
                          self->layer, self->slice, self->sample, 1u << self->aspect,
                          self->edit != NULL ? "&" : "",
                          self->edit != NULL ? self->edit->key : "");
}
