/* The D-Bus interface io.github.vitrine.Vitrine.Data: answers questions about a trace, by path.
 * data/io.github.vitrine.Vitrine.Data.xml describes it. */
#pragma once

#include <gio/gio.h>

#include "application/vtr-application.h"

G_BEGIN_DECLS

/**
 * VtrDataService:
 *
 * Calls are answered asynchronously and never block the main loop; calls of a client that has left
 * are cancelled. Files that no window shows are kept open for a minute.
 *
 * Threading: main.
 */
#define VTR_TYPE_DATA_SERVICE (vtr_data_service_get_type ())
G_DECLARE_FINAL_TYPE (VtrDataService, vtr_data_service, VTR, DATA_SERVICE, GObject)

/* @application is borrowed, and must outlive the service. */
VtrDataService *vtr_data_service_new (VtrApplication *application);
gboolean vtr_data_service_export (VtrDataService   *self,
                                  GDBusConnection  *connection,
                                  const char       *object_path,
                                  GError          **error);
void vtr_data_service_unexport (VtrDataService *self);

G_END_DECLS
