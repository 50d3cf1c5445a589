# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of names, classes, commit order and lifetimes of commands, by the registries' own conventions.

What follows from a name is a pattern; what does not is in a table, each entry with its reason.
"""

import re

from model import Lifetime

# Classes that only OpenGL has.
CLASSES = ('gl_bind', 'gl_upload', 'gl_read_back', 'gl_uniform', 'gl_immediate', 'gl_begin', 'gl_end', 'gl_matrix',
           'gl_vertex_array', 'gl_pixel_store', 'gl_link', 'gl_sync', 'gl_error', 'gl_create_context', 'gl_invalidate')

# kind -> (what its names are unique in, of what a name of 0 is an object, made by use, the name may end first).
# OpenGL ES 3.2, 5.1: buffers, textures, renderbuffers, samplers, programs and shaders are shared; the others are not.
KINDS = {
    'texture': ('group', 'context', True, True),
    'buffer': ('group', '', True, True),
    'renderbuffer': ('group', '', True, True),
    'sampler': ('group', '', True, True),
    'program': ('group', '', False, True),
    'shader': ('group', '', False, True),
    'display_list': ('group', '', True, False),
    'framebuffer': ('context', 'context', True, False),
    'vertex_array': ('context', 'context', True, False),
    'transform_feedback': ('context', 'context', True, False),
    'program_pipeline': ('context', '', True, False),
    'query': ('context', '', True, False),
    'fence': ('group', '', True, False),
    'arb_program': ('group', 'context', True, True),
    'fragment_shader': ('group', 'context', True, True),
    'vertex_shader': ('group', 'context', True, True),
    'memory_object': ('group', '', False, True),
    'semaphore': ('group', '', False, False),
    'path': ('group', '', True, False),
    'state': ('group', '', True, False),
    'command_list': ('group', '', True, False),
    'perf_monitor': ('context', '', False, False),
    'perf_query': ('context', '', False, False),
    'GLsync': ('group', '', False, True),
    'EGLDisplay': ('process', '', False, False),
    'EGLDeviceEXT': ('process', '', False, False),
    'EGLContext': ('display', '', False, True),
    'EGLSurface': ('display', '', False, True),
    'GLXContext': ('process', '', False, True),
    'GLXDrawable': ('process', '', False, False),
    'GLXFBConfig': ('process', '', False, False),
}
# Of EGL.
OTHERS = ('display', '', False, False)

# The numbers by which arguments tell a kind: those of glObjectLabel, or of our own where it knows none.
OBJECT_TYPES = {
    'texture': 0x1702, 'vertex_array': 0x8074, 'buffer': 0x82e0, 'shader': 0x82e1, 'program': 0x82e2, 'query': 0x82e3,
    'program_pipeline': 0x82e4, 'sampler': 0x82e6, 'display_list': 0x82e7, 'transform_feedback': 0x8e22,
    'framebuffer': 0x8d40, 'renderbuffer': 0x8d41,
}

# class -> pattern of the whole name without the suffix of a vendor
PATTERNS = (
    ('draw', r'gl(Multi(Mode)?)?Draw(Arrays|Elements|RangeElements|TransformFeedback|ElementArray|RangeElementArray).*|glDrawTex[fisx]v?'
             r'|glDrawMeshTasks.*|glMultiDrawMeshTasks.*|glDrawTexture|glDrawVkImage|glDrawCommands.*|glRect[dfisx]v?|glDrawPixels'
             r'|glBitmap.*|glEvalMesh[12]|glArrayElement|glDrawMeshArrays|glCallCommandList'
             r'|gl(Stencil(ThenCover)?|Cover)(Fill|Stroke)Path.*|glDrawInstanced.*|glPrimitiveSymbol'),
    ('dispatch', r'glDispatchCompute.*'),
    ('clear', r'glClear(|Accum.*|Buffer(fv|iv|uiv|fi)|Named(Framebuffer|Buffer).*|Tex(Sub)?Image|BufferSubData|BufferData|PixelLocalStorage.*)'),
    ('transfer', r'gl(Copy|Compressed)?(Multi)?Tex(ture)?(Sub)?Image[1-4]D.*|gl(Named)?Buffer(Sub)?Data|gl(Named)?BufferStorage.*'
                 r'|glBlit(Named)?Framebuffer.*|glCopy(Named)?(Buffer|Image)SubData|glNamedCopyBufferSubData|glReadPixels|glReadnPixels'
                 r'|glGenerate.*Mipmap|glCopyPixels|glGet(n|Compressed|Multi)*Tex(ture)?(Sub)?Image|glGet(Named)?BufferSubData'
                 r'|glCopy(Sub)?Texture.*|glAccum|glResolve.*|glCopyPath|glCopyColor.*|glCopyConvolution.*|glMulticast(Copy|Blit|Buffer).*'
                 r'|glLGPU(Copy|NamedBuffer).*|glAsyncCopy.*|gl(Upload|Wait).*Upload.*|glUpdateObjectBuffer|glNewObjectBuffer'),
    ('gl_upload', r'gl(Compressed)?(Multi)?Tex(ture)?(Sub)?Image[1-4]D.*|gl(Named)?Buffer(Sub)?Data|gl(Named)?BufferStorage'
                  r'|glDrawPixels|glBitmap|glColor(Sub)?Table|glConvolutionFilter[12]D|glSeparableFilter2D|glPolygonStipple'
                  r'|glClear(Named)?Buffer(Sub)?Data|glClearTex(Sub)?Image|glUpdateObjectBuffer|glNewObjectBuffer'),
    ('gl_read_back', r'glReadn?Pixels|glGet(n|Compressed|Multi)*Tex(ture)?(Sub)?Image|glGet(Named)?BufferSubData'
                     r'|glGetn?(ColorTable|ConvolutionFilter|SeparableFilter|Histogram|Minmax|PolygonStipple)'),
    ('gl_uniform', r'gl(Program)?Uniform(?!Block|Buffer).*|gl(Named)?Program(Env|Local)Parameter.*|glUniformSubroutines.*'),
    ('gl_immediate', r'gl(?!.*Pointer)(?!.*Format)(?!.*Array)(ReplacementCode.*|ArrayElement|Vertex(?!Array|Attrib|Binding|Pointer|Blend|Weight|Stream|Format|Attribs)|Vertex[234]|Normal3|Color[34]|SecondaryColor3'
                     r'|TexCoord[1-4]|MultiTexCoord[1-4]|FogCoord[dfhx]|Index[dfisux]|EdgeFlag|VertexAttribs?I?L?[1-4]|VertexAttribP|NormalP'
                     r'|ColorP|TexCoordP|VertexP|MultiTexCoordP|SecondaryColorP|EvalCoord[12]|EvalPoint[12]|Materialf|Materiali|Materialx'
                     r'|VertexWeight|VertexStream|NormalStream).*'),
    ('gl_begin', r'glBegin'),
    ('gl_end', r'glEnd'),
    ('gl_matrix', r'gl(Load|Mult)(Transpose)?Matrix[dfx]|glLoadIdentity|gl(Push|Pop)Matrix|gl(Rotate|Scale|Translate)[dfx]|glOrtho[fx]?'
                  r'|glFrustum[fx]?|glMatrix(Mode|Load|Mult|Push|Pop|Rotate|Scale|Translate|Ortho|Frustum).*|glLoadPaletteFromModelViewMatrix'),
    ('gl_vertex_array', r'gl(Vertex|Normal|Color|SecondaryColor|TexCoord|MultiTexCoord|Index|EdgeFlag|FogCoord|Weight|MatrixIndex|PointSize|Element'
                        r'|Tangent|Binormal|ReplacementCode)(Attrib[IL]?)?Pointer.*|glInterleavedArrays|gl(En|Dis)able(VertexAttribArray|ClientState).*'
                        r'|glVertexAttrib[IL]?Format|glVertexAttrib(Binding|Divisor)|glVertexBindingDivisor|glBindVertexBuffers?|glVertexArray.*'
                        r'|gl(En|Dis)ableVertexArray.*|glClientActiveTexture'),
    ('gl_pixel_store', r'glPixelStore.*'),
    ('gl_link', r'glLinkProgram|glProgramBinary|glCreateShaderProgram.*'),
    ('gl_sync', r'gl(FenceSync|ClientWaitSync|WaitSync|ImportSync|MemoryBarrier.*|TextureBarrier.*)|egl.*Sync.*|glX.*(WaitForMsc|WaitForSbc).*'),
    ('gl_error', r'glGetError|eglGetError'),
    ('gl_create_context', r'eglCreateContext|glXCreate(New)?Context.*|glXImportContext'),
    ('gl_invalidate', r'glInvalidate.*|glDiscardFramebuffer'),
    ('gl_bind', r'gl(Bind(?!AttribLocation|FragDataLocation|Material|Light|TexGen|TextureUnit(?!$)|Parameter)|UseProgram|ActiveTexture|UseShaderProgram).*'),
    ('map', r'glMap(Named)?Buffer(Range)?|glMapObjectBuffer|glMapTexture2D'),
    ('unmap', r'glUnmap(Named)?Buffer|glUnmapObjectBuffer|glUnmapTexture2D'),
    ('begin_label', r'glPushDebugGroup|glPushGroupMarker'),
    ('end_label', r'glPopDebugGroup|glPopGroupMarker'),
    ('begin_list', r'glNewList'),
    ('end_list', r'glEndList'),
    ('run_list', r'glCallLists?'),
    ('frame_end', r'eglSwapBuffers(WithDamage|Region2?)?|glXSwapBuffers(Msc)?|eglPostSubBuffer|glXCopySubBuffer|eglCopyBuffers|glFrameTerminator'
                  r'|eglStreamConsumerReleaseAttrib(?!.)|glPresentFrame(Keyed|DualFill)'),
    ('make_current', r'eglMakeCurrent|eglReleaseThread|glXMake(Context)?Current(Read)?'),
    ('wait', r'glFinish|glClientWaitSync|eglClientWait.*|eglWait(GL|Native|Client|Sync)|glXWait(GL|X|ForMsc|ForSbc|VideoSync)'
             r'|glGetQuery(Buffer)?Object.*|glFinish(Fence|Object|Async|Texture).*|glTest(Fence|Object).*|glGetSynciv|eglGetSyncAttrib'
             r'|glWaitSemaphore|glGetPerfQueryData|glMulticastGetQueryObject.*'),
)

# Others may go on the moment the driver has acted: their records commit before the call (C6, api.md).
BEFORE = re.compile(
    r'gl(Delete(?!Object$).*|DeleteObject|Flush.*|Finish.*|FenceSync|SetFence|SignalSemaphore|UnmapBuffer|UnmapNamedBuffer|EndQuery.*)'
    r'|egl(SwapBuffers|Post|Copy|Destroy|Terminate|MakeCurrent|ReleaseThread|CreateSync|SignalSync|CreateFenceSync|Stream.*Release|Wait).*'
    r'|glX(SwapBuffers|CopySub|Destroy|MakeCurrent|MakeContextCurrent|Wait|Free).*|glPresentFrame.*')

GETTERS = re.compile(r'gl(Get|Is|Are|CheckFramebufferStatus|CheckNamedFramebufferStatus|Query(Matrix|Resource)|Ext(Get|Is)).*'
                     r'|egl(Get|Query|ChooseConfig).*|glX(Get|Query|Choose|Is|Enumerate).*')
# They do more than ask.
NO_QUERIES = re.compile(r'.*GetError|gl(Get|Poll)DebugMessageLog.*|glGet(GraphicsResetStatus).*|eglGet(Display|PlatformDisplay|NativeClientBuffer).*'
                        r'|glGet(Image|Texture|TextureSampler|Vk).*Handle.*|.*GetProcAddress.*')

DRAWS_FROM_MEMORY = re.compile(r'gl(Multi(Mode)?)?Draw(Arrays|Elements|RangeElements|ElementArray|RangeElementArray|MeshArrays).*|glArrayElement.*')

# (command, '-class' or 'class', reason)
EXCEPTIONS = (
    ('glVertexArrayRangeAPPLE', '-gl_vertex_array', 'it names memory, no array'),
    ('glVertexArrayRangeNV', '-gl_vertex_array', 'it names memory, no array'),
    ('glLinkProgram', 'has_extra', 'the recorder adds locations, which the driver chose'),
    ('glLinkProgramARB', 'has_extra', 'the recorder adds locations, which the driver chose'),
    ('glCreateShaderProgramv', 'has_extra', 'it links, too'),
    ('glCreateShaderProgramvEXT', 'has_extra', 'it links, too'),
    ('eglMakeCurrent', 'has_extra', 'the recorder adds the sizes of the surfaces'),
    ('glXMakeCurrent', 'has_extra', 'the recorder adds the sizes of the drawables'),
    ('glXMakeContextCurrent', 'has_extra', 'the recorder adds the sizes of the drawables'),
    ('glXMakeCurrentReadSGI', 'has_extra', 'the recorder adds the sizes of the drawables'),
)


def stem(name):
    """The name without the suffix of a vendor."""
    return re.sub(r'(ARB|EXT|KHR|OES|NVX|NV|AMD|ATI|APPLE|ANGLE|IBM|INTEL|MESA|QCOM|SGIX|SGIS|SGI|SUNX|SUN|IMG|ARM|HP|INGR|PGI'
                  r'|OML|OVR|ANDROID|CHROMIUM|GREMEDY|TIZEN|WL|NOK|HI)$', '', name)


def is_setter(command, base):
    """Whether a command of OpenGL does nothing but set what later work uses."""
    return (command.name.startswith('gl') and not command.name.startswith('glX') and command.result_kind == 'void'
            and not command.classes & {'draw', 'dispatch', 'clear', 'transfer', 'query', 'wait', 'map', 'unmap',
                                       'begin_label', 'end_label', 'begin_list', 'end_list', 'run_list', 'frame_end',
                                       'create', 'destroy', 'gl_immediate', 'gl_invalidate', 'signal'}
            and not re.match(r'gl(Flush|Finish|ShaderSource|CompileShader|LinkProgram|Debug|ObjectLabel|ObjectPtr|Label|StringMarker|'
                             r'InsertEvent|ValidateProgram|ReleaseShader|AttachShader|DetachShader|AttachObject|DetachObject|Begin|End)',
                             base))


def classify(command):
    base = stem(command.name)
    for name, pattern in PATTERNS:
        if re.fullmatch(pattern, base):
            command.classes.add(name)
    command.order = 'before' if BEFORE.fullmatch(base) else 'after'
    if command.order == 'before':
        command.classes.add('signal')
    lifetimes(command, base)
    if (GETTERS.fullmatch(base) and not NO_QUERIES.fullmatch(base)
            and not command.classes & {'wait', 'retrieve', 'create', 'transfer'}):
        command.classes.add('query')
    if 'draw' in command.classes and DRAWS_FROM_MEMORY.fullmatch(base):
        command.classes.add('reads_state')
    if is_setter(command, base):
        command.classes.add('state')


# --- Lifetimes -------------------------------------------------------------------------------

# Calls that make an object of a name that was only reserved, or never: first use is binding.
USES = re.compile(r'gl(Bind(Texture|MultiTexture|Buffer|BufferBase|BufferRange|BufferOffset|Framebuffer|Renderbuffer|Sampler|VertexArray|'
                  r'TransformFeedback|ProgramPipeline|Program|FragmentShader|VertexShader)|BeginQuery(Indexed)?|BeginOcclusionQuery|'
                  r'UseProgramStages|NewList|SetFence|QueryCounter)')


def names_of(command, base):
    """The parameter with the names that a glGen…, glCreate… or glDelete… is about."""
    found = [param for param in command.params if param.kind == 'handle' or param.objecttype]
    arrays = [param for param in found if param.pointers == 1]
    return (arrays or found or [None])[0]


def life(param, how, count=''):
    return Lifetime(handle='' if param.objecttype else param.type, param=param.name, count=count, how=how)


def lifetimes(command, base):
    param = names_of(command, base)
    length = param.lens[0] if param is not None and param.pointers and param.lens else ''
    if command.result_type and command.result_kind in ('u32', 'u64'):
        made = bool(re.match(r'gl(Create|Gen|Fence|Import|Begin)|egl(Create|Dup)|glX(Create|Import|Get.*FromClient)', base))
        count = 'range' if base in ('glGenLists', 'glGenPaths', 'glGenFragmentShaders', 'glGenVertexShaders') else ''
        command.creates = Lifetime(handle=command.result_type, param='', how='result', count=count)
        command.classes.add('create' if made else 'retrieve')
        return
    if param is None:
        return
    if re.match(r'gl(Gen|Create)', base) and param.pointers == 1 and not param.const:
        command.creates = life(param, 'reserved' if base.startswith('glGen') else 'plain', length)
        command.classes.add('create')
    elif re.match(r'gl(Delete|Release(?!Shader))|egl(Destroy)|glXDestroy|glXFreeContext', base):
        scalar_range = any(other.name == 'range' for other in command.params)
        param = command.params[-1] if command.name.startswith('egl') and command.params[-1].kind == 'handle' else param
        command.destroys = life(param, 'name' if param.type in FIRST_ENDS else 'plain',
                                length or ('range' if scalar_range else ''))
        command.classes.add('destroy')
    elif USES.fullmatch(base):
        target = [p for p in command.params if p.kind == 'handle' and p.pointers == 0][-1:] or [param]
        command.creates = life(target[0], 'use')
        command.classes.add('create')


FIRST_ENDS = {name for name, facts in KINDS.items() if facts[3]}


def apply(model):
    model.classes = CLASSES
    own = 0x10000
    for handle in model.handles:
        facts = KINDS.get(handle.name, OTHERS if handle.dispatchable else ('group', '', False, False))
        handle.names_in, handle.zero_in, handle.made_by_use, handle.name_may_end_first = facts
        number = OBJECT_TYPES.get(handle.name)
        if number is None:
            number, own = own, own + 1
        handle.object_type = f'VTR_OBJECT_{handle.name}'
        model.constants[handle.object_type] = number
    for command in model.commands:
        classify(command)
    for name, what, _reason in EXCEPTIONS:
        command = model.commands_by_name.get(name)
        if command is not None and what.startswith('-'):
            command.classes.discard(what[1:])
        elif command is not None:
            command.classes.add(what)
