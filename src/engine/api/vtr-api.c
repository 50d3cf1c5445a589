/* Finds the API of an id. */
#include "engine/api/vtr-api.h"

const VtrApi *
vtr_api_get (guint32 id)
{
  const guint32 page = id >> VTR_API_PAGE_BITS;
  const VtrApiModel *model = page < VTR_API_N_PAGES ? vtr_api_pages[page] : NULL;

  return model != NULL ? vtr_apis[model - vtr_api_models] : NULL;
}
