# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Reads Khronos' vk.xml and video.xml into a Model, without any opinion of our own."""

import os
import re
import xml.etree.ElementTree as ElementTree

from model import (FNV_OFFSET, Bitmask, Command, Enum, EnumValue, Extension, Feature, Field,
                   Handle, Model, Struct, fnv1a)

# Platforms whose C types vtr-vulkan.h declares. Everything else gets tables, but no C.
NATIVE_PLATFORMS = ('', 'xcb', 'xlib', 'wayland', 'xlib_xrandr', 'provisional')

# Core names up to this version are canonical.
ROOT_VERSION = (1, 3)

# Kinds of the C types that vk.xml only names. 'opaque' things exist behind pointers only.
BASE_KINDS = {
    'void': 'void', 'char': 'char', 'float': 'f32', 'double': 'f64', 'int8_t': 'i8',
    'uint8_t': 'u8', 'int16_t': 'i16', 'uint16_t': 'u16', 'uint32_t': 'u32', 'uint64_t': 'u64',
    'int32_t': 'i32', 'int64_t': 'i64', 'size_t': 'size', 'int': 'i32', 'VkSampleMask': 'u32',
    'VkBool32': 'bool32', 'VkFlags': 'flags32', 'VkFlags64': 'flags64', 'VkDeviceSize': 'u64',
    'VkDeviceAddress': 'u64', 'VkRemoteAddressNV': 'address',
    # unsigned long on every ABI here
    'VisualID': 'size', 'Window': 'size', 'RROutput': 'size',
    'xcb_visualid_t': 'u32', 'xcb_window_t': 'u32', 'zx_handle_t': 'u32', 'DWORD': 'u32',
    'GgpStreamDescriptor': 'u32', 'GgpFrameToken': 'u64',
    'HINSTANCE': 'address', 'HWND': 'address', 'HMONITOR': 'address', 'HANDLE': 'address',
    'LPCWSTR': 'address', 'MTLDevice_id': 'address', 'MTLCommandQueue_id': 'address',
    'MTLBuffer_id': 'address', 'MTLTexture_id': 'address', 'MTLSharedEvent_id': 'address',
    'IOSurfaceRef': 'address',
}

RESULT_KINDS = {
    'void': 'void', 'VkResult': 'result', 'VkBool32': 'bool32', 'uint32_t': 'u32',
    'uint64_t': 'u64', 'VkDeviceAddress': 'u64', 'VkDeviceSize': 'u64',
    'PFN_vkVoidFunction': 'function',
}

def api_matches(element):
    """True unless the entry belongs to other APIs (vulkansc) only. Later registries keep the part of
    Vulkan that such APIs share under 'vulkanbase'."""
    api = element.get('api')
    return api is None or not {'vulkan', 'vulkanbase'}.isdisjoint(api.split(','))


def foreign_names(root):
    """Types and commands that only features and extensions of other APIs ask for. Later registries do
    not say so where they define them."""
    ours, others = set(), set()
    for element in [*root.iterfind('feature'), *root.iterfind('extensions/extension')]:
        apis = element.get('supported') or 'vulkan'
        is_ours = api_matches(element) and apis.split(',') != ['vulkansc']
        for require in element.iterfind('require'):
            names = ours if is_ours and api_matches(require) else others
            names.update(item.get('name') for item in require if item.tag in ('type', 'command'))
    return others - ours


def text_of(element):
    """All text but that of comments."""
    parts = [element.text or '']
    for child in element:
        if child.tag != 'comment':
            parts.append(text_of(child))
        parts.append(child.tail or '')
    return ''.join(parts)


def c_integer(text):
    """Value of a C integer or float constant of the registry; None when it is neither."""
    text = text.strip().strip('()')
    match = re.fullmatch(r'(~?)\s*(-?(?:0[xX][0-9a-fA-F]+|\d+))(U|L|UL|ULL|LL)?', text)
    if match is None:
        return None
    value = int(match.group(2), 0)
    if match.group(1):
        width = 64 if 'LL' in (match.group(3) or '') else 32
        value = ~value & ((1 << width) - 1)
    return value


class Reader:
    def __init__(self, registry):
        self.registry = registry
        self.constants = {}
        self.structs = {}
        self.enums = {}
        self.bitmasks = {}
        self.handles = {}
        self.functions = set()
        self.commands = {}
        self.aliases = {}         # type alias -> type
        self.extensions = []
        self.features = []
        self.platforms = {}
        self.extra_values = {}    # enum name -> [EnumValue]
        self.header_version = 0
        self.video_types = set()
        self.foreign = foreign_names(registry)

    # --- types -----------------------------------------------------------------------------

    def kind_of(self, base):
        base = self.aliases.get(base, base)
        if base in BASE_KINDS:
            return BASE_KINDS[base]
        if base in self.structs:
            return 'union' if self.structs[base].is_union else 'struct'
        if base in self.enums and self.enums[base].flags_type == '':
            return 'enum'
        if base in self.enums:
            return 'enum' if self.enums[base].width == 32 else 'flags64'
        if base in self.bitmasks:
            return f'flags{self.bitmasks[base].width}'
        if base in self.handles:
            return 'handle'
        if base in self.functions:
            return 'function'
        return 'opaque'

    def read_types(self, root, video=False):
        pending = []
        for element in root.iterfind('types/type'):
            if not api_matches(element):
                continue
            name = (element.get('name') or element.findtext('name')
                    or element.findtext('proto/name'))
            if name in self.foreign:
                continue
            category = element.get('category')
            if video:
                self.video_types.add(name)
            if category is None:
                continue
            if element.get('alias'):
                self.aliases[name] = element.get('alias')
                continue
            if category in ('struct', 'union'):
                extends = element.get('structextends')
                self.structs[name] = Struct(
                    name=name, fields=[], is_union=category == 'union',
                    returned_only=element.get('returnedonly') == 'true',
                    extends=sorted(extends.split(',')) if extends else [], video=video)
                pending.append((name, element))
            elif category == 'enum':
                self.enums.setdefault(name, Enum(name=name, video=video))
            elif category == 'bitmask':
                width = 64 if element.findtext('type') == 'VkFlags64' else 32
                bits = element.get('bitvalues') or element.get('requires') or ''
                self.bitmasks[name] = Bitmask(name=name, width=width, bits=bits)
            elif category == 'handle':
                self.handles[name] = Handle(
                    name=name, dispatchable=element.findtext('type') == 'VK_DEFINE_HANDLE',
                    parent=element.get('parent') or '',
                    object_type=element.get('objtypeenum') or '')
            elif category == 'funcpointer':
                self.functions.add(name)
            elif category == 'define' and name == 'VK_HEADER_VERSION':
                self.header_version = int(text_of(element).split()[-1])
        return pending

    def read_enums(self, root, video=False):
        for element in root.iterfind('enums'):
            name = element.get('name')
            kind = element.get('type')
            if kind in (None, 'constants'):  # which later registries say
                for item in element.iterfind('enum'):
                    self.read_constant(item)
                continue
            enum = self.enums.setdefault(name, Enum(name=name, video=video))
            enum.is_bitmask = kind == 'bitmask'
            enum.width = int(element.get('bitwidth') or 32)
            for item in element.iterfind('enum'):
                if api_matches(item):
                    enum.values.append(self.read_value(item, None, ''))

    def read_constant(self, item):
        if item.get('alias'):
            if item.get('alias') in self.constants:
                self.constants[item.get('name')] = self.constants[item.get('alias')]
        elif item.get('value') is not None:
            value = c_integer(item.get('value'))
            if value is not None:
                self.constants[item.get('name')] = value

    @staticmethod
    def read_value(item, extension_number, extension):
        value = EnumValue(name=item.get('name'), value=0, extension=extension)
        if item.get('alias'):
            value.alias = item.get('alias')
        elif item.get('bitpos'):
            value.bit = int(item.get('bitpos'))
            value.value = 1 << value.bit
        elif item.get('offset'):
            number = int(item.get('extnumber') or extension_number)
            value.value = 1000000000 + (number - 1) * 1000 + int(item.get('offset'))
            if item.get('dir') == '-':
                value.value = -value.value
        else:
            value.value = c_integer(item.get('value'))
        return value

    # --- fields ----------------------------------------------------------------------------

    def read_field(self, element, is_param):
        base = element.findtext('type')
        name = element.findtext('name')
        text = ' '.join(text_of(element).split())
        before, _, after = text.partition(base)
        stars = text.count('*')
        dims = []
        for dim in re.findall(r'\[([^\]]+)\]', text):
            dims.append(self.constants[dim] if dim in self.constants else int(dim, 0))
        bits = re.search(re.escape(name) + r'\s*:\s*(\d+)', text)
        field = Field(
            name=name, base=self.aliases.get(base, base), kind=self.kind_of(base), pointers=stars,
            const='const' in before, c_decl=self.declaration(text), dims=dims,
            bits=int(bits.group(1)) if bits else 0,
            optional=[o == 'true' for o in (element.get('optional') or '').split(',') if o],
            externsync=element.get('externsync') or '', values=element.get('values') or '',
            selector=element.get('selector') or '',
            selection=[s for s in (element.get('selection') or '').split(',') if s],
            objecttype=element.get('objecttype') or '', is_param=is_param,
            unchecked=element.get('noautovalidity') == 'true')
        length = element.get('altlen') or element.get('len') or ''
        if length.startswith('*'):
            length = ''  # of a member of whatever this hangs on: one is read, as of earlier registries
        field.lens = [part.strip() for part in length.split(',')] if length else []
        if is_param and dims:
            field.static_len, field.dims, field.pointers = field.count, [], 1
        if field.kind == 'opaque':
            # Types of other systems: behind a pointer, or (by value) themselves one.
            field.kind, field.pointers = 'address', max(0, stars - 1)
        if field.kind == 'void':
            if name == 'pNext':
                field.kind, field.pointers = 'next', 0
            elif stars == 2:
                field.kind, field.pointers = 'address', 1
        return field

    @staticmethod
    def declaration(text):
        text = re.sub(r'\s*\*\s*', '*', text)
        text = re.sub(r'\*const\*', ' *const *', text)
        text = re.sub(r'(?<![ *])\*', ' *', text)
        text = re.sub(r'\s+\[', '[', text)
        return re.sub(r'\s*:\s*', ' : ', text).strip()

    def read_members(self, pending):
        for name, element in pending:
            struct = self.structs[name]
            for member in element.iterfind('member'):
                if api_matches(member):
                    struct.fields.append(self.read_field(member, False))
            self.number(struct, struct.fields)
            if struct.fields and struct.fields[0].values:
                struct.stype = struct.fields[0].values

    @staticmethod
    def number(owner, fields):
        for index, field in enumerate(fields):
            field.index = index
            field.owner = owner

    # --- commands --------------------------------------------------------------------------

    def read_commands(self, root):
        aliases = []
        for element in root.iterfind('commands/command'):
            name = element.get('name') or element.findtext('proto/name')
            if not api_matches(element) or name in self.foreign:
                continue
            if element.get('alias'):
                aliases.append((element.get('name'), element.get('alias')))
            else:
                command = self.read_command(element)
                self.commands[command.name] = command
        elements = {e.findtext('proto/name'): e for e in root.iterfind('commands/command')
                    if api_matches(e)}
        for name, target in sorted(aliases):
            command = self.read_command(elements[target])
            command.name, command.alias_of = name, target
            self.commands[name] = command
            self.commands[target].aliases.append(name)

    def read_command(self, element):
        result = element.findtext('proto/type')
        command = Command(
            name=element.findtext('proto/name'),
            params=[self.read_field(p, True) for p in element.iterfind('param') if api_matches(p)],
            result_c=result, result_kind=RESULT_KINDS[result],
            success=[s for s in (element.get('successcodes') or '').split(',') if s],
            errors=[s for s in (element.get('errorcodes') or '').split(',') if s],
            queues=element.get('queues') or '', renderpass=element.get('renderpass') or '',
            buffer_level=element.get('cmdbufferlevel') or '')
        self.number(command, command.params)
        return command

    # --- features and extensions -----------------------------------------------------------

    def read_requirements(self, root):
        for element in root.iterfind('platforms/platform'):
            self.platforms[element.get('name')] = element.get('protect')
        for element in root.iterfind('feature'):
            if not api_matches(element):
                continue
            major, minor = element.get('number').split('.')
            feature = Feature(name=element.get('name'), version=(int(major), int(minor)))
            self.features.append(feature)
            self.read_requires(element, feature, None, '')
        for element in root.iterfind('extensions/extension'):
            supported = 'vulkan' in (element.get('supported') or '').split(',')
            extension = Extension(
                name=element.get('name'), number=int(element.get('number')),
                kind=element.get('type') or '', platform=element.get('platform') or '',
                provisional=element.get('provisional') == 'true', supported=supported,
                native=supported and (element.get('platform') or '') in NATIVE_PLATFORMS,
                depends=element.get('depends') or element.get('requires') or '',
                promoted_to=element.get('promotedto') or '')
            self.extensions.append(extension)
            self.read_requires(element, extension, extension.number, extension.name)

    def read_requires(self, element, owner, number, extension):
        for require in element.iterfind('require'):
            if not api_matches(require):
                continue
            for item in require:
                if item.get('name') in self.foreign:
                    continue
                if item.tag == 'command':
                    owner.commands.append(item.get('name'))
                elif item.tag == 'type':
                    owner.types.append(item.get('name'))
                elif item.tag == 'enum' and item.get('extends') and api_matches(item):
                    value = self.read_value(item, number, extension)
                    self.extra_values.setdefault(item.get('extends'), []).append(value)
                elif item.tag == 'enum' and item.get('value'):
                    self.read_constant(item)

    def add_extra_values(self):
        for name in sorted(self.extra_values):
            enum = self.enums.setdefault(name, Enum(name=name))
            known = {value.name for value in enum.values}
            for value in self.extra_values[name]:
                if value.name not in known:
                    known.add(value.name)
                    enum.values.append(value)
        for enum in self.enums.values():
            by_name = {value.name: value for value in enum.values}
            for value in enum.values:
                target = value
                while target.alias and target.alias in by_name:
                    target = by_name[target.alias]
                value.value = target.value

    def link_flags(self):
        for bitmask in self.bitmasks.values():
            bits = self.aliases.get(bitmask.bits, bitmask.bits)
            bitmask.bits = bits if bits in self.enums else ''
            if bitmask.bits:
                enum = self.enums[bits]
                enum.flags_type, enum.is_bitmask, enum.width = bitmask.name, True, bitmask.width
        for alias, target in sorted(self.aliases.items()):
            for table in (self.structs, self.enums, self.handles):
                if target in table:
                    table[target].aliases.append(alias)

    # --- what the C headers define ---------------------------------------------------------

    def mark_native(self, model):
        types = set()
        for feature in self.features:
            types.update(feature.types)
            for name in feature.commands:
                command = self.commands[name]
                command.native = True
                if command.version is None:
                    command.version = feature.version
        for extension in self.extensions:
            native = extension.supported and extension.platform in NATIVE_PLATFORMS
            if native:
                types.update(extension.types)
            for name in extension.commands:
                command = self.commands[name]
                command.native |= native
                if command.version is not None:
                    continue
                if not command.extension:
                    command.extension, command.platform = extension.name, extension.platform
                elif (extension.supported and extension.name != command.extension
                      and extension.name not in command.others):
                    command.others.append(extension.name)
            for name in extension.types:
                thing = self.structs.get(name) or self.handles.get(name)
                if thing is not None and not thing.platform:
                    thing.platform = extension.platform
                if isinstance(thing, Struct) and not thing.extension:
                    thing.extension = extension.name
        required = {n for f in self.features for n in f.commands}
        required |= {n for e in self.extensions if e.supported for n in e.commands}
        for command in self.commands.values():
            command.supported = command.name in required
        self.close_native(types)

    def root_aliases(self):
        """Which of several names of a command is the canonical one, so that all registries agree: its core
        name if Vulkan 1.3 has it, else the name of the first extension that several vendors agreed on.
        The registry takes the newest name, and a promotion would rename what the code knows."""
        numbers = {}
        for extension in self.extensions:
            for name in extension.commands if extension.supported else ():
                numbers[name] = min(numbers.get(name, extension.number), extension.number)
        for root in [c for c in self.commands.values() if c.aliases]:
            if root.version is not None and root.version <= ROOT_VERSION:
                continue
            names = [root.name, *root.aliases]
            shared = [n for n in names if n in numbers and n.endswith(('KHR', 'EXT'))]
            first = min(shared, key=lambda n: (numbers[n], n), default=root.name)
            for name in names:
                self.commands[name].alias_of = '' if name == first else first
                self.commands[name].aliases = []
            self.commands[first].aliases = [n for n in names if n != first]

    def close_native(self, types):
        """A native type makes the types of its members native."""
        todo = [self.aliases.get(name, name) for name in sorted(types)]
        done = set()
        for command in self.commands.values():
            if command.native:
                todo += [param.base for param in command.params]
        while todo:
            name = todo.pop()
            if name in done:
                continue
            done.add(name)
            for table in (self.structs, self.enums, self.handles):
                if name in table:
                    table[name].native = True
            if name in self.structs:
                todo += [field.base for field in self.structs[name].fields]


def read(vk_xml, video_xml=None):
    """Returns: a Model without overlay and layouts."""
    if video_xml is None:
        beside = os.path.join(os.path.dirname(os.path.abspath(vk_xml)), 'video.xml')
        video_xml = beside if os.path.exists(beside) else ''
    root = ElementTree.parse(vk_xml).getroot()
    inputs = [vk_xml]
    reader = Reader(root)
    pending = []
    if video_xml:
        video = ElementTree.parse(video_xml).getroot()
        inputs.append(video_xml)
        for item in video.iter('enum'):
            if item.get('value') is not None:
                reader.read_constant(item)
        pending += reader.read_types(video, video=True)
        reader.read_enums(video, video=True)
    pending += reader.read_types(root)
    reader.read_enums(root)
    reader.read_requirements(root)
    reader.add_extra_values()
    reader.link_flags()
    reader.read_members(pending)
    reader.read_commands(root)

    def by_name(things):
        return sorted(things, key=lambda thing: thing.name)

    structs = by_name(reader.structs.values())
    model = Model(
        name='vulkan', first_page=0, n_pages=2, header_version=reader.header_version, registry_hash=FNV_OFFSET,
        commands=by_name(reader.commands.values()),
        structs=[s for s in structs if not s.is_union and not s.video]
        + [s for s in structs if s.is_union and not s.video] + [s for s in structs if s.video],
        enums=by_name(reader.enums.values()), bitmasks=reader.bitmasks,
        handles=by_name(reader.handles.values()), extensions=by_name(reader.extensions),
        features=reader.features, platforms=reader.platforms, constants=reader.constants,
        inputs=inputs, visits_data=True, words=('VK_FALSE', 'VK_TRUE', 'VK_NULL_HANDLE'))
    reader.mark_native(model)
    reader.root_aliases()
    for path in inputs:
        with open(path, 'rb') as file:
            model.registry_hash = fnv1a(file.read(), model.registry_hash)
    model.number()
    return model
