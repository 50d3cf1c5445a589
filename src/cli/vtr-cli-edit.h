/* Options of vitrine-cli that edit the replay before it makes an image. Threading: main. */
#pragma once

#include "engine/document/vtr-document.h"

#include "vtr-cli.h"

G_BEGIN_DECLS

/* --overlay, --disable, --replace-shader. */
#define VTR_CLI_EDIT_ENTRIES \
  { "overlay", 0, 0, G_OPTION_ARG_STRING, &vtr_cli_edit.overlay, \
    N_ ("Add an overlay: overdraw (draws per pixel in the pass so far), wireframe (lines of the " \
        "command), highlight (area of the command) or wireframe-all (all geometry as lines)"), \
    N_ ("NAME") }, \
    { "disable", 0, 0, G_OPTION_ARG_STRING_ARRAY, &vtr_cli_edit.disable, \
      N_ ("Disable these commands: ADDRESS,ADDRESS,…"), N_ ("LIST") }, \
  { \
    "replace-shader", 0, 0, G_OPTION_ARG_STRING_ARRAY, &vtr_cli_edit.shaders, \
      N_ ("Replace a shader module or PIPELINE.STAGE with SPIR-V, GLSL or assembly from a file"), \
      N_ ("OBJECT=FILE") \
  }

typedef struct
{
  char *overlay;
  char **disable;
  char **shaders;
} VtrCliEdit;

extern VtrCliEdit vtr_cli_edit;

/* The options as part of a path: "overlay=wireframe&disable=12", "" for none. Compiles shaders and
 * gives them to @document. (transfer full) */
char *vtr_cli_edit_format (VtrDocument  *document,
                           GError      **error);

/* @path with these options. (transfer full) */
char *vtr_cli_edit_append (const char *path,
                           const char *options);

G_END_DECLS
