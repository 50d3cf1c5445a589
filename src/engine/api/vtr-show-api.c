/* Finds the VtrShowApi of an API. */
#include "engine/api/vtr-show-api.h"

const VtrShowApi *
vtr_show_api_get (guint32 id)
{
  static const VtrShowApi nothing = { 0 };
  const VtrApi *api = vtr_api_get (id);

  return api != NULL && api->show != NULL ? api->show : &nothing;
}
