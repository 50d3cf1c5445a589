/* The shaders that read single samples, compiled from shaders/. */
#pragma once

#include "read-color-float.h"
#include "read-color-sint.h"
#include "read-color-uint.h"
#include "read-depth.h"
#include "read-everywhere.h"
#include "read-stencil.h"
