/* Starts and ends a RenderDoc capture through its in-application interface, in a program that
 * never presents. */
#pragma once

#include <stdbool.h>

/* Captures into files that begin with @path. Returns: whether RenderDoc is in this process. */
bool vtr_app_renderdoc_init (const char *path);

void vtr_app_renderdoc_begin (void);
/* Returns: whether a file was written. */
bool vtr_app_renderdoc_end (void);
