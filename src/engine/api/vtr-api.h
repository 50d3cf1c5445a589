/* The interface between the engine and the APIs whose traces it reads, shows and replays (docs/design/api.md, 3).
 *
 * Each API of the build is one constant table of tables, by subject. The build makes the array of these tables,
 * so neutral code names no API. A table may be NULL, and so may each of its functions, unless its comment says
 * otherwise; the comment also says what happens then.
 *
 * Ownership: arguments are borrowed for the call. Threading: see each member; the tables are
 * constant. */
#pragma once

#include <glib.h>

#include "api/vtr-api-model.h"

G_BEGIN_DECLS

/* Each in its own header, vtr-SUBJECT-api.h. */
typedef struct _VtrHostApi VtrHostApi;     /* H: capturing a program, seen from outside of it */
typedef struct _VtrReadApi VtrReadApi;     /* D: messages of a trace that only the API can read */
typedef struct _VtrScopeApi VtrScopeApi;   /* P: how commands nest, and how places are written */
typedef struct _VtrStateApi VtrStateApi;   /* S1 to S6, S9 to S11: objects, state, bound state */
typedef struct _VtrMemoryApi VtrMemoryApi; /* S7, S8: what commands read and write; targets */
typedef struct _VtrBuildApi VtrBuildApi;   /* B: replays */
typedef struct _VtrShowApi VtrShowApi;     /* X: names, lists and findings for people */
typedef struct _VtrTrimApi VtrTrimApi;     /* X2: what a trace can do without */

typedef struct _VtrApi
{
  const char *name; /* of its model (VtrApiModel.name) */
  /* The catalogue of the API's own sentences and the folder that it is in, if that is not Vitrine's, which has those of all
   * APIs of a release. NULL: Vitrine's. */
  const char *text_domain;
  const char *text_folder;
  const VtrHostApi *host;
  const VtrReadApi *read;
  const VtrScopeApi *scopes;
  const VtrStateApi *state;
  const VtrMemoryApi *memory;
  const VtrBuildApi *build;
  const VtrShowApi *show;
  const VtrTrimApi *trim;
} VtrApi;

/* In the order of vtr_api_models; then NULL. Made by the build. */
extern const VtrApi *const vtr_apis[];

/* More than any build has. */
#define VTR_MAX_APIS VTR_API_N_PAGES

/* The position in vtr_apis of the API of a command, or of any other id; VTR_MAX_APIS: no API of this build has the id. O(1). */
static inline guint
vtr_api_get_number (guint32 id)
{
  const guint32 page = id >> VTR_API_PAGE_BITS;
  const VtrApiModel *model = page < VTR_API_N_PAGES ? vtr_api_pages[page] : NULL;

  return model != NULL ? (guint)(model - vtr_api_models) : VTR_MAX_APIS;
}

/* The API of a command, or of any other id. Returns: (nullable): NULL if no API of this build has the id. O(1). */
static inline const VtrApi *
vtr_api_get (guint32 id)
{
  const guint number = vtr_api_get_number (id);

  return number < VTR_MAX_APIS ? vtr_apis[number] : NULL;
}

G_END_DECLS
