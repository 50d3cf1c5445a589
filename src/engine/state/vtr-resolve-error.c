/* Registers the error domain of questions about a trace. */
#include "engine/state/vtr-resolve-error.h"

G_DEFINE_QUARK (vtr - resolve - error - quark, vtr_resolve_error)
