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

  /* H1. Adds to @environment (transfer full), of a program that is about to be launched, what makes it load the entry
   * library. Returns: (transfer full): NULL with a sentence in @error, of VTR_CAPTURE_ERROR. */
  char **(*prepare) (char   **environment,
                     GError **error);

  /* H2. A sentence for the user: why @program has not loaded the entry library. @end: how the
   * program ended, "ended with status 3"; NULL: it runs. Returns: (transfer full): NULL: the API
   * knows no reason. */
  char *(*explain) (const char *program,
                    const char *end);

  /* H3. The variables that say how the API is set up, which traces are to tell. Returns: ended by NULL. */
  const char *const *(*environment_names) (void);

  /* H4. Makes programs that Vitrine does not start load the entry library where they ask for it, or no longer. FALSE with
   * a sentence. Required with the two below. Threading: any; all three block for a small file. */
  gboolean (*install) (gboolean on,
                       GError **error);
  VtrHostInstallState (*get_installed) (void);
  /* The file that is installed. (transfer full) */
  char *(*get_install_path) (void);

  /* H5. The format of the picture that the entry library gives of a recording's last frame (VtrRingPicture.format), a
   * number of the API's. Threading: any. Returns: NULL when it is not known. NULL: recordings have no picture. */
  const VtrPixelFormat *(*get_picture_format) (guint32 format);
};

G_END_DECLS
