/* Options of vitrine-cli that edit the replay before it makes an image. Threading: main. */
#pragma once

#include "engine/document/vtr-document.h"

#include "vtr-cli.h"

G_BEGIN_DECLS

/* --overlay, --disable, --replace-shader. */
#define VTR_CLI_EDIT_ENTRIES \
  { "overlay", 0, 0, G_OPTION_ARG_STRING, &vtr_cli_edit.overlay, \
    N_ ("overdraw: how often each pixel was drawn to in the pass up to there; wireframe, highlight: " \
        "the lines or the shape of the command; wireframe-all: everything is drawn as lines"), \
    N_ ("NAME") }, \
    { "disable", 0, 0, G_OPTION_ARG_STRING_ARRAY, &vtr_cli_edit.disable, \
      N_ ("Without these commands: ADDRESS,ADDRESS,…"), N_ ("LIST") }, \
  { \
    "replace-shader", 0, 0, G_OPTION_ARG_STRING_ARRAY, &vtr_cli_edit.shaders, \
      N_ ("With other code for a shader module or PIPELINE.STAGE: SPIR-V, GLSL or assembly"), \
      N_ ("OBJECT=FILE") \
  }

typedef struct
{
  char *overlay;
  char **disable;
  char **shaders;
} VtrCliEdit;

extern VtrCliEdit vtr_cli_edit;

/* The options as they stand in a path: "overlay=wireframe&disable=12", "" for none. Shaders are
 * compiled and given to @document. (transfer full) */
char *vtr_cli_edit_format (VtrDocument  *document,
                           GError      **error);

/* @path with them. (transfer full) */
char *vtr_cli_edit_append (const char *path,
                           const char *options);

G_END_DECLS
