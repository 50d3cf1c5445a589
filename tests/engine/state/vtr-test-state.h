/* Sequences written for the state oracle: a trace under construction, then what its states say. */
#pragma once

#include "vtr-test-trace.h"

#include "engine/state/vtr-api-state.h"
#include "engine/state/vtr-state-store.h"
#include "engine/vulkan/state/vtr-state-questions.h"

G_BEGIN_DECLS

#define DEVICE H (VkDevice, 3)
#define QUEUE H (VkQueue, 4)
#define POOL 0x10
#define CB 0x1000
#define CB2 0x1001
#define SECONDARY 0x2000
#define BUFFER H (VkCommandBuffer, CB)

/* Instance 1, physical device 2, device 3, queue 4 (family 0), command pool 0x10, primaries CB and
   CB2, secondary SECONDARY. */
typedef struct
{
  VtrTestTrace *test;
  VtrDocument *document; /* once opened */
} VtrTestState;

void vtr_test_state_set_up (VtrTestState  *self,
                            gconstpointer  data);
void vtr_test_state_tear_down (VtrTestState  *self,
                               gconstpointer  data);
/* Ends the trace. */
void vtr_test_state_open (VtrTestState *self);

/* Checks the value at @path ("layouts/0/layout") in the state of the object that @handle means at
   the command, in its @k-th run if it is a recorded one. @expected: JSON text. */
void vtr_test_state_expect (VtrTestState *self,
                            guint64       index,
                            guint         k,
                            guint32       type,
                            guint64       handle,
                            const char   *path,
                            const char   *expected);
/* Like vtr_test_state_expect (), for a path below "state". */
void vtr_test_state_expect_path (VtrTestState *self,
                                 guint64       index,
                                 guint         k,
                                 const char   *path,
                                 const char   *expected);
void vtr_test_state_expect_layout (VtrTestState          *self,
                                   guint64                index,
                                   guint                  k,
                                   guint64                image,
                                   VkImageAspectFlagBits  aspect,
                                   guint32                mip,
                                   guint32                layer,
                                   VkImageLayout          expected);
/* Checks all messages about command @index, one "check: text" a line; "" for none. Each line of
   @expected must be the beginning of one. */
void vtr_test_state_expect_message (VtrTestState *self,
                                    guint64       index,
                                    const char   *expected);
/* The object id that @handle has at @index; 0: none lives. */
guint32 vtr_test_state_id (VtrTestState *self,
                           guint64       index,
                           guint32       type,
                           guint64       handle);
/* Whether the member at @path refers to object @id; 0: is null. */
void vtr_test_state_expect_object (VtrTestState *self,
                                   guint64       index,
                                   guint         k,
                                   guint32       type,
                                   guint64       handle,
                                   const char   *path,
                                   guint32       id);

/* test_NAME () as "/FOLDER/NAME". */
#define ADD_STATE_TEST(folder, name) \
  g_test_add ("/" folder "/" #name, VtrTestState, NULL, vtr_test_state_set_up, test_##name, \
              vtr_test_state_tear_down)

#define EXPECT(self, index, type, handle, path, expected) \
  vtr_test_state_expect ((self), (index), 0, VTR_HANDLE_##type, (handle), (path), (expected))
#define EXPECT_RUN(self, index, k, type, handle, path, expected) \
  vtr_test_state_expect ((self), (index), (k), VTR_HANDLE_##type, (handle), (path), (expected))
#define EXPECT_COLOR(self, index, image, mip, layer, layout) \
  vtr_test_state_expect_layout ((self), (index), 0, (image), VK_IMAGE_ASPECT_COLOR_BIT, (mip), \
                                (layer), VK_IMAGE_LAYOUT_##layout)
#define EXPECT_OBJECT(self, index, type, handle, path, id) \
  vtr_test_state_expect_object ((self), (index), 0, VTR_HANDLE_##type, (handle), (path), (id))
#define EXPECT_COMMAND(self, index, type, handle, path, command) \
  do \
    { \
      g_autofree char *number_ = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64)(command)); \
      EXPECT (self, index, type, handle, path, number_); \
    } \
  while (0)

/* --- Frequent calls --- */

/* 4 mip levels, 2 layers, memory bound unless @memory is 0. */
void vtr_test_state_add_image (VtrTestState  *self,
                               guint64        image,
                               VkFormat       format,
                               VkImageLayout  initial,
                               guint64        memory);
void vtr_test_state_add_view (VtrTestState            *self,
                              guint64                  view,
                              guint64                  image,
                              VkFormat                 format,
                              VkImageSubresourceRange  range);
void vtr_test_state_add_memory (VtrTestState *self,
                                guint64       memory);
void vtr_test_state_add_buffer (VtrTestState *self,
                                guint64       buffer);
guint64 vtr_test_state_barrier (VtrTestState            *self,
                                guint64                  command_buffer,
                                guint64                  image,
                                VkImageSubresourceRange  range,
                                VkImageLayout            from,
                                VkImageLayout            to);
#define ALL_COLOR \
  ((VkImageSubresourceRange){ VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, \
                              VK_REMAINING_ARRAY_LAYERS })

G_END_DECLS
