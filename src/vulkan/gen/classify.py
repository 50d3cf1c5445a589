# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Classes, levels, commit order and lifetimes of commands, by the registry's own conventions.

Vulkan names its commands so regularly that almost everything follows from name and parameters.
What does not is listed in EXCEPTIONS, each entry with its reason.
"""

import re

from model import Lifetime

LEVELS = {'VkInstance': 'instance', 'VkPhysicalDevice': 'physical_device', 'VkDevice': 'device',
          'VkQueue': 'device', 'VkCommandBuffer': 'device'}

# Classes that only Vulkan has.
CLASSES = ('record', 'submit', 'bind', 'begin_pass', 'end_pass', 'next_subpass', 'acquire', 'pool_reset',
           'execute', 'barrier', 'dynamic', 'trace_rays', 'host_build', 'generated')

# class -> pattern of the whole name without the vendor's suffix
PATTERNS = (
    ('record', r'vkCmd.*'),
    ('draw', r'vkCmdDraw.*'),
    ('dispatch', r'vkCmdDispatch.*|vkCmdSubpassShading|vkCmdCuLaunchKernel'),
    ('generated', r'vkCmdExecuteGeneratedCommands'),
    ('trace_rays', r'vkCmdTraceRays.*'),
    ('clear', r'vkCmdClear.*'),
    ('transfer', r'vkCmd(Copy(Buffer|Image|Query|Memory(ToImage|Indirect)).*|Blit.*|Resolve.*|Fill.*'
                 r'|UpdateBuffer|DecompressMemory.*)'),
    ('build', r'vk(Cmd)?(Build|Copy|Write)(AccelerationStructure|Micromap|MemoryToAcc|MemoryToMic).*'
              r'|vk(Cmd)?Copy(MemoryTo|)(AccelerationStructure|Micromap).*'),
    ('bind', r'vkCmd(Bind|Push|SetDescriptorBufferOffsets).*'),
    ('begin_pass', r'vkCmdBeginRender(Pass|ing)2?'),
    ('end_pass', r'vkCmdEndRender(Pass|ing)2?'),
    ('next_subpass', r'vkCmdNextSubpass2?'),
    ('execute', r'vkCmdExecuteCommands'),
    ('run_list', r'vkCmdExecuteCommands'),
    ('begin_list', r'vkBeginCommandBuffer'),
    ('end_list', r'vkEndCommandBuffer'),
    ('barrier', r'vkCmd(PipelineBarrier|WaitEvents)2?'),
    ('dynamic', r'vkCmdSet(?!Event|Checkpoint|Performance|DeviceMask|DescriptorBufferOffsets).*'),
    ('begin_label', r'vk(Cmd|Queue)BeginDebugUtilsLabel|vkCmdDebugMarkerBegin'),
    ('end_label', r'vk(Cmd|Queue)EndDebugUtilsLabel|vkCmdDebugMarkerEnd'),
    ('submit', r'vkQueueSubmit2?|vkQueueBindSparse'),
    ('frame_end', r'vkQueuePresent'),
    ('acquire', r'vkAcquireNextImage2?'),
    ('map', r'vkMapMemory2?'),
    ('unmap', r'vkUnmapMemory2?'),
    ('pool_reset', r'vkReset(Command|Descriptor)Pool'),
    ('wait', r'vkWait.*|vk(Queue|Device)WaitIdle|vkGet(Fence|Event|Swapchain)Status'
             r'|vkGetSemaphoreCounterValue|vkGetQueryPoolResults|vkAcquireNextImage2?'
             r'|vkDeferredOperationJoin|vkGetDeferredOperationResult'),
    ('host_build', r'vk(Build|Copy|Write)(AccelerationStructure|Micromap|MemoryTo).*'),
)

# Signallers and destroyers: other threads may go on the moment the driver has acted, so their
# records commit before the call.
BEFORE = re.compile(
    r'vkDestroy.*|vkFree.*|vkReset(Command|Descriptor)Pool|vkQueueSubmit2?|vkQueueBindSparse'
    r'|vkQueuePresent|vkSignalSemaphore|vkSetEvent|vkReleaseSwapchainImages'
    r'|vkReleasePerformanceConfiguration')

CREATORS = re.compile(r'vk(Create|Allocate|Register|AcquirePerformanceConfiguration).*')
DESTROYERS = re.compile(r'vk(Destroy|Free|ReleasePerformanceConfiguration).*')
GETTERS = re.compile(r'vk(Get|Enumerate).*')

# Getters that are more than that: they hand out something the caller must give back.
SIDE_EFFECTS = re.compile(r'vkGet(Memory|Fence|Semaphore)(Fd|Win32Handle|ZirconHandle)'
                          r'|vkGetMemoryAndroidHardwareBuffer|vkGetMemoryRemoteAddress')

# ('-class' to remove or 'class' to add, commands, reason)
EXCEPTIONS = (
    ('-query', ('vkGetDeviceProcAddr', 'vkGetInstanceProcAddr'),
     'their result is a function of this process'),
    ('-build', ('vkCmdWriteAccelerationStructuresPropertiesKHR',
                'vkCmdWriteAccelerationStructuresPropertiesNV',
                'vkCmdWriteMicromapsPropertiesEXT',
                'vkWriteAccelerationStructuresPropertiesKHR', 'vkWriteMicromapsPropertiesEXT'),
     'they ask about structures and build nothing'),
    ('query', ('vkCopyImageToMemory', 'vkCopyImageToMemoryEXT'),
     'it only reads an image, into memory of the program'),
)

VENDORS = ('KHR', 'EXT', 'NV', 'NVX', 'AMD', 'AMDX', 'INTEL', 'GOOGLE', 'ANDROID', 'FUCHSIA', 'GGP',
           'HUAWEI', 'QCOM', 'QNX', 'VALVE', 'ARM', 'SEC', 'MVK', 'NN', 'IMG', 'LUNARG', 'MESA')


def stem(name):
    """The name without the suffix of a vendor."""
    for vendor in VENDORS:
        if name.endswith(vendor):
            return name[:-len(vendor)]
    return name


def classify(command):
    base = stem(command.name)
    first = command.params[0] if command.params else None
    command.level = 'global'
    if first is not None and first.pointers == 0:
        command.level = LEVELS.get(first.base, 'global')
    if first is not None and first.base == 'VkPhysicalDevice':
        command.level = 'physical_device'
    for name, pattern in PATTERNS:
        if re.fullmatch(pattern, base):
            command.classes.add(name)
    command.order = 'before' if BEFORE.fullmatch(base) else 'after'
    if command.order == 'before':
        command.classes.add('signal')
    if command.classes & {'bind', 'dynamic'}:
        command.classes.add('state')
    lifetimes(command, base)
    if (GETTERS.fullmatch(base) and not SIDE_EFFECTS.match(base)
            and not command.classes & {'wait', 'retrieve'}):
        command.classes.add('query')


def lifetimes(command, base):
    outputs = [p for p in command.params
               if p.kind == 'handle' and p.pointers == 1 and not p.const]
    if outputs:
        param = outputs[-1]
        command.creates = Lifetime(handle=param.base, param=param.name,
                                   count=param.lens[0] if param.lens else '',
                                   pool=pool_of(command, base))
        command.classes.add('create' if CREATORS.fullmatch(base) else 'retrieve')
    if DESTROYERS.fullmatch(base):
        param = [p for p in command.params if p.kind == 'handle'][-1]
        command.destroys = Lifetime(handle=param.base, param=param.name,
                                    count=param.lens[0] if param.lens else '',
                                    pool=pool_of(command, base))
        command.classes.add('destroy')


def pool_of(command, base):
    pools = {'vkAllocateCommandBuffers': 'pAllocateInfo->commandPool',
             'vkAllocateDescriptorSets': 'pAllocateInfo->descriptorPool',
             'vkFreeCommandBuffers': 'commandPool', 'vkFreeDescriptorSets': 'descriptorPool',
             'vkGetSwapchainImages': 'swapchain'}
    return pools.get(base, '')


def is_of_device(model, handle):
    """Whether a device, or something that a device made, made it."""
    while handle is not None and handle.parent:
        if handle.parent.split(',')[0] == 'VkDevice':
            return True
        handle = model.handles_by_name.get(handle.parent.split(',')[0])
    return False


def apply(model):
    model.classes = CLASSES
    for handle in model.handles:
        handle.names_in = 'device' if is_of_device(model, handle) else 'process'
    for command in model.commands:
        classify(command)
    for action, names, _reason in EXCEPTIONS:
        for name in names:
            command = model.commands_by_name.get(name)
            if command is None:
                continue
            if action.startswith('-'):
                command.classes.discard(action[1:])
            else:
                command.classes.add(action)
