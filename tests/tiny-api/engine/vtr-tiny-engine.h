/* The tables of the tiny API for the engine. */
#pragma once

#include "engine/api/vtr-host-api.h"

extern const VtrHostApi vtr_tiny_host_api;
