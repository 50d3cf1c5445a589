/* Result codes of the code that does without GLib. Threading: any. */
#pragma once

/**
 * VtrStatus:
 *
 * Every fallible S0 function returns one. Out-parameters come last and are untouched on failure.
 */
typedef enum
{
  VTR_OK = 0,
  VTR_NO_MEMORY,   /* an allocation failed */
  VTR_TRUNCATED,   /* the input ends before the value does */
  VTR_CORRUPT,     /* the input breaks its format */
  VTR_UNSUPPORTED, /* well formed, but of a version or kind this build does not know */
  VTR_NO_SPACE,    /* a fixed space (ring, file system, address range) is full */
  VTR_IO,          /* a system call failed; errno says why */
  VTR_CLOSED,      /* the other side went away */
  VTR_TIMEOUT,     /* the other side did not answer in time */
} VtrStatus;

#define VTR_MUST_CHECK __attribute__ ((warn_unused_result))

const char *vtr_status_to_string (VtrStatus status);
