# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Which commands need more than recording. Each entry has its reason."""

# Registries after 1.3.239 have these.
NEWER = ('vkMapMemory2', 'vkMapMemory2KHR', 'vkUnmapMemory2', 'vkUnmapMemory2KHR',
         'vkGetDeviceImageSubresourceLayout', 'vkGetDeviceImageSubresourceLayoutKHR')

# The layer handles them itself (vtr-layer.c, vtr-layer-instance.c): no trampoline.
OWN = {
    'vkGetInstanceProcAddr': 'hands out the trampolines',
    'vkGetDeviceProcAddr': 'hands out the trampolines',
    'vkCreateInstance': 'has no object to find the next layer by',
    'vkEnumerateInstanceExtensionProperties': 'never reaches an explicit layer',
    'vkEnumerateInstanceLayerProperties': 'never reaches an explicit layer',
    'vkEnumerateInstanceVersion': 'never reaches an explicit layer',
}

# A function vtr_layer_hook_<name without vk> (self, parameters…) takes the place of the driver's.
HOOKS = {
    'vkDestroyInstance': 'ends what the layer keeps for the instance',
    'vkDestroyDevice': 'ends what the layer keeps for the device',
    'vkEnumerateDeviceExtensionProperties': 'hides extensions that the layer cannot follow',
    'vkGetPhysicalDeviceImageFormatProperties': 'asked about the usage the image will have',
    'vkGetPhysicalDeviceImageFormatProperties2': 'asked about the usage the image will have',
    'vkGetPhysicalDeviceImageFormatProperties2KHR': 'asked about the usage the image will have',
    'vkGetPhysicalDeviceSparseImageFormatProperties': 'asked about the usage the image will have',
    'vkGetPhysicalDeviceSparseImageFormatProperties2': 'asked about the usage the image will have',
    'vkGetPhysicalDeviceSparseImageFormatProperties2KHR': 'asked about the usage the image will have',
    'vkGetPhysicalDeviceProperties': 'hides versions that the layer cannot follow',
    'vkGetPhysicalDeviceProperties2': 'hides versions that the layer cannot follow',
    'vkGetPhysicalDeviceProperties2KHR': 'hides versions that the layer cannot follow',
    'vkGetPhysicalDeviceFeatures2': 'hides protected memory',
    'vkGetPhysicalDeviceFeatures2KHR': 'hides protected memory',
    'vkGetPhysicalDeviceQueueFamilyProperties': 'hides protected memory',
    'vkGetPhysicalDeviceQueueFamilyProperties2': 'hides protected memory',
    'vkGetPhysicalDeviceQueueFamilyProperties2KHR': 'hides protected memory',
    'vkCreateImage': 'adds usages, so that replay and read-back can copy from it',
    'vkCreateBuffer': 'adds a usage, so that read-back can copy from it',
    'vkCreateSwapchainKHR': 'adds a usage, so that images can be read back',
    'vkCreateSharedSwapchainsKHR': 'adds a usage, so that images can be read back',
    'vkDestroySwapchainKHR': 'ends what the layer keeps for the swapchain',
    'vkQueuePresentKHR': 'copies the last image of a recording for its thumbnail',
    'vkGetDeviceImageMemoryRequirements': 'asked about the usage the image will have',
    'vkGetDeviceImageMemoryRequirementsKHR': 'asked about the usage the image will have',
    'vkGetDeviceImageSparseMemoryRequirements': 'asked about the usage the image will have',
    'vkGetDeviceImageSparseMemoryRequirementsKHR': 'asked about the usage the image will have',
    'vkGetDeviceBufferMemoryRequirements': 'asked about the usage the buffer will have',
    'vkGetDeviceBufferMemoryRequirementsKHR': 'asked about the usage the buffer will have',
    'vkAllocateMemory': 'begins to follow host-visible memory; address replay',
    'vkFreeMemory': 'stops following the memory before the driver frees it',
    'vkMapMemory': 'begins to follow the mapping',
    'vkBindImageMemory': 'pages of images only are not tracked',
    'vkBindImageMemory2': 'pages of images only are not tracked',
    'vkBindImageMemory2KHR': 'pages of images only are not tracked',
    'vkBindBufferMemory': 'pages of images only are not tracked',
    'vkBindBufferMemory2': 'pages of images only are not tracked',
    'vkBindBufferMemory2KHR': 'pages of images only are not tracked',
    'vkAllocateCommandBuffers': 'makes the state of the command buffers',
    'vkFreeCommandBuffers': 'ends the state of the command buffers',
    'vkDestroyCommandPool': 'ends the state of its command buffers',
    'vkCreateDescriptorUpdateTemplate': 'template data cannot be observed without its entries',
    'vkCreateDescriptorUpdateTemplateKHR': 'template data cannot be observed without its entries',
    'vkDestroyDescriptorUpdateTemplate': 'forgets the entries',
    'vkDestroyDescriptorUpdateTemplateKHR': 'forgets the entries',
    'vkCreateRenderPass': 'which pointers of a pipeline are ignored depends on its subpasses',
    'vkCreateRenderPass2': 'which pointers of a pipeline are ignored depends on its subpasses',
    'vkCreateRenderPass2KHR': 'which pointers of a pipeline are ignored depends on its subpasses',
    'vkDestroyRenderPass': 'forgets the subpasses',
    'vkGetDescriptorEXT': 'clears the bytes that the driver does not write',
    'vkCreateAccelerationStructureKHR': 'address replay',
    'vkCreateRayTracingPipelinesKHR': 'replay of group handles; nothing is deferred',
}

HOOKS.update({
    'vkMapMemory2': 'begins to follow the mapping',
    'vkMapMemory2KHR': 'begins to follow the mapping',
    'vkGetDeviceImageSubresourceLayout': 'asked about the usage the image will have',
    'vkGetDeviceImageSubresourceLayoutKHR': 'asked about the usage the image will have',
})

# Trampolines that are written by hand.
BY_HAND = {
    'vkCreateDevice': 'builds the chain; the loader puts structures of its own in front (vtr-layer-device.c)',
    'vkBeginCommandBuffer': 'begins the block with itself; one that failed is all of its block (…-command-buffer.c)',
    'vkEndCommandBuffer': 'publishes the block',
}

# What they change of the state that is followed where recordings can begin at any frame: noted by
# vtr_layer_note_<canonical name without vk> (self, &args).
NOTED = {
    'vkCmdPipelineBarrier': 'layouts',
    'vkCmdPipelineBarrier2': 'layouts',
    'vkCmdWaitEvents': 'layouts',
    'vkCmdWaitEvents2': 'layouts',
    'vkCmdBeginRenderPass': 'layouts at the end of the pass',
    'vkCmdBeginRenderPass2': 'layouts at the end of the pass',
    'vkCmdExecuteCommands': 'whatever the secondaries change',
    'vkCmdSetEvent': 'events that the host cannot ask',
    'vkCmdSetEvent2': 'events that the host cannot ask',
    'vkCmdResetEvent': 'events that the host cannot ask',
    'vkCmdResetEvent2': 'events that the host cannot ask',
    'vkCmdResetQueryPool': 'which queries may be used',
    'vkCmdBuildAccelerationStructuresKHR': 'which acceleration structures hold something',
    'vkCmdBuildAccelerationStructuresIndirectKHR': 'which acceleration structures hold something',
    'vkCmdCopyAccelerationStructureKHR': 'which acceleration structures hold something',
    'vkCmdCopyMemoryToAccelerationStructureKHR': 'which acceleration structures hold something',
}

# What comes first, whether or not calls are recorded.
FIRST = {
    'vkFlushMappedMemoryRanges':
        'vtr_layer_memory_flush (&self->memory, memoryRangeCount, pMemoryRanges);',
    'vkUnmapMemory': 'vtr_layer_memory_unmap (&self->memory, memory);',
    'vkUnmapMemory2': 'vtr_layer_memory_unmap (&self->memory, pMemoryUnmapInfo->memory);',
    'vkUnmapMemory2KHR': 'vtr_layer_memory_unmap (&self->memory, pMemoryUnmapInfo->memory);',
    'vkDestroyImage': 'vtr_layer_memory_image_gone (&self->memory, image); '
                      'vtr_layer_host_copy_destroyed (self, image);',
    'vkDestroyBuffer': 'vtr_layer_memory_buffer_gone (&self->memory, buffer);',
    'vkDestroyPipeline': 'vtr_layer_forget_library (self, pipeline);',
    'vkQueueBindSparse': 'vtr_layer_memory_sparse_bound (&self->memory, bindInfoCount, pBindInfo);',
    'vkFreeCommandBuffers': 'vtr_layer_abandon (commandBufferCount, pCommandBuffers);',
    'vkDestroyCommandPool': 'vtr_layer_abandon_pool (self, commandPool);',
    'vkResetCommandPool': 'vtr_layer_abandon_pool (self, commandPool);',
    'vkResetCommandBuffer': 'vtr_layer_batch_publish (&self->batch, VTR_RING_BLOCK_ABANDONED);',
}

# Tell the program that the device is done with something, so that it may write there again: what the
# device has written to compared pages is recorded before that.
WAITS = {
    'vkWaitForFences', 'vkGetFenceStatus', 'vkDeviceWaitIdle', 'vkQueueWaitIdle', 'vkWaitSemaphores',
    'vkWaitSemaphoresKHR', 'vkGetSemaphoreCounterValue', 'vkGetSemaphoreCounterValueKHR', 'vkGetEventStatus',
    'vkGetQueryPoolResults', 'vkWaitForPresentKHR',
}

# Write to memory that the program has mapped, where another thread may submit it before the call has
# returned: its record comes before that of the bytes.
HELD = {'vkGetDescriptorEXT'}

# Make earlier writes to mapped memory visible to the device: memory and their own record are one
# critical section.
SIGNALLER_CLASSES = {'submit', 'frame_end', 'host_build'}
SIGNALLERS = {'vkSetEvent', 'vkSignalSemaphore', 'vkSignalSemaphoreKHR'}
