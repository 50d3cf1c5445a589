/* The shaders that write single samples, compiled from shaders/. */
#pragma once

#include "write-color-float.h"
#include "write-color-sint.h"
#include "write-color-uint.h"
#include "write-depth.h"
#include "write-everywhere.h"
#include "write-stencil.h"
