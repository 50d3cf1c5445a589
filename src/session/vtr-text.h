/* Formats numbers and device names for people. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* "llvmpipe (LLVM 15.0.6, 256 bits)" → "llvmpipe". (transfer full) */
char *vtr_short_device_name (const char *device);
/* "1 138": digits in groups of three. (transfer full) */
char *vtr_format_number (guint64 number);

G_END_DECLS
