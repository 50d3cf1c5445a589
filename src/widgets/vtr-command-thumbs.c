/* Loads the thumbnails of the rows of the Commands pane: the render target after each command. */
#include "vtr-config.h"

#include "engine/document/vtr-document-memory.h"
#include "engine/memory/vtr-targets.h"
#include "widgets/vtr-command-thumbs.h"

#include "widgets/vtr-thumb-loader.h"

/* The key of a thumbnail consists of the command and its run. */
#define COMMAND_BITS 40
#define COMMAND_MASK ((G_GUINT64_CONSTANT (1) << COMMAND_BITS) - 1)
#define MAX_RUN ((1 << (64 - COMMAND_BITS)) - 2)

struct _VtrCommandThumbs
{
  VtrThumbLoader *loader;
  VtrSession *session; /* not owned; set_session (NULL) is called before the session is freed */
};

static guint64
make_key (const VtrTreeNode *node)
{
  guint64 run = node->run == VTR_NO_RUN ? 0 : (guint64)node->run + 1;

  return run << COMMAND_BITS | node->command;
}

static gboolean
find_image (guint64 key, VtrImageQuery *query, gpointer data)
{
  VtrCommandThumbs *self = data;
  guint64 run = key >> COMMAND_BITS;
  g_autoptr (GArray) infos = NULL;
  const VtrTarget *info = NULL;

  query->index = key & COMMAND_MASK;
  query->run = run == 0 ? VTR_NO_RUN : (guint32)(run - 1);
  infos = vtr_targets_list (vtr_document_get_memory (vtr_session_get_document (self->session)),
                            &(VtrPlace){ query->index, query->run }, TRUE, NULL);
  /* The first colour attachment, else the depth attachment. */
  for (guint i = 0; infos != NULL && i < infos->len && info == NULL; i++)
    if (g_array_index (infos, VtrTarget, i).kind <= VTR_ATTACHMENT_DEPTH)
      info = &g_array_index (infos, VtrTarget, i);
  if (info == NULL)
    return FALSE;
  query->object = info->object;
  query->mip = info->part.level;
  query->layer = info->part.layer;
  query->aspects = 1u << info->part.aspect;
  return info->object != 0;
}

static gboolean
has_picture (const VtrTreeNode *node)
{
  if (node->command > COMMAND_MASK || (node->run != VTR_NO_RUN && node->run > MAX_RUN))
    return FALSE;
  switch (node->kind)
    {
    case VTR_NODE_FRAME:
    case VTR_NODE_PASS:
    case VTR_NODE_SUBPASS:
      return TRUE;
    case VTR_NODE_CMD:
    case VTR_NODE_COMMAND:
      return node->icon == VTR_COMMAND_KIND_DRAW || node->icon == VTR_COMMAND_KIND_CLEAR;
    case VTR_NODE_ROOT:
    case VTR_NODE_SCOPE:
    case VTR_NODE_SUBMIT:
    case VTR_NODE_LIST:
    case VTR_NODE_GROUP:
    default:
      return FALSE;
    }
}

static gboolean
is_in_selected_frame (VtrCommandThumbs *self, const VtrTreeNode *node)
{
  VtrTrace *trace = vtr_session_get_trace (self->session);
  const VtrRun *run =
    node->run == VTR_NO_RUN
      ? NULL
      : vtr_timeline_get_run (
          vtr_document_get_timeline (vtr_session_get_document (self->session)), node->run);

  return vtr_trace_get_frame_of (trace, run ? run->submit : node->command) ==
         vtr_session_get_frame (self->session);
}

void
vtr_command_thumbs_show (VtrCommandThumbs *self, VtrThumb *thumb, const VtrTreeNode *node)
{
  gboolean has = self->session != NULL && has_picture (node);

  gtk_widget_set_visible (GTK_WIDGET (thumb), has);
  if (has)
    vtr_thumb_loader_show (self->loader, thumb, make_key (node),
                           is_in_selected_frame (self, node));
  else
    vtr_thumb_loader_drop (self->loader, thumb);
}

void
vtr_command_thumbs_drop (VtrCommandThumbs *self, VtrThumb *thumb)
{
  vtr_thumb_loader_drop (self->loader, thumb);
}

void
vtr_command_thumbs_set_session (VtrCommandThumbs *self, VtrSession *session)
{
  self->session = session;
  vtr_thumb_loader_set_session (self->loader, session);
}

VtrCommandThumbs *
vtr_command_thumbs_new (void)
{
  VtrCommandThumbs *self = g_new0 (VtrCommandThumbs, 1);

  self->loader = vtr_thumb_loader_new (VTR_COMMAND_THUMB_WIDTH, VTR_COMMAND_THUMB_HEIGHT,
                                       find_image, self);
  return self;
}

void
vtr_command_thumbs_free (VtrCommandThumbs *self)
{
  vtr_command_thumbs_set_session (self, NULL);
  g_object_unref (self->loader);
  g_free (self);
}
