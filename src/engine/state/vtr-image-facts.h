/* The properties of an image, in terms of no API. */
#pragma once

#include "engine/state/vtr-history.h"

G_BEGIN_DECLS

/* Aspects are sets of bits 1 << VtrPixelAspect. Strings are static, or interned; the API's own names. */
typedef struct _VtrImageFacts
{
  const VtrObject *object;
  guint dimensions; /* 1 to 3 */
  guint32 width, height, depth;
  guint32 mip_levels, array_layers, samples;
  guint32 aspects;          /* that can be looked at */
  const char *type;         /* "VK_IMAGE_TYPE_2D" */
  const char *format;       /* "VK_FORMAT_R8G8B8A8_SRGB" */
  const char *format_text;  /* of people: "R8G8B8A8_SRGB" */
  const char *tiling;       /* NULL: the API has no such thing */
  const char *const *usage; /* NULL: the API has no such thing */
  gboolean cube;            /* layers can be the faces of cubes */
  gboolean presented;       /* the window's */
  guint32 memory;           /* id of the object that its bytes lie in; 0: none that is known */
  guint64 memory_offset;
} VtrImageFacts;

/* An image, and the part of it that a view shows. */
typedef struct _VtrImageView
{
  guint32 image;   /* object id */
  guint32 aspects; /* 0: all of them */
  guint32 mip, layer;
} VtrImageView;

/* Whether @object is an image. Errors: those of decoding its creation; FALSE without an error: it
 * is no image. Threading: any. */
gboolean vtr_image_facts_get (VtrHistory       *history,
                              const VtrObject  *object,
                              VtrImageFacts    *out,
                              GError          **error);
/* Whether @object is an image, by its kind. Threading: any. */
gboolean vtr_image_is (const VtrObject *object);
/* The image that @object is, or is a view of. Returns: FALSE when it is neither. Threading: any. */
gboolean vtr_image_view_find (VtrHistory      *history,
                              const VtrObject *object,
                              VtrImageView    *out);

G_END_DECLS
