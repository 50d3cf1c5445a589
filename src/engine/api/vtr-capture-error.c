/* Registers the error domain of captures. */
#include "engine/api/vtr-capture-error.h"

G_DEFINE_QUARK (vtr - capture - error - quark, vtr_capture_error)
