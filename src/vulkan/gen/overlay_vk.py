# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""What vk.xml does not say about Vulkan, one entry per fact, each with its reason.

    live(owner, member, expression, reason)    the driver looks at the pointer or handle only then
    needed(owner, member, reason)              it always does, although the registry leaves its
                                               validity to the prose (noautovalidity)
    length(owner, member, expression, reason)  how many elements (bytes for void) it points to
    sized(owner, member, expression, reason)   likewise; the decoder takes what was observed there
    const(owner, member, reason)               the driver only reads there
    address(owner, member, reason)             recorded as a number, never followed
    returned(owner, reason)                    only the driver ever fills this struct
    tag(owner, member, reason)                 bytes for tools: no device gets to see them

Owners and members a registry does not have are skipped: other versions of it are welcome. The
language of expressions is that of expression.py.
"""

ENTRIES = []

# Owners that registries after 1.3.239 have.
NEWER = ('vkCmdPushDescriptorSetWithTemplate', 'VkExecutionGraphPipelineCreateInfoAMDX',
         'VkFrameBoundaryEXT',
         'VkLayerSettingEXT', 'VkMemoryToImageCopy', 'VkMemoryToImageCopyEXT',
         'VkRenderingAreaInfo', 'VkRenderingAttachmentLocationInfo',
         'VkRenderingInputAttachmentIndexInfo', 'VkCustomResolveCreateInfoEXT', 'VkShaderCreateInfoEXT',
         'VkTensorCreateInfoARM', 'VkConvertCooperativeVectorMatrixInfoNV', 'VkCudaLaunchInfoNV',
         'VkPipelineBinaryDataKHR', 'VkPushDescriptorSetWithTemplateInfo',
         'vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM')

# name -> number of operands (0 or 1)
QUESTIONS = {
    'dynamic': 1, 'stage': 1, 'subset': 1, 'rasterizes': 0, 'has_color': 0,
    'has_depth_stencil': 0, 'is_secondary': 0, 'template_size': 0, 'capture_data_size': 0,
    'is_push': 0, 'image_info_sampler': 0, 'image_info_view': 0,
    'dynamic_rendering': 0, 'links': 0, 'asks_sizes': 0, 'pipeline_flag': 1, 'host_copy_size': 0,
}

# Numbers that are macros of the headers, which members say nothing of; see Model.specials.
SPECIALS = (
    ('', 'VkDeviceSize', 0xffffffffffffffff, 'VK_WHOLE_SIZE'),
    ('attachment', 'uint32_t', 0xffffffff, 'VK_ATTACHMENT_UNUSED'),
    ('srcSubpass', 'uint32_t', 0xffffffff, 'VK_SUBPASS_EXTERNAL'),
    ('dstSubpass', 'uint32_t', 0xffffffff, 'VK_SUBPASS_EXTERNAL'),
    ('levelCount', 'uint32_t', 0xffffffff, 'VK_REMAINING_MIP_LEVELS'),
    ('layerCount', 'uint32_t', 0xffffffff, 'VK_REMAINING_ARRAY_LAYERS'),
    ('srcQueueFamilyIndex', 'uint32_t', 0xffffffff, 'VK_QUEUE_FAMILY_IGNORED'),
    ('dstQueueFamilyIndex', 'uint32_t', 0xffffffff, 'VK_QUEUE_FAMILY_IGNORED'),
    ('timeout', 'uint64_t', 0xffffffffffffffff, 'UINT64_MAX'),
    ('apiVersion', 'uint32_t', 0, ''),
)

# What a pointer gets that may be ignored, but not by a rule that can be computed: it is probed before
# it is followed, and so is everything behind it.
UNCERTAIN = 'uncertain()'


def entry(action):
    def add(owner, member, *arguments):
        ENTRIES.append((action, owner, member, arguments))
    return add


live = entry('live')
needed = entry('needed')
length = entry('length')
sized = entry('sized')
const = entry('const')
address = entry('address')
tag = entry('tag')


def returned(owner, reason):
    ENTRIES.append(('returned', owner, '', (reason,)))


# --- Ignored unless shared between queue families ----------------------------------------------

for _owner, _mode in (('VkBufferCreateInfo', 'sharingMode'), ('VkImageCreateInfo', 'sharingMode'),
                      ('VkSwapchainCreateInfoKHR', 'imageSharingMode'),
                      ('VkPhysicalDeviceImageDrmFormatModifierInfoEXT', 'sharingMode'),
                      ('VkTensorCreateInfoARM', 'sharingMode')):
    live(_owner, 'pQueueFamilyIndices', f'{_mode} == VK_SHARING_MODE_CONCURRENT',
         'ignored with VK_SHARING_MODE_EXCLUSIVE; programs leave garbage there')

# --- Descriptors -------------------------------------------------------------------------------

_SAMPLERS = 'VK_DESCRIPTOR_TYPE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER'
_IMAGES = (f'({_SAMPLERS}, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, '
           'VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM, '
           'VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM)')
_BUFFERS = ('(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, '
            'VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)')
_TEXELS = '(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER)'

live('VkWriteDescriptorSet', 'pImageInfo', f'descriptorType in {_IMAGES}',
     'only the array that the descriptor type calls for is read')
live('VkWriteDescriptorSet', 'pBufferInfo', f'descriptorType in {_BUFFERS}',
     'only the array that the descriptor type calls for is read')
live('VkWriteDescriptorSet', 'pTexelBufferView', f'descriptorType in {_TEXELS}',
     'only the array that the descriptor type calls for is read')
live('VkWriteDescriptorSet', 'dstSet', 'not is_push()',
     'push descriptors have no set; the member is ignored')
live('VkDescriptorImageInfo', 'sampler', 'image_info_sampler()',
     'ignored for descriptor types without a sampler')
live('VkDescriptorImageInfo', 'imageView', 'image_info_view()',
     'ignored for plain samplers')
live('VkDescriptorSetLayoutBinding', 'pImmutableSamplers', f'descriptorType in ({_SAMPLERS})',
     'ignored for types without a sampler')
live('VkDescriptorUpdateTemplateCreateInfo', 'descriptorSetLayout',
     'templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET',
     'ignored for push descriptor templates')
live('VkDescriptorUpdateTemplateCreateInfo', 'pipelineLayout',
     'templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR',
     'ignored for descriptor set templates')
for _command in ('vkUpdateDescriptorSetWithTemplate', 'vkUpdateDescriptorSetWithTemplateKHR',
                 'vkCmdPushDescriptorSetWithTemplateKHR', *NEWER):
    sized(_command, 'pData', 'template_size()', 'its shape is that of the update template')

sized('VkPushDescriptorSetWithTemplateInfo', 'pData', 'template_size()',
      'its shape is that of the update template')

# --- Copies by the host --------------------------------------------------------------------

for _owner in ('VkMemoryToImageCopy', 'VkMemoryToImageCopyEXT'):
    sized(_owner, 'pHostPointer', 'host_copy_size()',
          'its size follows from the format of the image, or the driver says it')

# --- Pipelines ---------------------------------------------------------------------------------

_PIPELINE = 'VkGraphicsPipelineCreateInfo'
_VERTEX_INPUT = 'subset(VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT)'
_PRE_RASTER = 'subset(VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT)'
_FRAGMENT = 'subset(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT)'
_OUTPUT = 'subset(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT)'
_TESSELLATION = ('(stage(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT)'
                 ' and stage(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT))')

live(_PIPELINE, 'pStages', f'{_PRE_RASTER} or {_FRAGMENT}',
     'a library without shader state has no stages')
live(_PIPELINE, 'pVertexInputState',
     f'{_VERTEX_INPUT} and not stage(VK_SHADER_STAGE_MESH_BIT_EXT)'
     ' and not dynamic(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT)',
     'ignored with mesh shaders, when dynamic, and in libraries without vertex input')
live(_PIPELINE, 'pInputAssemblyState',
     f'{_VERTEX_INPUT} and not stage(VK_SHADER_STAGE_MESH_BIT_EXT)',
     'ignored with mesh shaders and in libraries without vertex input')
live(_PIPELINE, 'pTessellationState', f'{_PRE_RASTER} and {_TESSELLATION}',
     'ignored without both tessellation stages')
live(_PIPELINE, 'pViewportState', f'{_PRE_RASTER} and rasterizes()',
     'ignored when rasterization is disabled')
live(_PIPELINE, 'pRasterizationState', _PRE_RASTER,
     'part of the pre-rasterization library')
live(_PIPELINE, 'pMultisampleState', f'({_FRAGMENT} or {_OUTPUT}) and rasterizes()',
     'ignored when rasterization is disabled')
live(_PIPELINE, 'pDepthStencilState', f'{_FRAGMENT} and rasterizes() and has_depth_stencil()',
     'ignored when rasterization is disabled or there is no depth or stencil attachment')
live(_PIPELINE, 'pColorBlendState', f'{_OUTPUT} and rasterizes() and has_color()',
     'ignored when rasterization is disabled or there is no colour attachment')
live(_PIPELINE, 'renderPass', f'{_PRE_RASTER} or {_FRAGMENT} or {_OUTPUT} or not {_VERTEX_INPUT}',
     'ignored in libraries of vertex input alone')
live(_PIPELINE, 'layout',
     f'{_PRE_RASTER} or {_FRAGMENT} or links() or not ({_VERTEX_INPUT} or {_OUTPUT})',
     'ignored in libraries of vertex input and fragment output, which have no shaders')
for _owner in (_PIPELINE, 'VkComputePipelineCreateInfo', 'VkRayTracingPipelineCreateInfoKHR',
               'VkRayTracingPipelineCreateInfoNV', 'VkExecutionGraphPipelineCreateInfoAMDX'):
    live(_owner, 'basePipelineHandle',
         'pipeline_flag(VK_PIPELINE_CREATE_DERIVATIVE_BIT) and basePipelineIndex == -1',
         'ignored unless the pipeline is a derivative of a handle')
live('VkGraphicsShaderGroupCreateInfoNV', 'pVertexInputState',
     'not stage(VK_SHADER_STAGE_MESH_BIT_EXT)', 'as in the pipeline')
live('VkGraphicsShaderGroupCreateInfoNV', 'pTessellationState', _TESSELLATION,
     'as in the pipeline')

# Formats of attachments mean nothing beside a render pass, which has its own, nor without the part of
# the pipeline that writes to attachments.
for _owner, _member in (('VkPipelineRenderingCreateInfo', 'pColorAttachmentFormats'),
                        ('VkAttachmentSampleCountInfoAMD', 'pColorAttachmentSamples'),
                        ('VkCustomResolveCreateInfoEXT', 'pColorAttachmentFormats'),
                        ('VkRenderingAttachmentLocationInfo', 'pColorAttachmentLocations')):
    live(_owner, _member, 'dynamic_rendering()',
         'ignored with a render pass and in libraries without fragment output')
for _owner, _member in (('VkCommandBufferInheritanceRenderingInfo', 'pColorAttachmentFormats'),
                        ('VkRenderingInputAttachmentIndexInfo', 'pColorAttachmentInputIndices'),
                        ('VkRenderingInputAttachmentIndexInfo', 'pDepthInputAttachmentIndex'),
                        ('VkRenderingInputAttachmentIndexInfo', 'pStencilInputAttachmentIndex')):
    live(_owner, _member, f'dynamic_rendering() or {UNCERTAIN}',
         'the prose ignores the structure, but its valid usage wants a valid pointer')

# State that is dynamic is not read from the pipeline.
for _owner, _member, _states in (
        ('VkPipelineViewportStateCreateInfo', 'pViewports',
         ('VIEWPORT', 'VIEWPORT_WITH_COUNT')),
        ('VkPipelineViewportStateCreateInfo', 'pScissors', ('SCISSOR', 'SCISSOR_WITH_COUNT')),
        ('VkPipelineMultisampleStateCreateInfo', 'pSampleMask',
         ('SAMPLE_MASK_EXT', 'RASTERIZATION_SAMPLES_EXT')),
        ('VkPipelineDiscardRectangleStateCreateInfoEXT', 'pDiscardRectangles',
         ('DISCARD_RECTANGLE_EXT',)),
        ('VkPipelineViewportWScalingStateCreateInfoNV', 'pViewportWScalings',
         ('VIEWPORT_W_SCALING_NV',)),
        ('VkPipelineViewportExclusiveScissorStateCreateInfoNV', 'pExclusiveScissors',
         ('EXCLUSIVE_SCISSOR_NV',)),
        ('VkPipelineViewportShadingRateImageStateCreateInfoNV', 'pShadingRatePalettes',
         ('VIEWPORT_SHADING_RATE_PALETTE_NV',))):
    live(_owner, _member,
         ' and '.join(f'not dynamic(VK_DYNAMIC_STATE_{state})' for state in _states),
         'ignored when the state is dynamic')
live('VkPipelineColorBlendStateCreateInfo', 'pAttachments',
     'not (dynamic(VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT)'
     ' and dynamic(VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT)'
     ' and dynamic(VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT))',
     'ignored when everything in it is dynamic')
for _owner, _member, _state in (
        ('VkPipelineColorWriteCreateInfoEXT', 'pColorWriteEnables', 'COLOR_WRITE_ENABLE_EXT'),
        ('VkPipelineViewportCoarseSampleOrderStateCreateInfoNV', 'pCustomSampleOrders',
         'VIEWPORT_COARSE_SAMPLE_ORDER_NV'),
        ('VkPipelineViewportSwizzleStateCreateInfoNV', 'pViewportSwizzles',
         'VIEWPORT_SWIZZLE_NV')):
    live(_owner, _member, f'not dynamic(VK_DYNAMIC_STATE_{_state}) or {UNCERTAIN}',
         'has no meaning when the state is dynamic, but its valid usage wants a valid pointer')
live('VkPipelineCoverageModulationStateCreateInfoNV', 'pCoverageModulationTable',
     'coverageModulationTableEnable'
     ' and not dynamic(VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_NV)',
     'ignored when the table is disabled or dynamic')
live('VkPipelineSampleLocationsStateCreateInfoEXT', 'sampleLocationsInfo',
     'sampleLocationsEnable and not dynamic(VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT)',
     'ignored when custom locations are disabled or dynamic')

# --- Passes and command buffers ----------------------------------------------------------------

live('VkCommandBufferBeginInfo', 'pInheritanceInfo', 'is_secondary()',
     'ignored for primary command buffers; only the object knows its level')
for _member in ('renderPass', 'framebuffer'):
    live('VkCommandBufferInheritanceInfo', _member,
         'parent.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT',
         'ignored unless the secondary continues a render pass')
live('VkFramebufferCreateInfo', 'pAttachments',
     'not (flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT)', 'imageless framebuffers ignore it')
live('VkRenderingAttachmentInfo', 'resolveImageView',
     'resolveMode != VK_RESOLVE_MODE_NONE and nonnull(imageView)', 'ignored without a resolve')
live('VkCommandBufferInheritanceViewportScissorInfoNV', 'pViewportDepths', 'viewportScissor2D',
     'ignored unless viewports are inherited')
length('VkCommandBufferInheritanceViewportScissorInfoNV', 'pViewportDepths', 'viewportDepthCount',
       'the registry gives no length; the specification says viewportDepthCount')

# --- Acceleration structures -------------------------------------------------------------------

_BUILD = 'VkAccelerationStructureBuildGeometryInfoKHR'
live(_BUILD, 'srcAccelerationStructure',
     'mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR and not asks_sizes()',
     'ignored unless a structure is updated')
live(_BUILD, 'dstAccelerationStructure', 'not asks_sizes()', 'ignored when only sizes are asked for')
live('VkMicromapBuildInfoEXT', 'dstMicromap', 'not asks_sizes()',
     'ignored when only sizes are asked for')

# --- Whether they are ignored cannot be computed -----------------------------------------------

live('VkDeviceCreateInfo', 'ppEnabledLayerNames', UNCERTAIN,
     'layers of devices are ignored, and later registries do not want the names to be valid')
live('VkImageCompressionControlEXT', 'pFixedRateFlags',
     f'flags & VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT or {UNCERTAIN}',
     'without explicit rates the prose does not say whether it is looked at')
live('VkRenderingAreaInfo', 'pColorAttachmentFormats', UNCERTAIN,
     'no valid usage says what it points to; drivers need not look')
live('VkShaderCreateInfoEXT', 'pSetLayouts', UNCERTAIN,
     'with descriptor heaps there are no layouts')


def video(model):
    """Parameter sets of video codecs point to parts that bits of their flags announce."""
    return [('live', struct.name, field.name,
             (UNCERTAIN, 'the codec says which flag announces it; no registry does'))
            for struct in model.structs if struct.video
            for field in struct.fields if field.pointers]


# --- Always looked at, though the registry does not say so ------------------------------------

needed('VkRenderPassBeginInfo', 'pClearValues', 'valid whenever its count is not 0')
needed('VkBindImageMemoryInfo', 'memory', 'valid, or null for images of swapchains')
needed('VkPhysicalDeviceSurfaceInfo2KHR', 'surface', 'valid, or null for surfaceless queries')
for _command, _member in (('vkFreeDescriptorSets', 'pDescriptorSets'),
                          ('vkFreeCommandBuffers', 'pCommandBuffers')):
    needed(_command, _member, 'valid; its elements may be null, and null handles are no pointers')
for _command, _member in (('vkCmdDrawMultiEXT', 'pVertexInfo'),
                          ('vkCmdDrawMultiIndexedEXT', 'pIndexInfo')):
    needed(_command, _member, 'valid whenever drawCount is not 0')
needed('vkCmdClearColorImage', 'pColor', 'always one value; only its layout depends on the image')
for _command in ('vkUpdateDescriptorSetWithTemplate', 'vkUpdateDescriptorSetWithTemplateKHR',
                 'vkCmdPushDescriptorSetWithTemplateKHR', *NEWER[:1]):
    needed(_command, 'pData', 'valid as far as the template reads, which is its length')
needed('vkCmdBindTransformFeedbackBuffersEXT', 'pSizes', 'valid, or null for whole buffers')
for _command in ('vkCmdBeginTransformFeedbackEXT', 'vkCmdEndTransformFeedbackEXT'):
    needed(_command, 'pCounterBuffers', 'valid, or null to begin anew')
needed('vkGetPipelinePropertiesEXT', 'pPipelineProperties', 'an output; the driver writes to it')
needed('vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM', 'pProperties',
       'an output; the driver writes to it')
needed('VkLayerSettingEXT', 'pValues', 'valid whenever its count is not 0')
for _member in ('pParams', 'pExtras'):
    needed('VkCudaLaunchInfoNV', _member, 'valid whenever its count is not 0')

# --- Lengths that only the prose gives ---------------------------------------------------------

for _member, _count in (('pAddressInfos', 'addressInfoCount'), ('pVendorInfos', 'vendorInfoCount'),
                        ('pVendorBinaryData', 'vendorBinarySize')):
    length('VkDeviceFaultInfoEXT', _member, f'args(vkGetDeviceFaultInfoEXT).pFaultCounts.{_count}',
           'the counts are in the other parameter of the call')
length('VkOpticalFlowSessionCreatePrivateDataInfoNV', 'pPrivateData', 'size',
       'the registry gives no length; the member beside it is the size')
for _command in ('vkCmdBuildAccelerationStructuresKHR', 'vkBuildAccelerationStructuresKHR'):
    length(_command, 'ppBuildRangeInfos', 'infoCount,pInfos[i].geometryCount',
           'each element has as many ranges as its build has geometries')
length('vkCmdBuildAccelerationStructuresIndirectKHR', 'ppMaxPrimitiveCounts',
       'infoCount,pInfos[i].geometryCount',
       'each element has as many counts as its build has geometries')
for _owner, _member, _count in (
        ('VkPhysicalDeviceGroupProperties', 'physicalDevices', 'physicalDeviceCount'),
        ('VkPhysicalDeviceMemoryProperties', 'memoryTypes', 'memoryTypeCount'),
        ('VkPhysicalDeviceMemoryProperties', 'memoryHeaps', 'memoryHeapCount'),
        ('VkQueueFamilyGlobalPriorityPropertiesKHR', 'priorities', 'priorityCount')):
    length(_owner, _member, _count, 'elements beyond the count are undefined')
for _kind in ('Buffer', 'Image', 'ImageView', 'Sampler', 'AccelerationStructure'):
    sized(f'vkGet{_kind}OpaqueCaptureDescriptorDataEXT', 'pData', 'capture_data_size()',
          'its size is a property of the device')
sized('VkOpaqueCaptureDescriptorDataCreateInfoEXT', 'opaqueCaptureDescriptorData',
      'capture_data_size()', 'its size is a property of the device')

# --- Wrong or missing const --------------------------------------------------------------------

const('VkVideoDecodeH265PictureInfoKHR', 'pStdPictureInfo',
      'an input that header version 239 declares without const')

const('VkImageCompressionControlEXT', 'pFixedRateFlags',
      'an input wherever the structure may be; the registry declares it without const')

const('VkConvertCooperativeVectorMatrixInfoNV', 'pDstSize',
      'the size of the destination; the driver writes it only if the host asks without a destination')

const('VkPipelineBinaryDataKHR', 'pData',
      'what binaries are made from; only vkGetPipelineBinaryDataKHR, which does not use it, gives data')

# --- Filled by the driver ----------------------------------------------------------------------

for _owner in ('VkPerformanceValueINTEL', 'VkPerformanceValueDataINTEL'):
    returned(_owner, 'the registry does not say so; the string in it is the driver\'s')

# --- For tools ---------------------------------------------------------------------------------

tag('VkFrameBoundaryEXT', 'pTag', 'what tools show of the frame')

# --- Never followed ----------------------------------------------------------------------------

address('VkImportMemoryHostPointerInfoEXT', 'pHostPointer',
        'the memory itself, tracked like mapped memory')
address('VkDebugReportCallbackCreateInfoEXT', 'pUserData', 'belongs to the application')


def find(model, owner, member):
    holder = model.commands_by_name.get(owner) or model.structs_by_name.get(owner)
    if holder is None:
        return None
    fields = holder.params if hasattr(holder, 'params') else holder.fields
    return next((field for field in fields if field.name == member), None)


def known_names(model, expression):
    """Drops enumerants that this registry does not have from 'in' lists."""
    import re
    words = re.findall(r'VK_[A-Z0-9_]+', expression)
    for word in words:
        try:
            model.enum_value(word)
        except KeyError:
            expression = re.sub(rf',?\s*\b{word}\b', '', expression)
    return expression


def apply_entry(model, field, action, arguments):
    if action == 'live':
        field.live, field.reason = known_names(model, arguments[0]), arguments[1]
        field.ruled = True
    elif action == 'needed':
        field.ruled, field.reason = True, field.reason or arguments[0]
    elif action in ('length', 'sized'):
        field.lens = [part.strip() for part in arguments[0].split(',')]
        field.sized = action == 'sized'
        field.reason = arguments[1]
    elif action == 'const':
        field.const, field.reason = True, arguments[0]
    elif action == 'tag':
        field.tag, field.reason = True, arguments[0]
    elif action == 'address':
        field.kind, field.pointers, field.reason = 'address', max(0, field.pointers - 1), arguments[0]


def apply(model, entries=None):
    model.questions = QUESTIONS
    if entries is None:
        entries = video(model) + ENTRIES
    for action, owner, member, arguments in entries:
        if action == 'returned':
            if owner in model.structs_by_name:
                model.structs_by_name[owner].returned_only = True
            continue
        field = find(model, owner, member)
        if field is not None:
            apply_entry(model, field, action, arguments)
    fields = [field for struct in model.structs for field in struct.fields]
    fields += [param for command in model.commands for param in command.params]
    for field in fields:
        settle(field)


def is_unruled(field):
    """Whether the registry says nothing of the validity of a pointer or handle, and nobody else has.
    Addresses are never followed; structures in a pNext chain are valid, or could not be skipped."""
    pointer = field.pointers > 0 or field.kind == 'handle'
    return pointer and field.unchecked and not field.ruled


def settle(field):
    """Rules that hold for every field."""
    field.device_address = field.base == 'VkDeviceAddress'
    field.hex = field.base in ('VkDeviceAddress', 'VkRemoteAddressNV')
    field.is_stype = field.name == 'sType' and field.base == 'VkStructureType'
    if field.base == 'VkAllocationCallbacks' and field.pointers:
        # Host allocation is the application's own business; a replay uses the driver's.
        field.kind, field.pointers, field.allocator = 'address', 0, True
    if field.kind == 'void' and field.pointers == 1 and not field.lens:
        # Without a length nobody but the application or the driver can follow it.
        field.kind, field.pointers = 'address', 0
    if is_unruled(field):
        # A registry newer than the entries above: nobody knows when it is ignored.
        field.live = UNCERTAIN
