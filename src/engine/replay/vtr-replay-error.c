/* Registers the error domain of replays. */
#include "engine/replay/vtr-replay-backend.h"

G_DEFINE_QUARK (vtr - replay - error - quark, vtr_replay_error)
