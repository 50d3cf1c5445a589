# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Reads Khronos' gl.xml, egl.xml and glx.xml into a Model, without any opinion of our own.

Types in C are those of <stdint.h>, so that no header of OpenGL is needed: GLenum is uint32_t, a GLsync is a void
pointer. Field.base keeps the registry's word, which people see."""

import re
import xml.etree.ElementTree as ElementTree

from model import FNV_OFFSET, Command, Enum, EnumValue, Extension, Feature, Field, Handle, Model, fnv1a

# Pages of ids: 3 582 commands in October 2022 (src/api/vtr-api-model.h).
FIRST_PAGE, N_PAGES = 2, 2

# The APIs of the registries, in the order in which Command.version counts them: it is 128 times the place of the API
# here, plus the number of the first version that has the command.
APIS = ('gl', 'gles1', 'gles2', 'egl', 'glx')
VARIANT = 128

# type -> (kind, C type)
PLAIN = {
    'void': ('void', 'void'), 'GLvoid': ('void', 'void'),
    'GLenum': ('enum', 'uint32_t'), 'EGLenum': ('enum', 'uint32_t'),
    'GLbitfield': ('flags32', 'uint32_t'),
    'GLboolean': ('bool8', 'uint8_t'), 'EGLBoolean': ('bool32', 'uint32_t'), 'Bool': ('bool32', 'int32_t'),
    'GLbyte': ('i8', 'int8_t'), 'GLubyte': ('u8', 'uint8_t'), 'GLshort': ('i16', 'int16_t'),
    'GLushort': ('u16', 'uint16_t'), 'GLint': ('i32', 'int32_t'), 'GLuint': ('u32', 'uint32_t'),
    'GLclampx': ('i32', 'int32_t'), 'GLsizei': ('i32', 'int32_t'), 'GLfixed': ('i32', 'int32_t'),
    'GLfloat': ('f32', 'float'), 'GLclampf': ('f32', 'float'),
    'GLdouble': ('f64', 'double'), 'GLclampd': ('f64', 'double'),
    'GLchar': ('char', 'char'), 'GLcharARB': ('char', 'char'), 'char': ('char', 'char'),
    'GLhandleARB': ('u32', 'uint32_t'),
    'GLhalf': ('u16', 'uint16_t'), 'GLhalfARB': ('u16', 'uint16_t'), 'GLhalfNV': ('u16', 'uint16_t'),
    'GLintptr': ('ssize', 'intptr_t'), 'GLintptrARB': ('ssize', 'intptr_t'),
    'GLsizeiptr': ('ssize', 'intptr_t'), 'GLsizeiptrARB': ('ssize', 'intptr_t'),
    'GLvdpauSurfaceNV': ('ssize', 'intptr_t'),
    'GLint64': ('i64', 'int64_t'), 'GLint64EXT': ('i64', 'int64_t'),
    'GLuint64': ('u64', 'uint64_t'), 'GLuint64EXT': ('u64', 'uint64_t'),
    'EGLint': ('i32', 'int32_t'), 'EGLAttrib': ('ssize', 'intptr_t'), 'EGLAttribKHR': ('ssize', 'intptr_t'),
    'EGLTime': ('u64', 'uint64_t'), 'EGLTimeKHR': ('u64', 'uint64_t'), 'EGLTimeNV': ('u64', 'uint64_t'),
    'EGLuint64NV': ('u64', 'uint64_t'), 'EGLuint64KHR': ('u64', 'uint64_t'), 'EGLnsecsANDROID': ('i64', 'int64_t'),
    'EGLNativeFileDescriptorKHR': ('i32', 'int32_t'), 'EGLsizeiANDROID': ('ssize', 'intptr_t'),
    'int': ('i32', 'int32_t'), 'unsigned int': ('u32', 'uint32_t'), 'unsigned long': ('size', 'uintptr_t'),
    'int32_t': ('i32', 'int32_t'), 'int64_t': ('i64', 'int64_t'), 'float': ('f32', 'float'), 'Status': ('i32', 'int32_t'),
    # Numbers of X: unsigned long.
    'Window': ('size', 'uintptr_t'), 'Pixmap': ('size', 'uintptr_t'), 'Font': ('size', 'uintptr_t'),
    'Colormap': ('size', 'uintptr_t'), 'GLXContextID': ('size', 'uintptr_t'), 'GLXFBConfigID': ('size', 'uintptr_t'),
    'GLXFBConfigIDSGIX': ('size', 'uintptr_t'), 'GLXVideoCaptureDeviceNV': ('size', 'uintptr_t'),
    'GLXVideoSourceSGIX': ('size', 'uintptr_t'), 'GLXVideoDeviceNV': ('u32', 'uint32_t'),
    'VLPath': ('i32', 'int32_t'), 'VLNode': ('i32', 'int32_t'), 'DMbuffer': ('address', 'void *'),
    'VLServer': ('address', 'void *'),
    # What the window system says: a number of X, or a pointer.
    'EGLNativeDisplayType': ('address', 'void *'), 'EGLNativePixmapType': ('address', 'void *'),
    'EGLNativeWindowType': ('address', 'void *'), 'EGLClientBuffer': ('address', 'void *'),
    'EGLLabelKHR': ('address', 'void *'), 'EGLObjectKHR': ('address', 'void *'),
    'GLeglClientBufferEXT': ('address', 'void *'),
    'GLDEBUGPROC': ('function', 'void *'), 'GLDEBUGPROCARB': ('function', 'void *'),
    'GLDEBUGPROCKHR': ('function', 'void *'), 'GLDEBUGPROCAMD': ('function', 'void *'),
    'GLVULKANPROCNV': ('function', 'void *'), 'EGLDEBUGPROCKHR': ('function', 'void *'),
    'EGLSetBlobFuncANDROID': ('function', 'void *'), 'EGLGetBlobFuncANDROID': ('function', 'void *'),
    '__eglMustCastToProperFunctionPointerType': ('function', 'void *'), '__GLXextFuncPtr': ('function', 'void *'),
}

# Handles by type: name -> other names of the same space.
HANDLES = {
    'GLsync': (), 'EGLDisplay': (), 'EGLConfig': (), 'EGLContext': (), 'EGLSurface': (),
    'EGLImage': ('EGLImageKHR', 'GLeglImageOES'), 'EGLSync': ('EGLSyncKHR',), 'EGLSyncNV': (), 'EGLDeviceEXT': (),
    'EGLStreamKHR': (), 'EGLOutputLayerEXT': (), 'EGLOutputPortEXT': (),
    'GLXContext': (), 'GLXFBConfig': ('GLXFBConfigSGIX',),
    # Windows, pixmaps and pbuffers are drawables: numbers of X, unsigned long.
    'GLXDrawable': ('GLXPbuffer', 'GLXPbufferSGIX', 'GLXPixmap', 'GLXWindow'),
}
NUMBERS_OF_X = ('GLXDrawable',)

# Results by the kind of their type; a pointer is an address, but for strings.
RESULTS = {'void': 'void', 'bool8': 'bool32', 'bool32': 'bool32', 'u16': 'u32', 'u32': 'u32', 'i32': 'i32',
           'enum': 'enum', 'flags32': 'enum', 'u64': 'u64', 'i64': 'u64', 'ssize': 'u64', 'size': 'u64',
           'f32': 'f32', 'handle': 'u64', 'address': 'address', 'function': 'function'}

# Enumerants that numbers of other meanings rarely equal; values below are bits, counts and truths.
FIRST_OF_EGL = 0x3000


def integer(text):
    """Value of an enumerant; None: it is a string."""
    text = re.sub(r'EGL_CAST\(\w+,(.*)\)', r'\1', text.strip())
    return None if text.startswith('"') else int(text.rstrip('UL'), 0)


class Reader:
    def __init__(self):
        self.kinds = dict(PLAIN)
        self.enums = {}
        self.values = set()       # what .enums has: (enum, name, value)
        self.handles = {name: Handle(name=name, dispatchable=True, parent='', object_type='', aliases=list(others))
                        for name, others in HANDLES.items()}
        for name, others in HANDLES.items():
            for other in (name, *others):
                self.kinds[other] = ('handle', 'uintptr_t' if name in NUMBERS_OF_X else 'void *')
        self.commands = {}
        self.aliases = []
        self.extensions = {}
        self.features = []
        self.removed = set()      # from the core profile
        self.strings = []         # enumerants that are text
        self.constants = {}
        self.n_commands = 0

    # --- enumerants ------------------------------------------------------------------------

    def enum(self, name):
        return self.enums.setdefault(name, Enum(name=name, native=False))

    def add_value(self, enum_name, item, value):
        if (enum_name, item.get('name'), value) not in self.values:
            self.values.add((enum_name, item.get('name'), value))
            self.enum(enum_name).values.append(EnumValue(name=item.get('name'), value=value))

    def read_enums(self, root):
        for block in root.iterfind('enums'):
            bits = block.get('type') == 'bitmask'
            space = block.get('namespace')
            for item in block.iterfind('enum'):
                value = integer(item.get('value'))
                if value is None:
                    self.strings.append(item.get('name'))
                    continue
                self.constants.setdefault(item.get('name'), value)
                groups = [g for g in (item.get('group') or block.get('group') or '').split(',') if g]
                for group in groups:
                    self.add_value(group, item, value)
                if bits:
                    for group in groups[:1] or [space]:
                        self.enum(group).is_bitmask = True
                    if not groups:
                        self.add_value(space, item, value)
                else:
                    # Names of EGL and GLX have no groups, but namespaces: GLX, GLXAttribute, …
                    self.add_value('GLenum' if space == 'GL' else 'EGLenum' if space == 'EGL' else space, item, value)
        if 'EGLenum' in self.enums:
            # What a list of attributes may hold, where small numbers are numbers.
            self.enum('EGLAttribute').values = [
                EnumValue(name=value.name, value=value.value) for value in self.enums['EGLenum'].values
                if value.value >= FIRST_OF_EGL or value.name == 'EGL_DONT_CARE']

    def order_values(self):
        """Says of names of one value which is shown: core names before others, GL_NONE before all."""
        for enum in self.enums.values():
            first = {}
            for value in sorted(enum.values, key=lambda v: (v.name not in ('GL_NONE', 'GL_ONE'), vendor(v.name) != '')):
                value.alias = first.setdefault(value.value, value.name)
                if value.alias == value.name:
                    value.alias = ''

    # --- fields ----------------------------------------------------------------------------

    def read_field(self, element):
        text = ' '.join(''.join(element.itertext()).split())
        name = element.findtext('name')
        base = element.findtext('ptype')
        if base is None:
            base = re.sub(r'\bconst\b|\bstruct\b|\*', '', text.rpartition(name)[0]).strip() or 'void'
            base = ' '.join(base.split())
        base = base.replace('struct ', '')
        stars = text.count('*')
        dims = [int(dim, 0) for dim in re.findall(r'\[(\d+)\]', text)]
        kind, c_type = self.kinds.get(base, ('opaque', 'void'))
        pointers = stars + len(dims)
        const = text.startswith('const ')
        opaque = kind == 'opaque'
        if opaque:
            # Structs of other systems: one level of pointer is theirs.
            kind, c_type, pointers = 'address', 'void *', max(0, pointers - 1)
        levels = pointers
        if kind == 'void' and pointers == 2 and not const:
            kind, pointers = 'address', 1   # a pointer that the driver gives
        field = Field(name=name, base=base, kind=kind, pointers=min(pointers, 2), const=const, is_param=True,
                      c_decl=declaration(c_type, name, levels, const))
        field.reason = 'a structure of another system' if opaque else ''
        if len(dims) == 1:
            field.static_len = dims[0]
        length = (element.get('len') or '').replace(' ', '')
        field.registry_len = length
        for group in (element.get('group') or '').split(','):
            if kind in ('enum', 'flags32') and group in self.enums and not field.names:
                field.names = group
                if kind == 'flags32':
                    self.enums[group].is_bitmask = True
        if base == 'GLint' and element.get('group') == 'InternalFormat' and 'InternalFormat' in self.enums:
            field.kind = kind = 'enum'
            field.names = 'InternalFormat'
        if kind == 'enum' and not field.names:
            field.names = 'EGLenum' if base.startswith('EGL') else 'GLenum'
        self.classify_name(field, element.get('class'))
        return field

    def classify_name(self, field, name_class):
        """A number of 32 bits that is the name of an object."""
        if name_class and field.kind == 'u32' and field.base != 'GLhandleARB':
            field.kind, field.handle = 'handle', name_class.replace(' ', '_')
            self.handles.setdefault(field.handle, Handle(name=field.handle, dispatchable=False, parent='',
                                                         object_type='', size=4))

    # --- commands --------------------------------------------------------------------------

    def read_result(self, element):
        """(spelling in C, kind, type of what it is)"""
        name = element.findtext('name')
        text = ' '.join(''.join(element.itertext()).split())
        before = text[:text.rindex(name)]
        base = element.findtext('ptype') or re.sub(r'\bconst\b|\bstruct\b|\*', '', before).strip()
        if '*' in before:
            is_text = base in ('GLubyte', 'char') and 'const' in before
            return 'const char *' if is_text else 'void *', 'string' if is_text else 'address', base
        kind, c_type = self.kinds.get(base, ('address', 'void *'))
        return c_type, RESULTS[kind], base

    def result_type(self, proto, kind, base):
        if kind == 'enum':
            return next((group for group in (proto.get('group') or '').split(',') if group in self.enums),
                        'EGLenum' if base.startswith('EGL') else 'GLenum')
        if kind == 'u64' and self.kinds[base][0] == 'handle':
            return next(name for name, others in HANDLES.items() if base in (name, *others))
        if kind == 'u32' and proto.get('class') and base != 'GLhandleARB':
            return proto.get('class').replace(' ', '_')
        return ''

    def read_commands(self, root):
        for element in root.iterfind('commands/command'):
            self.n_commands += 1
            proto = element.find('proto')
            result_c, result_kind, result_base = self.read_result(proto)
            command = Command(name=proto.findtext('name'),
                              params=[self.read_field(param) for param in element.iterfind('param')],
                              result_c=result_c, result_kind=result_kind, level='global', supported=False)
            command.result_type = self.result_type(proto, result_kind, result_base)
            for index, param in enumerate(command.params):
                param.index, param.owner = index, command
            if element.find('alias') is not None:
                self.aliases.append((command.name, element.find('alias').get('name')))
            self.commands[command.name] = command

    def read_aliases(self):
        targets = dict(self.aliases)
        for name, target in sorted(self.aliases):
            seen = {name}
            while target in targets and target not in seen:
                seen.add(target)
                target = targets[target]
            if target in self.commands and target != name and target not in targets:
                self.commands[name].alias_of = target
                self.commands[target].aliases.append(name)

    # --- versions and extensions -----------------------------------------------------------

    def read_features(self, root):
        for element in root.iterfind('feature'):
            api = element.get('api')
            if api not in APIS:
                continue
            major, minor = (int(part) for part in element.get('number').split('.'))
            feature = Feature(name=element.get('name'), version=(APIS.index(api) * VARIANT + major, minor))
            self.features.append(feature)
            for item in element.iterfind('require/command'):
                command = self.commands[item.get('name')]
                feature.commands.append(command.name)
                command.supported = True
                command.versions = getattr(command, 'versions', {})
                command.versions.setdefault(api, (major, minor))
                command.extension, command.others = '', []
                if command.version is None or APIS.index(api) * VARIANT + major < command.version[0]:
                    command.version = feature.version
            self.removed.update(item.get('name') for item in element.iterfind('remove/command'))

    def read_extensions(self, root):
        for element in root.iterfind('extensions/extension'):
            supported = (element.get('supported') or '').split('|')
            is_supported = not {*APIS, 'glcore'}.isdisjoint(supported)
            extension = Extension(name=element.get('name'), number=0, kind='device', platform='', provisional=False,
                                  supported=is_supported, native=False, depends='', promoted_to='')
            self.extensions[extension.name] = extension
            for item in element.iterfind('require/command'):
                command = self.commands[item.get('name')]
                extension.commands.append(command.name)
                command.supported = command.supported or is_supported
                if command.version is not None:
                    continue
                if not command.extension:
                    command.extension = extension.name
                elif extension.name != command.extension and extension.name not in command.others:
                    command.others.append(extension.name)


def declaration(c_type, name, pointers, const):
    """C text of a parameter; both levels of a pointer to constant things are constant."""
    inner = f'{c_type.strip()}'
    if pointers == 0:
        return f'{inner}{"" if inner.endswith("*") else " "}{name}'
    if inner.endswith('*'):
        text = f'{inner}const ' if const else inner
    else:
        text = f'{"const " if const else ""}{inner} '
    text += '*'
    if pointers > 1:
        text += 'const *' if const else '*'
    return f'{text}{name}'


VENDOR = re.compile(r'_(ARB|EXT|KHR|OES|NV|NVX|AMD|ATI|APPLE|ANGLE|IBM|INTEL|MESA|MESAX|QCOM|SGI|SGIS|SGIX|SUN|SUNX|IMG|ARM'
                    r'|HP|INGR|PGI|REND|S3|WIN|3DFX|3DL|I3D|GREMEDY|OML|OVR|VIV|DMP|FJ|ANDROID|HI|NOK|TIZEN|WL|CHROMIUM|EXPERIMENTAL)$')


def vendor(name):
    """The suffix of a vendor, or ''."""
    match = VENDOR.search(name)
    return match.group(1) if match else ''


def read(*paths):
    """Returns: a Model without overlay and layouts, and .reader: what else the registries say."""
    roots = [ElementTree.parse(path).getroot() for path in paths]
    reader = Reader()
    for root in roots:
        reader.read_enums(root)
    reader.order_values()
    for root in roots:
        reader.read_commands(root)
    reader.read_aliases()
    for root in roots:
        reader.read_features(root)
        reader.read_extensions(root)

    def by_name(things):
        return sorted(things, key=lambda thing: thing.name)

    registry_hash = FNV_OFFSET
    for path in paths:
        with open(path, 'rb') as file:
            registry_hash = fnv1a(file.read(), registry_hash)
    model = Model(name='gl', first_page=FIRST_PAGE, n_pages=N_PAGES, header_version=newest(reader.features),
                  registry_hash=registry_hash, commands=by_name(reader.commands.values()), structs=[],
                  enums=by_name(reader.enums.values()), bitmasks={}, handles=by_name(reader.handles.values()),
                  extensions=by_name(reader.extensions.values()), features=reader.features, platforms={},
                  constants=reader.constants, inputs=list(paths))
    model.number()
    model.reader = reader
    return model


def newest(features):
    """Of desktop OpenGL, 46 for 4.6: the registries have no number of their own."""
    return max((major * 10 + minor for major, minor in (feature.version for feature in features) if major < VARIANT),
               default=0)
