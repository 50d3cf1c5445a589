/* Visits the files of drivers that lie outside of the system's folders: manifests, the libraries that they
 * name, and the folders of these. A library in the user's home or in a folder that everybody can write to
 * opens its file only.
 *
 * Threading: called while there is only one thread. */
#pragma once

#include "sandbox/vtr-sandbox.h"

/* The manifests, or folders of manifests, that the environment variable @variable lists. */
void vtr_driver_files_visit_named (const char      *variable,
                                   VtrSandboxAllow  allow,
                                   void            *data);

/* The manifests in the folder @kind ("vulkan/icd.d") below each folder of settings and data of the user and of
 * the system. */
void vtr_driver_files_visit_kind (const char      *kind,
                                  VtrSandboxAllow  allow,
                                  void            *data);

/* The folders in which the linker looks for libraries. */
void vtr_driver_files_visit_libraries (VtrSandboxAllow  allow,
                                       void            *data);
