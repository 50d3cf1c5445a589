/* The role of an image in the work that writes it: a colour attachment, the depth attachment, …,
 * and its name in paths. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The most attachments of one kind. */
#define VTR_MAX_ATTACHMENTS 32

typedef enum
{
  VTR_ATTACHMENT_COLOR0 = 0, /* + n for the n-th colour attachment */
  VTR_ATTACHMENT_DEPTH = 100,
  VTR_ATTACHMENT_STENCIL = 101,
  VTR_ATTACHMENT_DEPTH_RESOLVE = 102,
  VTR_ATTACHMENT_STENCIL_RESOLVE = 103,
  VTR_ATTACHMENT_SHADING_RATE = 104,
  VTR_ATTACHMENT_INPUT0 = 200,   /* + n for the n-th input attachment */
  VTR_ATTACHMENT_RESOLVE0 = 300, /* + n for the resolve attachment of the n-th colour attachment */
} VtrAttachmentKind;

/* "color0", "depth", "input2", "depth-resolve", …: the step of a path. (transfer full) */
char *vtr_attachment_kind_to_string (VtrAttachmentKind kind);

/* Errors: VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_attachment_kind_from_string (const char         *text,
                                          VtrAttachmentKind  *out,
                                          GError            **error);

G_END_DECLS
