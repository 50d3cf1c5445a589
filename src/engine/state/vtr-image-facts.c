/* Asks the API of an object for the properties of an image. */
#include "engine/state/vtr-image-facts.h"

#include "engine/api/vtr-show-api.h"

gboolean
vtr_image_facts_get (VtrHistory       *history,
                     const VtrObject  *object,
                     VtrImageFacts    *out,
                     GError          **error)
{
  const VtrShowApi *show = vtr_show_api_get (object->type);

  return show->get_image != NULL && show->get_image (history, object, out, error);
}

gboolean
vtr_image_is (const VtrObject *object)
{
  const VtrShowApi *show = vtr_show_api_get (object->type);

  return show->get_image != NULL && object->type == show->image_kind;
}

gboolean
vtr_image_view_find (VtrHistory *history, const VtrObject *object, VtrImageView *out)
{
  const VtrShowApi *show = vtr_show_api_get (object->type);
  VtrImageFacts facts;

  if (show->find_image != NULL && show->find_image (history, object, out))
    return TRUE;
  *out = (VtrImageView){ .image = object->id };
  return vtr_image_facts_get (history, object, &facts, NULL);
}
