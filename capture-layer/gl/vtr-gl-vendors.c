/* Stands between glvnd and the vendors of EGL: gives glvnd our function for each function that a
 * vendor has. */
#include "vtr-gl-layer.h"

#include "vtr-layer-calls.h"
#include "vtr-layer-transport.h"

#include "api/vtr-api-types.h"
#include "api/vtr-gl-functions.h"

#include <string.h>

VtrGlVendor vtr_gl_vendors[VTR_GL_MAX_VENDORS];

extern const VtrGlRow vtr_gl_rows_0[], vtr_gl_rows_1[], vtr_gl_rows_2[], vtr_gl_rows_3[];

static const VtrGlRow *const parts[] = { vtr_gl_rows_0, vtr_gl_rows_1, vtr_gl_rows_2,
                                         vtr_gl_rows_3 };

/* By VtrCmdId - VTR_GL_FIRST_ID. */
static const VtrGlRow *rows[VTR_GL_N_COMMANDS];

static void
fill_rows (void)
{
  if (rows[parts[0]->cmd - VTR_GL_FIRST_ID] != NULL)
    return;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    for (const VtrGlRow *row = parts[i]; row->cmd != VTR_CMD_NONE; row++)
      rows[row->cmd - VTR_GL_FIRST_ID] = row;
}

/* Commands are in the order of their names. */
static VtrCmdId
find_command (const char *name)
{
  uint32_t low = 0, high = VTR_GL_N_COMMANDS;

  while (low < high)
    {
      const uint32_t middle = (low + high) / 2;
      const VtrCmdId cmd = (VtrCmdId)(VTR_GL_FIRST_ID + middle);
      const int order = strcmp (name, vtr_api_string (vtr_cmd_get (cmd)->name));

      if (order == 0)
        return cmd;
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return VTR_CMD_NONE;
}

/* What glvnd is to call for a function of the vendor. One that the model does not know is called
 * past us: the program works, and the trace lacks its calls. */
static VtrGlProc
get_proc (unsigned    number,
          const char *name)
{
  VtrGlVendor *vendor = &vtr_gl_vendors[number];
  const VtrCmdId cmd = find_command (name);
  const VtrGlRow *row = cmd != VTR_CMD_NONE ? rows[cmd - VTR_GL_FIRST_ID] : NULL;
  VtrGlProc next = vendor->get_proc (name);

  if (next == NULL || row == NULL)
    return next;
  vendor->next[cmd - VTR_GL_FIRST_ID] = next;
  return row->functions[number] != NULL ? row->functions[number] : row->functions[0];
}

VtrGlProc
vtr_gl_get_next (unsigned vendor,
                 VtrCmdId cmd)
{
  VtrGlProc *next = &vtr_gl_vendors[vendor].next[cmd - VTR_GL_FIRST_ID];

  if (*next == NULL)
    *next = vtr_gl_vendors[vendor].get_proc (vtr_api_string (vtr_cmd_get (cmd)->name));
  return *next;
}

/* glvnd calls no other function of a vendor to get a display, so it is recorded as the call that
 * says everything. glvnd asks each vendor until one answers. */
static void *
get_display (unsigned        number,
             unsigned        platform,
             void           *native,
             const intptr_t *attributes)
{
  const VtrArgs_eglGetPlatformDisplay args = { .platform = platform,
                                               .native_display = native,
                                               .attrib_list = attributes };
  VtrLayerCall call;
  void *display = vtr_gl_vendors[number].get_display (platform, native, attributes);

  if (display == NULL)
    return NULL;
  vtr_gl_publish ();
  vtr_layer_call_enter (&call, &vtr_gl_process, VTR_CMD_eglGetPlatformDisplay, &args);
  vtr_layer_call_leave (&call, &args, (uint64_t)(uintptr_t)display);
  vtr_gl_display_got (number, display);
  return display;
}

/* glvnd says by the function that it calls which vendor is meant. */
#define VENDOR(number) \
  static VtrGlProc get_proc_##number (const char *name) \
  { \
    return get_proc (number, name); \
  } \
  static void *get_display_##number (unsigned platform, void *native, const intptr_t *attributes) \
  { \
    return get_display (number, platform, native, attributes); \
  }

VENDOR (0)
VENDOR (1)
VENDOR (2)
VENDOR (3)

bool
vtr_gl_wrap_egl (VtrGlFront *front)
{
  static const VtrGlGetProc get_procs[] = { get_proc_0, get_proc_1, get_proc_2, get_proc_3 };
  static const VtrGlGetDisplay get_displays[] = { get_display_0, get_display_1, get_display_2,
                                                  get_display_3 };
  VtrGlVendor *vendor;

  if (front->version != VTR_GL_FRONT_VERSION || front->vendor >= VTR_GL_MAX_VENDORS ||
      front->get_proc == NULL || front->get_display == NULL || !vtr_layer_transport_start ())
    return false;
  fill_rows ();
  if (vtr_gl_process.number == 0)
    vtr_namespace_tell (&vtr_gl_process, VTR_NAMES_IN_PROCESS, NULL, 0);
  vendor = &vtr_gl_vendors[front->vendor];
  vendor->get_proc = front->get_proc;
  vendor->get_display = front->get_display;
  front->get_proc = get_procs[front->vendor];
  front->get_display = get_displays[front->vendor];
  return true;
}
