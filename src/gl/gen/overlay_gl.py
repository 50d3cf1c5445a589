# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""What gl.xml, egl.xml and glx.xml do not say, one entry per fact, each with its reason.

    length(commands, params, expression, reason)   how many elements (bytes for void) lie behind the pointer
    sized(commands, params, expression, reason)    likewise; the decoder takes what was observed where the trace alone
                                                   does not tell
    offset(commands, params, target, reason)       with a buffer bound there it is no pointer, but an offset into it
    lasting(commands, params, target, reason)      likewise, and nothing is read before a later call
    address(commands, params, reason)              recorded as a number, never followed
    text(commands, params, reason)                 ends with NUL
    const(commands, params, reason)                the driver only reads there
    names(commands, params, enum, reason)          a number of 32 bits, or those behind a pointer, is an enumerant
    kind(commands, params, name, reason)           the number is a name of this kind, or (in parentheses) of the kind
                                                   with the number that an expression gives

Commands and parameters are regular expressions for whole names; of several entries of one sort the first holds. What
the registry's len says without COMPSIZE holds unless an entry says otherwise. The language of expressions is that of
expression.py; QUESTIONS are answered by src/gl/vtr-gl-rules.c.
"""

import re

from model import Handle

# name -> number of operands
QUESTIONS = {
    'values': 1,             # of the parameter that an enumerant names
    'type_size': 1,          # bytes of a number of this type
    'pixels': 1,             # bytes of the call's pixels under unpack (0) or pack (1) state
    'texel': 0,              # bytes of one pixel of the call's format and type
    'pixel_row': 1,          # bytes of so many pixels in a row, under unpack state
    'bitmap': 0,             # bytes of the call's bits under unpack state
    'stipple': 1,            # bytes of 32 times 32 bits under unpack (0) or pack (1) state
    'bound': 1,              # whether a buffer is bound to this target
    'attributes': 1,         # of pairs up to and with this number
    'visual_attributes': 0,  # of glXChooseVisual, where truths stand alone
    'text': 1,               # characters: so many, or if negative up to and with NUL
    'text_within': 1,        # characters that the driver wrote, at most so many
    'element': 0,            # characters of the nth text, which the parameter length tells
    'transform_values': 1,   # of one NV_path_rendering transform
    'map_values': 1,         # of one control point
    'measured': 1,           # what only the state of objects tells: MEASURES
}

# Numbers of VtrGlMeasure (src/gl/vtr-gl-env.h).
MEASURES = {'LEVEL': 0, 'COMPRESSED_LEVEL': 1, 'UNIFORM': 2, 'TABLE': 3, 'MAP': 4, 'PIXEL_MAP': 5, 'BLOCK': 6, 'PROGRAM_TEXT': 7,
            'POINTS': 8}

ENTRIES = []

# command -> (kind of the name that is its result, reason)
RESULTS = {
    'glCreateProgramObjectARB': ('program', 'the registry gives no class'),
    'glCreateShaderObjectARB': ('shader', 'the registry gives no class'),
    'glGenFragmentShadersATI': ('fragment_shader', 'the registry gives no class'),
    'glGenVertexShadersEXT': ('vertex_shader', 'the registry gives no class'),
    'glGenPathsNV': ('path', 'the registry gives no class'),
}


def entry(action):
    def add(commands, params, *arguments):
        ENTRIES.append((action, re.compile(commands), re.compile(params), arguments))
    return add


length = entry('length')
sized = entry('sized')
offset = entry('offset')
lasting = entry('lasting')
address = entry('address')
text = entry('text')
const = entry('const')
kind = entry('kind')
names = entry('names')


def measured(name):
    return f'measured({MEASURES[name]})'


# --- Names of objects that the registry gives no class --------------------------------------------

kind(r'gl(Delete|Gen)Fences(NV|APPLE)|gl(Finish|Is|Set|Test)Fence(NV|APPLE)|glGetFenceivNV', 'fences?', 'fence',
     'names of fences have no class')
kind(r'gl(Bind|Delete|Gen|Is)Programs?(ARB|NV)|gl(Execute|Load|Request|Are)Program.*NV|glTrackMatrixNV|glGetProgram(iv|String|NamedParameter[df]v)NV'
     r'|glNamedProgram(String|LocalParameter).*EXT|glGetNamedProgram(String|LocalParameter|iv).*EXT|glProgramNamedParameter.*NV',
     'programs?|id', 'arb_program', 'programs of assembly have names of their own, although the class is program')
kind(r'gl(Bind|Delete|Gen)FragmentShaders?ATI', 'id', 'fragment_shader', 'the registry gives no class')
kind(r'gl(Bind|Delete|Gen)VertexShaders?EXT', 'id', 'vertex_shader', 'the registry gives no class')
kind(r'gl.*MemoryObjects?.*EXT|gl(Tex|Texture|Buffer|NamedBuffer)(Storage|StorageMem).*EXT|glImportMemory.*|glBufferAttachMemoryNV'
     r'|glNamedBufferAttachMemoryNV|glTex(ture)?AttachMemoryNV|gl.*MemoryObject.*NV|glBufferPageCommitmentMemNV|gl.*PageCommitmentMem.*',
     'memory|memoryObjects?', 'memory_object', 'the registry gives no class')
kind(r'gl.*Semaphore.*(EXT|NV)', 'semaphores?', 'semaphore', 'the registry gives no class')
kind(r'gl.*Semaphore.*EXT', 'buffers', 'buffer', 'the registry gives no class')
kind(r'gl.*Semaphore.*EXT', 'textures', 'texture', 'the registry gives no class')
kind(r'gl.*Path.*NV', 'path|resultPath|srcPath|pathA|pathB|basePath|firstPathName|fontName(?!.)', 'path', 'the registry gives no class')
kind(r'gl(Create|Delete|Is)States?NV|glStateCaptureNV|glDrawCommandsStates.*NV', 'states?', 'state', 'the registry gives no class')
kind(r'gl.*CommandLists?(Segments)?.*NV|glListDrawCommands.*NV|glCompileCommandListNV|glCallCommandListNV', 'lists?', 'command_list',
     'the registry gives no class')
kind(r'glDrawCommandsStates.*NV', 'fbos', 'framebuffer', 'the registry gives no class')
kind(r'gl(Begin|Delete|End|Gen|Select)?PerfMonitor.*AMD|glGetPerfMonitorCounterDataAMD', 'monitors?', 'perf_monitor', 'the registry gives no class')
kind(r'gl.*OcclusionQuer.*NV', 'ids?', 'query', 'they are names of queries')
kind(r'glNewList|glCallList|glListBase|glIsList|glDeleteLists', 'list', 'display_list', 'only two commands have the class')
kind(r'gl(Are|Gen|Delete|Prioritize|Is)?Textures?(Resident)?(EXT)?|glBindTextures|glBindTextureUnit', 'textures?', 'texture', 'names of textures')
kind(r'gl.*ObjectBuffer.*ATI|gl.*ArrayObject.*ATI', 'buffer', 'buffer', 'an early name of buffers')
kind(r'gl(AttachObject|DetachObject|CompileShader|LinkProgram|UseProgramObject|ValidateProgram|ShaderSource)ARB', 'programObj|containerObj',
     'program', 'shaders and programs have one space of names')
kind(r'gl.*ARB', 'programObj|containerObj', 'program', 'shaders and programs have one space of names')
kind(r'gl.*ARB', 'shaderObj|attachedObj', 'shader', 'shaders and programs have one space of names')
kind(r'glObjectLabel(KHR)?|glGetObjectLabel(KHR)?', 'name', '(identifier)', 'the identifier says of which kind the name is')

# --- Enumerants that the registry has as numbers -----------------------------------------------------

names(r'egl.*', 'attrib_list|attribute', 'EGLAttribute', 'the registry says EGLint')
names(r'egl(QueryString|QueryDeviceString|Query.*String.*)', 'name', 'EGLAttribute', 'the registry says EGLint')

# command -> (enumeration of its result, reason)
RESULT_NAMES = {
    'eglGetError': ('EGLAttribute', 'the registry says EGLint'),
    'eglClientWaitSync': ('EGLAttribute', 'the registry says EGLint'),
    'eglClientWaitSyncKHR': ('EGLAttribute', 'the registry says EGLint'),
    'eglClientWaitSyncNV': ('EGLAttribute', 'the registry says EGLint'),
}

# --- Text --------------------------------------------------------------------------------------

text(r'gl(Bind(Attrib|FragData)Location.*|Get(Attrib|Uniform|FragData|SubroutineUniform|Varying|ProgramResource)Location.*|GetFragDataIndex.*'
     r'|GetProgramResourceIndex|GetUniformBlockIndex|GetSubroutineIndex|ActiveVaryingNV|GetVkProcAddrNV|GetUniformOffset.*)',
     'name|uniformBlockName', 'a name ends with NUL')
text(r'glCreateShaderProgramEXT', 'string', 'it has no length')
text(r'glSpecializeShader(ARB)?', 'pEntryPoint', 'a name ends with NUL')
text(r'glGetPerfQueryIdByNameINTEL', 'queryName', 'a name ends with NUL')
const(r'glGetPerfQueryIdByNameINTEL', 'queryName', 'the driver only reads it')
text(r'glQueryResourceTagNV', 'tagString', 'it has no length')
address(r'glImport(Memory|Semaphore)Win32NameEXT', 'name', 'a name of Windows')
text(r'eglGetProcAddress', 'procname', 'a name ends with NUL')
text(r'glXGetProcAddress(ARB)?', 'procName', 'a name ends with NUL')
sized(r'gl(DebugMessageInsert|ObjectLabel|ObjectPtrLabel|PushDebugGroup)(ARB|KHR)?', 'buf|label|message', 'text(length)',
      'with a negative length it ends with NUL')
sized(r'gl(InsertEventMarker|PushGroupMarker|LabelObject)EXT', 'marker|label', 'text(length - (length == 0))',
      'with a length of 0 it ends with NUL')
sized(r'gl(NamedString|DeleteNamedString|GetNamedString|GetNamedStringiv|IsNamedString)ARB', 'name', 'text(namelen)',
      'with a negative length it ends with NUL')
sized(r'glNamedStringARB', 'string', 'text(stringlen)', 'with a negative length it ends with NUL')
sized(r'glShaderSource(ARB)?', 'string', 'count', 'each text has a length, or ends with NUL')
sized(r'glCreateShaderProgramv(EXT)?|glTransformFeedbackVaryings(EXT)?|glGetUniformIndices', 'strings|varyings|uniformNames', '',
      'each text ends with NUL')
sized(r'glCompileShaderIncludeARB', 'path', 'count', 'each text has a length, or ends with NUL')

# What a driver wrote of a text: the rest of the memory is the program's, and means nothing.
sized(r'gl(Get(Active(Attrib|Uniform|Varying|UniformName|UniformBlockName|SubroutineName|SubroutineUniformName).*|TransformFeedbackVarying.*))',
      'name|uniformName|uniformBlockName', 'text_within(bufSize)', 'the driver wrote a text, at most that long')
sized(r'glGet(Program|Shader|ProgramPipeline)InfoLog(EXT)?|glGet(ShaderSource|TranslatedShaderSourceANGLE|ObjectLabel|ObjectLabelKHR|ObjectLabelEXT'
      r'|ObjectPtrLabel|ObjectPtrLabelKHR|ProgramResourceName|NamedStringARB|DebugMessageLogAMD)',
      'infoLog|source|label|name|string|message', 'text_within(bufSize)', 'the driver wrote a text, at most that long')
sized(r'glGet(InfoLog|ShaderSource)ARB|glGetActive(Attrib|Uniform)ARB', 'infoLog|source|name', 'text_within(maxLength)',
      'the driver wrote a text, at most that long')
sized(r'glGetPerfMonitor(CounterString|GroupString)AMD', 'counterString|groupString', 'text_within(bufSize)',
      'the driver wrote a text, at most that long')
sized(r'glGetDebugMessageLog(ARB|KHR)?', 'messageLog', 'bufSize', 'several texts, one after another')
sized(r'glGetPerfQueryInfoINTEL', 'queryName', 'text_within(queryNameLength)', 'the driver wrote a text, at most that long')
sized(r'glGetPerfCounterInfoINTEL', 'counterName', 'text_within(counterNameLength)', 'the driver wrote a text, at most that long')
sized(r'glGetPerfCounterInfoINTEL', 'counterDesc', 'text_within(counterDescLength)', 'the driver wrote a text, at most that long')
sized(r'glGetDriverControlStringQCOM', 'driverControlString', 'text_within(bufSize)', 'the driver wrote a text, at most that long')
address(r'glExtGetProgramBinarySourceQCOM', 'source', 'as long as an earlier call told the program')

# --- Attribute lists ---------------------------------------------------------------------------

sized(r'egl.*', 'attrib_list', 'attributes(EGL_NONE)', 'pairs, up to EGL_NONE')
sized(r'gl(EGLImageTarget|TexStorageAttribs).*EXT', 'attrib_list', 'attributes(0)', 'pairs, up to GL_NONE')
sized(r'glXChooseVisual', 'attribList', 'visual_attributes()', 'truths stand alone, the others are pairs, up to None')
const(r'glXChooseVisual|glXChooseFBConfigSGIX|glXCreateGLXPbufferSGIX', 'attribList|attrib_list', 'it is only read')
address(r'glX.*HyperpipeAttrib.*|glXQueryHyperpipeBestAttribSGIX', 'attribList|returnAttribList', 'no driver has it any more')
sized(r'glX.*', 'attrib_?[lL]ist', 'attributes(0)', 'pairs, up to None')

# --- EGL ---------------------------------------------------------------------------------------

length(r'eglChooseConfig|eglGetConfigs', 'configs', 'config_size', 'as the specification says')
length(r'eglGetOutputLayersEXT', 'layers', 'max_layers', 'as the specification says')
length(r'eglGetOutputPortsEXT', 'ports', 'max_ports', 'as the specification says')
length(r'eglQueryDevicesEXT', 'devices', 'max_devices', 'as the specification says')
length(r'eglQueryDmaBufFormatsEXT', 'formats', 'max_formats', 'as the specification says')
length(r'eglQueryDmaBufModifiersEXT', 'modifiers|external_only', 'max_modifiers', 'as the specification says')
length(r'eglQuerySupportedCompressionRatesEXT', 'rates', 'rate_size', 'as the specification says')
length(r'egl(SwapBuffersWithDamage(EXT|KHR)|SetDamageRegionKHR)', 'rects', 'n_rects * 4', 'a rectangle is four numbers')
const(r'eglSetDamageRegionKHR', 'rects', 'it is only read')
length(r'eglSwapBuffersRegion2?NOK', 'rects', 'numRects * 4', 'a rectangle is four numbers')
length(r'eglGetCompositorTimingANDROID', 'names|values', 'numTimestamps', 'as the extension says')
length(r'eglGetFrameTimestampsANDROID', 'timestamps|values', 'numTimestamps', 'as the extension says')
length(r'egl(Query|Set)StreamMetadataNV', 'data', 'size', 'as the extension says')
length(r'eglStreamImageConsumerConnectNV', 'modifiers', 'num_modifiers', 'as the extension says')
length(r'eglQueryDeviceBinaryEXT', 'value', 'max_size', 'as the extension says')
length(r'eglCompositorSet(ContextList|WindowList)EXT', 'external_ref_ids|external_win_ids', 'num_entries', 'as the extension says')
length(r'eglCompositorSet(Context|Window)AttributesEXT', 'context_attributes|window_attributes', 'num_entries', 'as the extension says')
address(r'eglExportDMABUFImage.*MESA', 'fds|strides|offsets|modifiers', 'as many as the image has planes, which another call tells')
address(r'eglGetPlatformDisplay(EXT)?|eglCreatePlatform(Window|Pixmap)Surface(EXT)?', 'native_.*', 'it belongs to the window system')
address(r'egl.*', 'native_.*|pixmap|display|buffer', 'it belongs to the window system')
length(r'egl.*', 'value|num_.*|major|minor|numerator|denominator|frameId|event|aux|pImage|fourcc|name|handle|stride|size|display_id|window', '1',
       'one value')

# --- GLX ---------------------------------------------------------------------------------------

address(r'glX.*', 'dpy|display|vis|visual|params|cfg|pointer', 'it belongs to the window system')
length(r'glXGetGPUIDsAMD', 'ids', 'maxCount', 'as the extension says')
length(r'glXGetGPUInfoAMD', 'data', 'size * 4', 'as the extension says')
length(r'glXGetVideoDeviceNV', 'pVideoDevice', 'numVideoDevices', 'as the extension says')
address(r'glX.*', 'hpId', 'no driver has it any more')
address(r'glXQuery(Current)?RendererIntegerMESA', 'value', 'as many as the attribute has, up to three')
length(r'glX.*', '.*', '1', 'one value')

# --- Pixels -------------------------------------------------------------------------------------

_UNPACK, _PACK = 'GL_PIXEL_UNPACK_BUFFER', 'GL_PIXEL_PACK_BUFFER'
sized(r'glClear(Named)?Buffer(Sub)?Data(EXT)?|glClearTex(Sub)?Image(EXT)?', 'data', 'texel()', 'one pixel of the format and type')
sized(r'gl(Convolution|Separable)Filter2D(EXT)?', 'row', 'pixel_row(width)', 'a row of pixels under unpack state')
sized(r'glSeparableFilter2D(EXT)?', 'column', 'pixel_row(height)', 'a row of pixels under unpack state')
sized(r'glColorSubTable(EXT)?', 'data', 'pixel_row(count)', 'a row of pixels under unpack state')
sized(r'gl(Multi)?Tex(ture)?(Sub)?Image[1234]D.*|glDrawPixels|glColorTable(EXT|SGI)?|glConvolutionFilter[12]D(EXT)?',
      'pixels|table|image', 'pixels(0)', 'pixels under unpack state')
sized(r'glReadPixels', 'pixels', 'pixels(1)', 'pixels under pack state')
sized(r'glReadnPixels.*', 'data', 'bufSize', 'the registry says so')
sized(r'glGetn?(TexImage|CompressedTexImage)(ARB)|glGetn(TexImage|CompressedTexImage)', 'img|pixels', 'bufSize', 'at most that much')
sized(r'glGet(Texture(Sub)?Image|CompressedTexture(Sub)?Image)', 'pixels', 'bufSize', 'at most that much')
sized(r'glGet(Multi)?TexImage(EXT)?|glGetTextureImageEXT', 'pixels', measured('LEVEL'), 'the size of the level tells')
sized(r'glGetCompressed(Multi)?Tex(ture)?Image(ARB|EXT)?', 'img', measured('COMPRESSED_LEVEL'), 'the size of the level tells')
sized(r'glGet(ColorTable|ConvolutionFilter|Histogram|Minmax|SeparableFilter)(EXT|SGI)?', 'table|data|image|values|row|column|span',
      measured('TABLE'), 'the size of the table tells')
sized(r'glGetn(ColorTable|ConvolutionFilter|Histogram|Minmax)(ARB)?', 'table|image|values', 'bufSize', 'at most that much')
sized(r'glBitmap(xOES)?', 'bitmap', 'bitmap()', 'bits under unpack state')
sized(r'glPolygonStipple', 'mask', 'stipple(0)', '32 times 32 bits under unpack state')
sized(r'glGetPolygonStipple', 'mask', 'stipple(1)', '32 times 32 bits under pack state')
offset(r'gl(Compressed)?(Multi)?Tex(ture)?(Sub)?Image[1234]D.*|glDrawPixels|glColor(Sub)?Table(EXT|SGI)?|gl(Convolution|Separable)Filter[12]D(EXT)?'
       r'|glBitmap(xOES)?|glPolygonStipple|glPixelMap(fv|uiv|usv)',
       'pixels|data|bits|table|image|row|column|bitmap|mask|values', _UNPACK, 'with a pixel unpack buffer it is an offset')
offset(r'glReadn?Pixels.*|glGetn?(Compressed)?(Multi)?Tex(ture)?(Sub)?Image.*|glGetn?(ColorTable|ConvolutionFilter|Histogram|Minmax|SeparableFilter).*'
       r'|glGetn?PolygonStipple.*|glGetn?PixelMap(fv|uiv|usv)',
       'pixels|img|data|table|image|values|row|column|span|mask', _PACK, 'with a pixel pack buffer it is an offset')

# --- Buffers ------------------------------------------------------------------------------------

const(r'glFlushVertexArrayRangeAPPLE', 'pointer', 'the driver reads it')
length(r'gl(Get)?NamedBuffer(Sub)?Data(EXT)?|glGetNamedBufferSubData', 'data', 'size', 'as for the bound buffer')
length(r'gl(LGPUNamedBufferSubDataNVX|MulticastBufferSubDataNV)', 'data', 'size', 'as for the bound buffer')
length(r'glCompressedTextureSubImage[123]D', 'data', 'imageSize', 'as for the bound texture')
length(r'glGetn?.*Pointer(i_|Indexed)?v(KHR|EXT|ARB|NV|QCOM|OES|APPLE)?|glGetBufferPointerv.*|glGetNamedBufferPointerv.*', 'params|pointer|param',
       '1', 'one pointer')

# --- Arrays of the program ----------------------------------------------------------------------

lasting(r'gl(Vertex|Normal|Color|SecondaryColor|TexCoord|MultiTexCoord|Index|EdgeFlag|FogCoord|FogCoordinate|Weight|MatrixIndex|PointSize|Tangent|Binormal'
        r'|VertexAttrib[IL]?|VertexWeight|Variant|ReplacementCode)Pointer.*(?<!IBM)(?<!INTEL)|glInterleavedArrays', 'pointer|addr', 'GL_ARRAY_BUFFER',
        'draws read there, or in the bound buffer')
lasting(r'glElementPointer(APPLE|ATI)', 'pointer', 'GL_ELEMENT_ARRAY_BUFFER', 'draws read there')
lasting(r'gl(VertexArrayRange|PixelDataRange|TextureRange).*', 'pointer', '', 'memory that the driver may read at any time')
lasting(r'glFeedbackBuffer(xOES)?|glSelectBuffer|glInstrumentsBufferSGIX', 'buffer', '', 'the driver writes there until glRenderMode')
const(r'glCullParameter[df]vEXT|glDeletePerfMonitorsAMD|glSelectPerfMonitorCountersAMD', 'params|monitors|counterList', 'the driver only reads there')
address(r'gl.*PointerListIBM|gl.*PointervINTEL', 'pointer', 'no driver of today has it')
offset(r'gl(Multi)?Draw(Range)?Elements(?!Indirect)(?!.*Indirect).*', 'indices', 'GL_ELEMENT_ARRAY_BUFFER',
       'with an element buffer it is an offset')
length(r'glDraw(Range)?Elements(?!Indirect)(?!.*Indirect).*', 'indices', 'count * type_size(type)', 'indices of this type')
address(r'gl(MultiDrawElements|MultiModeDrawElementsIBM).*', 'indices',
        'each is an offset or a pointer: the recorder reads what they point to as it reads arrays')
offset(r'gl(Multi)?Draw(Arrays|Elements)Indirect(?!.*Bindless).*', 'indirect', 'GL_DRAW_INDIRECT_BUFFER', 'without a buffer it is memory')
length(r'glDrawArraysIndirect', 'indirect', '16', 'one command')
length(r'glDrawElementsIndirect', 'indirect', '20', 'one command')
length(r'glMultiDrawArraysIndirect(EXT)?', 'indirect', 'drawcount * (stride + 16 * (stride == 0))', 'commands at a distance')
length(r'glMultiDrawElementsIndirect(EXT)?', 'indirect', 'drawcount * (stride + 20 * (stride == 0))', 'commands at a distance')
length(r'glMultiDrawArraysIndirectAMD', 'indirect', 'primcount * (stride + 16 * (stride == 0))', 'commands at a distance')
length(r'glMultiDrawElementsIndirectAMD', 'indirect', 'primcount * (stride + 20 * (stride == 0))', 'commands at a distance')
length(r'glMultiDrawArraysIndirectCount(ARB)?', 'indirect', 'maxdrawcount * (stride + 16 * (stride == 0))', 'commands at a distance')
length(r'glMultiDrawElementsIndirectCount(ARB)?', 'indirect', 'maxdrawcount * (stride + 20 * (stride == 0))', 'commands at a distance')
address(r'glMultiDraw.*IndirectBindless.*NV', 'indirect', 'an offset into the bound buffer')
length(r'glMultiModeDraw(Arrays|Elements)IBM', 'mode', 'primcount', 'at a distance of modestride; only a distance of 4 is used')
length(r'glCallLists', 'lists', 'n * type_size(type)', 'names or offsets of this type')
address(r'glDrawCommands.*NV|glListDrawCommands.*NV', 'indirects|sizes|states|fbos', 'command lists are hidden from programs')

# --- Parameters ---------------------------------------------------------------------------------

length(r'glClear(Named(Frame)?)?[bB]uffer(fv|iv|uiv)', 'value', '1 + 3 * (buffer == GL_COLOR)', 'a colour has four components')
length(r'glDepthRangeArray.*', 'v', 'count * 2', 'two values each')
length(r'gl(Multicast)?(Scissor(Exclusive)?|Viewport)Array.*', 'v', 'count * 4', 'four values each')
length(r'glWindowRectanglesEXT', 'box', 'count * 4', 'a rectangle is four numbers')
length(r'glTransformFeedbackAttribsNV', 'attribs', 'count * 3', 'three numbers each')
sized(r'glGetUniform(d|f|i|ui|i64|ui64)v.*', 'params', measured('UNIFORM'), 'the type of the uniform tells')
sized(r'glGetActiveUniformBlockiv', 'params', measured('BLOCK'), 'the number of its uniforms, for one parameter')
length(r'glGetActiveUniformsiv', 'params', 'uniformCount', 'one value each')
length(r'glGetUniformIndices', 'uniformIndices', 'uniformCount', 'one index each')
sized(r'glGet(Named)?ProgramString.*', 'string|program', measured('PROGRAM_TEXT'), 'as long as the program is')
sized(r'glGet(Map(dv|fv|iv|xvOES)|MapControlPointsNV)', 'v|points', measured('MAP'), 'its order tells')
sized(r'glGetnMap.*', 'v', 'bufSize / 8', 'at most that much')
sized(r'glGetPixelMap(fv|uiv|usv)', 'values', measured('PIXEL_MAP'), 'its size tells')
sized(r'glGet(FogFunc|DetailTexFunc|SharpenTexFunc|TexFilterFunc)SGIS', 'points|weights', measured('POINTS'), 'as many as were set')
length(r'glMap1[df]', 'points', 'stride * (order - 1) + map_values(target)', 'points at a distance')
length(r'glMap2[df]', 'points', 'ustride * (uorder - 1) + vstride * (vorder - 1) + map_values(target)', 'points at a distance')
length(r'glMapVertexAttrib1[df]APPLE', 'points', 'stride * (order - 1) + size', 'points at a distance')
length(r'glMapVertexAttrib2[df]APPLE', 'points', 'ustride * (uorder - 1) + vstride * (vorder - 1) + size', 'points at a distance')
length(r'glDeformationMap3[df]SGIX', 'points',
       'ustride * (uorder - 1) + vstride * (vorder - 1) + wstride * (worder - 1) + map_values(target)', 'points at a distance')
address(r'glMapControlPointsNV', 'points', 'no driver of today has evaluators of NVIDIA')
address(r'glReplacementCodeu[bis]vSUN', 'code', 'no driver has it any more')
address(r'gl(Get)?(Variant|Invariant|LocalConstant).*EXT|glSet(Invariant|LocalConstant)EXT', 'data|addr',
        'as many values as the symbol of a vertex shader of 2001 has')
address(r'glDebugMessageCallback.*', 'userParam', 'it is the program\'s own')
address(r'gl(Get)?ObjectPtrLabel(KHR)?', 'ptr', 'it is the name of a sync object')
address(r'glVDPAU(Init|Register.*)NV', 'vdp.*|getProcAddress', 'objects of VDPAU')
address(r'glImport(Memory|Semaphore)Win32HandleEXT', 'handle', 'an object of Windows')

# --- NV_path_rendering --------------------------------------------------------------------------

length(r'glPath(Sub)?(Commands|Coords)NV', 'coords', 'numCoords * type_size(coordType)', 'numbers of this type')
length(r'gl.*Path.*NV', 'paths', 'numPaths * type_size(pathNameType)', 'names of this type; text is not followed')
length(r'glTransformPathNV', 'transformValues', 'transform_values(transformType)', 'one transform')
length(r'gl.*Path.*NV', 'transformValues', 'numPaths * transform_values(transformType)', 'one transform each')
length(r'glPathGlyphsNV', 'charcodes', 'numGlyphs * type_size(type)', 'numbers of this type')
address(r'glPath(Memory)?Glyph.*NV', 'fontName|fontData', 'a name of a font, a file or a file in memory: the target tells')
address(r'gl(GetPath(Commands|Coords|DashArray)NV|GetPathMetric(s|Range)NV|GetPathSpacingNV)', 'commands|coords|dashArray|metrics|returnedSpacing',
        'as many as the path has, which another call tells')
address(r'gl(Path(Color|Tex)GenNV|ProgramPathFragmentInputGenNV)', 'coeffs', 'as many as the mode of generation has')
length(r'glMatrix(Load|Mult)(Transpose)?3x[23]fNV', 'm', '9 - 3 * 1', 'six of nine: the last row is fixed')

# --- What the registry leaves out ----------------------------------------------------------------

length(r'gl(Signal|Wait)SemaphoreEXT', 'buffers', 'numBufferBarriers', 'the parameter before it')
length(r'gl(Signal|Wait)SemaphoreEXT', 'textures|dstLayouts|srcLayouts', 'numTextureBarriers', 'the parameter before it')
length(r'glCreateMemoryObjectsEXT', 'memoryObjects', 'n', 'the parameter before it')
length(r'glDebugMessageControlKHR', 'ids', 'count', 'as for the command without suffix')
length(r'gl(Multicast|Named)?FramebufferSampleLocationsfv.*', 'v', 'count * 2', 'two values each')
address(r'gl(Named)?FramebufferSamplePositionsfvAMD', 'values', 'as many as the framebuffer has samples')
length(r'glGet(Named)?FramebufferParameterfvAMD', 'values', 'size', 'the parameter before it')
length(r'glGetCoverageModulationTableNV', 'v', 'bufSize', 'the registry has the name of another extension')
length(r'glGetProgramResourcefvNV', 'props', 'propCount', 'the parameter before it')
length(r'glSpecializeShaderARB', 'pConstantIndex|pConstantValue', 'numSpecializationConstants', 'as for the command without suffix')
length(r'glGetnPixelMap(uiv|fv)', 'values', 'bufSize / 4', 'bufSize counts bytes')
length(r'glGetnPixelMapusv', 'values', 'bufSize / 2', 'bufSize counts bytes')
length(r'glGetPerfQueryDataINTEL', 'data', 'dataSize', 'the parameter before it')
length(r'glExtGetTexturesQCOM', 'textures', 'maxTextures', 'the parameter before it')
address(r'glGetPerfMonitorCounterInfoAMD', 'data', 'as large as the type of the counter')
address(r'glExtGetTexSubImageQCOM', 'texels', 'its size is that of a format of the driver')
length(r'glShadingRateSampleOrderCustomNV', 'locations', 'samples * 3', 'three numbers each')
sized(r'glGet(Boolean|Double|Float|Integer|Integer64|UnsignedByte)(i_v|Indexedv).*', 'data|params', 'values(target)', 'by the name of the parameter')
sized(r'glGetIntegerui64(i_)?vNV', 'result', 'values(value)', 'by the name of the parameter')
length(r'glGetProgramSubroutineParameteruivNV', 'param', '1', 'one value')
length(r'glGetVertexAttribLui64vARB', 'params', '4', 'a vector of four')
length(r'glVertexAttribL1ui64vARB', 'v', '1', 'one value')
length(r'glVideoCaptureNV', 'sequence_num|capture_time', '1', 'one value')
length(r'gl(Get|Create|Ext|VDPAUGet).*', 'length|num|queryId|queryHandle|nextQueryId|numTextures|bytesWritten|dataSize|noCounters|noInstances|capsMask'
       r'|counterOffset|counterDataSize|counterTypeEnum|counterDataTypeEnum|rawCounterMaxValue', '1', 'one value')
length(r'glGet(TransformFeedback(i64_v|i_v|iv)|VertexArray.*)', 'params?', '1', 'one value')


# --- Applying them ------------------------------------------------------------------------------

def registry_length(field, siblings):
    """What the registry says of a length, as an expression; '' when it says nothing that can be computed."""
    text_ = field.registry_len
    if re.fullmatch(r'\d+|[A-Za-z]\w*|\w+[*/]\d+', text_):
        return text_ if set(re.findall(r'[A-Za-z_]\w*', text_)) <= siblings else ''
    inside = re.fullmatch(r'COMPSIZE\((.*)\)', text_)
    if not text_ or inside:
        for name in ('pname', 'query'):
            if name in siblings and (not text_ or name in inside.group(1).split(',')):
                return f'values({name})'
    return ''


def apply_entry(field, action, arguments):
    field.ruled = True
    field.reason = arguments[-1]
    if action in ('length', 'sized'):
        field.lens = [arguments[0]]
        field.sized = action == 'sized'
        if field.pointers == 2 and field.kind != 'address':
            field.lens = [arguments[0] or outer_length(field), 'element()']
            for other in field.owner.params:
                other.len_source = other.len_source or other.name == 'length'   # which the rule reads
    elif action == 'text':
        field.lens = ['null-terminated']
        if field.kind == 'u8':
            field.kind = 'char'
    else:
        field.kind, field.pointers = 'address', 0


def outer_length(field):
    """Of an array of texts: the registry says how many."""
    siblings = {other.name for other in field.owner.params}
    return next(text_ for text_ in (field.registry_len, 'uniformCount', 'count') if text_ in siblings)


WITH_EXPRESSION = ('length', 'sized')


def fits(expression, siblings):
    """Whether a command has the parameters that an expression reads."""
    return set(re.findall(r'\b[a-z]\w*\b(?! ?\()', expression)) <= siblings


def find(entries, actions, field, siblings):
    """The first entry of these sorts about @field. Returns: (action, arguments), or None."""
    for action, _commands, params, arguments in entries:
        if (action in actions and params.fullmatch(field.name)
                and (action not in WITH_EXPRESSION or fits(arguments[0], siblings))):
            USED.add((action, _commands, params, arguments))
            return action, arguments
    return None


USED = set()   # for the test: an entry that is never used is wrong


def apply_pointer(entries, field, siblings):
    late = find(entries, ('lasting',), field, siblings)
    if late is not None:
        field.kind, field.pointers, field.ruled = 'address', 0, True
        field.reason = late[1][-1]
        return
    found = find(entries, ('length', 'sized', 'address', 'text'), field, siblings)
    if found is not None:
        apply_entry(field, *found)
    elif field.pointers == 1 and registry_length(field, siblings):
        field.lens = [registry_length(field, siblings)]
        field.sized = field.lens[0].startswith('values(')
    elif field.kind == 'char' and field.const and field.pointers == 1:
        field.lens = ['null-terminated']
    elif not field.static_len:
        field.kind, field.pointers, field.unchecked = 'address', 0, True


def apply_offset(entries, field, siblings):
    found = find(entries, ('offset', 'lasting'), field, siblings)
    if found is None or found[1][0] == '':
        field.lasting = found is not None
        return
    field.offset_or_pointer = True
    field.live = f'not bound({found[1][0]})'
    field.lasting = found[0] == 'lasting'


def apply_kind(model, entries, field, siblings):
    found = find(entries, ('kind',), field, siblings)
    if found is None or field.kind not in ('u32', 'handle'):
        return
    name = found[1][0]
    if name.startswith('('):
        field.kind, field.handle, field.objecttype = 'u32', '', name[1:-1]
        return
    field.kind, field.handle = 'handle', name
    if name not in model.handles_by_name:
        model.handles.append(Handle(name=name, dispatchable=False, parent='', object_type='', size=4))
        model.handles_by_name[name] = model.handles[-1]


def apply_names(entries, field, siblings):
    found = find(entries, ('names',), field, siblings)
    if found is not None and field.kind == 'i32':
        field.kind, field.names = 'enum', found[1][0]


def apply(model):
    model.questions = QUESTIONS
    for command in model.commands:
        siblings = {param.name for param in command.params}
        command.result_type = command.result_type or RESULTS.get(command.name, ('',))[0]
        if command.name in RESULT_NAMES:
            command.result_kind, command.result_type = 'enum', RESULT_NAMES[command.name][0]
        entries = [entry_ for entry_ in ENTRIES if entry_[1].fullmatch(command.name)]
        for param in command.params:
            if find(entries, ('const',), param, siblings):
                param.const = True
            if param.pointers:
                apply_pointer(entries, param, siblings)
            apply_offset(entries, param, siblings)
            apply_kind(model, entries, param, siblings)
            apply_names(entries, param, siblings)
    model.handles.sort(key=lambda handle: handle.name)
    model.number()
