/* Finds the API of an id. */
#include "engine/api/vtr-api.h"

guint
vtr_api_get_number (guint32 id)
{
  const guint32 page = id >> VTR_API_PAGE_BITS;
  const VtrApiModel *model = page < VTR_API_N_PAGES ? vtr_api_pages[page] : NULL;

  return model != NULL ? (guint)(model - vtr_api_models) : VTR_MAX_APIS;
}

const VtrApi *
vtr_api_get (guint32 id)
{
  const guint number = vtr_api_get_number (id);

  return number < VTR_MAX_APIS ? vtr_apis[number] : NULL;
}
