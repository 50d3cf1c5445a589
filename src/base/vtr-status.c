/* Names of the status codes, for log messages. */
#include "vtr-status.h"

const char *
vtr_status_to_string (VtrStatus status)
{
  switch (status)
    {
    case VTR_OK:
      return "no error";
    case VTR_NO_MEMORY:
      return "out of memory";
    case VTR_TRUNCATED:
      return "the data ends early";
    case VTR_CORRUPT:
      return "the data is damaged";
    case VTR_UNSUPPORTED:
      return "not supported by this version";
    case VTR_NO_SPACE:
      return "no space left";
    case VTR_IO:
      return "input or output failed";
    case VTR_CLOSED:
      return "the connection was closed";
    case VTR_TIMEOUT:
      return "no answer in time";
    }

  return "unknown error";
}
