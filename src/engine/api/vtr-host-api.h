/* What the host of a capture needs from an API: how its entry library gets into a program, and why
 * a program did not load it. Members H of docs/design/api.md (3.3). Any member may be NULL.
 * Threading: main. */
#pragma once

#include "engine/api/vtr-api.h"
#include "engine/api/vtr-capture-error.h"
#include "pixels/vtr-pixel-format.h"

G_BEGIN_DECLS

/* Whether programs that Vitrine does not start find the entry library. */
typedef enum
{
  VTR_HOST_ABSENT,
  VTR_HOST_OTHER, /* installed, but of another Vitrine, or its library is gone */
  VTR_HOST_INSTALLED,
} VtrHostInstallState;

struct _VtrHostApi
{
  /* Programs get the entry library only if VITRINE_CAPTURE_APIS asks for the API; otherwise whenever the variable does
   * not leave it out. */
  gboolean on_request;

  /* H1. Changes the environment of a program that is about to be launched, so that it loads the entry library. @environment:
   * (transfer full). Returns: (transfer full): NULL with a sentence in @error, of VTR_CAPTURE_ERROR. */
  char **(*prepare) (char   **environment,
                     GError **error);

  /* H2. A sentence for the user that says why @program has not loaded the entry library. @end: how the program ended, as
   * "ended with status 3"; NULL: it runs. Returns: (transfer full) (nullable): NULL if the API knows no reason. */
  char *(*explain) (const char *program,
                    const char *end);

  /* H3. The environment variables that affect the API, for the header of a trace. Returns: an array that ends with NULL. */
  const char *const *(*environment_names) (void);

  /* H4. Makes programs that Vitrine does not start load the entry library if they ask for it (@on), or no longer. Returns: FALSE
   * with a sentence in @error. Required with the two members below. Threading: any; all three block for a small file. */
  gboolean (*install) (gboolean on,
                       GError **error);
  VtrHostInstallState (*get_installed) (void);
  /* The file that is installed. (transfer full) */
  char *(*get_install_path) (void);

  /* H5. The pixel format of the picture of a recording's last frame. @format: the API's number (VtrRingPicture.format).
   * Threading: any. Returns: NULL if it is unknown. If the member is NULL, recordings have no picture. */
  const VtrPixelFormat *(*get_picture_format) (guint32 format);
};

G_END_DECLS
