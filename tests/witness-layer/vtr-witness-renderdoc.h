/* Makes RenderDoc capture the frame that VITRINE_WITNESS_RENDERDOC names, if its layer is in the
 * process, too. */
#pragma once

/* Called at each present. VITRINE_WITNESS_RENDERDOC is "N:PATH": RenderDoc captures the frame after the Nth present into a file
 * that begins with PATH. Threading: any. */
void vtr_witness_renderdoc_present (void);
