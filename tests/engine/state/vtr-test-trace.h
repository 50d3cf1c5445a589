/* Traces written call by call for tests. */
#pragma once

#include "engine/document/vtr-document.h"

#include "api/vtr-api-args.h"

G_BEGIN_DECLS

/**
 * VtrTestTrace:
 *
 * Encodes calls as the layer would. Command buffers with handles from 0x2000 to 0x2fff are
 * secondaries. Failures abort.
 */
typedef struct _VtrTestTrace VtrTestTrace;

VtrTestTrace *vtr_test_trace_new (void);
void vtr_test_trace_free (VtrTestTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTestTrace, vtr_test_trace_free)

/* Returns: the flat index. @flags: VtrCommandStateFlags. */
guint64 vtr_test_trace_add (VtrTestTrace *self,
                            VtrCmdId      id,
                            const void   *args,
                            gint64        result,
                            guint32       flags);
/* The entries that an update template has, for encoding its data; kept by reference. */
void vtr_test_trace_set_template (VtrTestTrace                          *self,
                                  const VkDescriptorUpdateTemplateEntry *entries,
                                  guint32                                n);

/* Adds bytes that the program wrote to mapped memory before the next call. */
void vtr_test_trace_add_mapped_write (VtrTestTrace *self,
                                      guint64       memory,
                                      guint64       offset,
                                      const void   *data,
                                      gsize         size);

/* Like vtr_test_trace_add_mapped_write (), for another device than 3. */
void vtr_test_trace_add_mapped_write_of (VtrTestTrace *self,
                                         guint64       device,
                                         guint64       memory,
                                         guint64       offset,
                                         const void   *data,
                                         gsize         size);

/* Adds the description of device 3 (of physical device 2), as the layer does after
 * vkCreateDevice. */
void vtr_test_trace_describe_device (VtrTestTrace                           *self,
                                     const VkPhysicalDeviceProperties       *properties,
                                     const VkPhysicalDeviceMemoryProperties *memory,
                                     const VkQueueFamilyProperties          *families,
                                     guint                                   n_families);

/* From now on, about one byte in @one_in of every message is another one. 0: none. */
void vtr_test_trace_set_damage (VtrTestTrace *self,
                                guint32       one_in);

/* Closes the file and opens it; at most one of them, once. (transfer full) */
VtrTrace *vtr_test_trace_open (VtrTestTrace *self);
VtrDocument *vtr_test_trace_open_document (VtrTestTrace *self);
const char *vtr_test_trace_finish (VtrTestTrace *self); /* path of the finished file */

#define H(type, value) ((type)(gsize)(value))
#define ADD(trace, command, ...) \
  vtr_test_trace_add ((trace), VTR_CMD_##command, &(VtrArgs_##command){ __VA_ARGS__ }, 0, 0)
#define ADD_RESULT(trace, result, command, ...) \
  vtr_test_trace_add ((trace), VTR_CMD_##command, &(VtrArgs_##command){ __VA_ARGS__ }, (result), 0)
#define ADD_FLAGS(trace, flags, command, ...) \
  vtr_test_trace_add ((trace), VTR_CMD_##command, &(VtrArgs_##command){ __VA_ARGS__ }, 0, (flags))

/* Frequent calls. Handles are small numbers of the test's choice. */
/* instance 1, physical device 2, device 3, queue 4 */
void vtr_test_add_device (VtrTestTrace *self);
void vtr_test_add_pool (VtrTestTrace *self,
                        guint64       pool,
                        guint32       family);
void vtr_test_allocate_buffer (VtrTestTrace *self,
                               guint64       pool,
                               guint64       buffer);
guint64 vtr_test_begin (VtrTestTrace *self,
                        guint64       buffer);
guint64 vtr_test_end (VtrTestTrace *self,
                      guint64       buffer);
guint64 vtr_test_draw (VtrTestTrace *self,
                       guint64       buffer);
guint64 vtr_test_submit (VtrTestTrace *self,
                         guint64       buffer);
guint64 vtr_test_label (VtrTestTrace *self,
                        guint64       buffer,
                        const char   *text);
guint64 vtr_test_end_label (VtrTestTrace *self,
                            guint64       buffer);
guint64 vtr_test_add_memory (VtrTestTrace *self,
                             guint64       memory,
                             guint64       size);
guint64 vtr_test_add_buffer (VtrTestTrace       *self,
                             guint64             buffer,
                             guint64             size,
                             VkBufferUsageFlags  usage);
void vtr_test_bind_buffer (VtrTestTrace *self,
                           guint64       buffer,
                           guint64       memory,
                           guint64       offset);
void vtr_test_add_image (VtrTestTrace *self,
                         guint64       image,
                         guint64       view,
                         VkFormat      format,
                         guint32       width,
                         guint32       height);
/* One colour attachment of @format, and a D32 depth attachment if @depth; @n_subpasses alike. */
void vtr_test_add_render_pass (VtrTestTrace *self,
                               guint64       render_pass,
                               VkFormat      format,
                               gboolean      depth,
                               guint32       n_subpasses);
guint64 vtr_test_begin_pass (VtrTestTrace *self,
                             guint64       buffer,
                             guint64       render_pass,
                             guint64       framebuffer);
guint64 vtr_test_end_pass (VtrTestTrace *self,
                           guint64       buffer);
void vtr_test_present (VtrTestTrace *self);

G_END_DECLS
