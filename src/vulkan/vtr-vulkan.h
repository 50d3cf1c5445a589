/* The one way this project includes Vulkan: prototypes off, the window systems of Linux declared
 * without their headers, provisional extensions on. May be included beside the real xcb, Xlib and
 * Wayland headers: the declarations below repeat theirs exactly. */
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES 1
#endif

#include <stddef.h>
#include <stdint.h>

typedef struct xcb_connection_t xcb_connection_t;
typedef uint32_t xcb_window_t;
typedef uint32_t xcb_visualid_t;

typedef struct _XDisplay Display;
typedef unsigned long XID;
typedef unsigned long VisualID;
typedef XID Window;
typedef XID RROutput;

struct wl_display;
struct wl_surface;

#include <vulkan/vulkan_core.h>

#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
#include <vulkan/vulkan_xlib_xrandr.h>

#ifdef __has_include
#if __has_include(<vulkan/vulkan_beta.h>)
#include <vulkan/vulkan_beta.h>
#endif
#endif
