# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""What a generator knows of an API: its Model, in words of no API.

A reader of a registry makes one, such as src/vulkan/gen/api_vulkan.py: registry and overlay joined, layouts
computed, ids assigned. Generators of an API's rooms read it. What they usually need:

    for command in model.commands:          # sorted by name; index == VTR_CMD_<name>
        command.name, command.params, command.result_c, command.result_kind
        command.native                      # has a C prototype in the headers that the build includes
        command.level                       # 'global', 'instance', 'physical_device', 'device'
        command.order                       # 'before' or 'after': when its record commits
        command.classes                     # set of names, see CLASSES
        command.c_prototype('name')         # C text of a definition with these parameters
    param.name, param.c_decl                # 'const VkBufferCreateInfo *pCreateInfo'
    param.kind, param.type, param.pointers  # see KINDS
    model.structs_by_name['VkExtent2D'].size['lp64']

Everything is a pure function of the input files: lists are sorted, nothing depends on time,
environment or hash seeds.
"""

from __future__ import annotations

from dataclasses import dataclass, field as dc_field

FNV_OFFSET = 0xcbf29ce484222325
FNV_PRIME = 0x100000001b3


def fnv1a(data, state=FNV_OFFSET):
    """Hash of the bytes of a registry."""
    for byte in data:
        state = ((state ^ byte) * FNV_PRIME) & 0xffffffffffffffff
    return state


# Ids in one page: the upper four bits of an id say which API it belongs to.
PAGE = 0x1000
N_PAGES = 16
# No API may have it: traces number the commands of APIs that a build lacks there.
FOREIGN_PAGE = 13

ABIS = ('lp64', 'i386', 'arm32')

# Kinds of a single element, in the order of VtrApiKind. 'void' is a run of bytes; 'address' is a
# pointer-sized value that is recorded and never followed; 'next' is a pNext pointer.
KINDS = (
    'void', 'char', 'u8', 'u16', 'u32', 'u64', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64', 'size',
    'bool32', 'enum', 'flags32', 'flags64', 'handle', 'struct', 'union', 'function', 'address',
    'next', 'bool8', 'ssize',
)

# Classes of commands in words of no API, in the order of the bits of VtrApiClass.
CLASSES = (
    'create', 'destroy', 'retrieve', 'draw', 'dispatch', 'clear', 'transfer', 'build', 'state',
    'query', 'wait', 'map', 'unmap', 'signal', 'frame_end', 'begin_label', 'end_label', 'begin_list',
    'end_list', 'run_list', 'make_current', 'reads_state', 'has_extra',
)
# Further bits that layouts and headers decide; those of a single API (Model.classes) begin above.
FURTHER_CLASSES = {'places': 29, 'c': 30, 'enabled': 31}
FIRST_OWN_CLASS = 32

# What a name is unique in, in the order of VtrApiNames.
NAMES = ('', 'process', 'display', 'device', 'group', 'context', 'object')


@dataclass
class Field:
    """A member of a struct or a parameter of a command."""

    name: str
    base: str                 # the type as the registry spells it, without pointers
    kind: str                 # of the innermost element, one of KINDS
    pointers: int             # levels that can be followed: 0, 1 or 2
    const: bool               # the innermost pointee is const: the driver only reads it
    c_decl: str               # C declaration
    dims: list[int] = dc_field(default_factory=list)   # of an array inside the slot
    bits: int = 0             # width of a bit-field, 0: none
    lens: list[str] = dc_field(default_factory=list)   # one expression per pointer level
    optional: list[bool] = dc_field(default_factory=list)
    externsync: str = ''
    values: str = ''          # the sType this member must have
    selector: str = ''        # sibling that says which member of this union is live
    selection: list[str] = dc_field(default_factory=list)
    objecttype: str = ''
    live: str = ''            # overlay: expression that is true while the driver looks at it
    reason: str = ''
    static_len: int = 0       # parameter declared as an array: elements behind the pointer
    is_param: bool = False
    sized: bool = False       # overlay: the decoder takes the length of the observation
    unchecked: bool = False   # the registry leaves its validity to the prose (noautovalidity)
    ruled: bool = False       # overlay: it has a rule, or a reason why it needs none
    tag: bool = False         # overlay: bytes for tools, which no device gets to see
    allocator: bool = False   # a VkAllocationCallbacks
    offset_or_pointer: bool = False   # overlay: a number while not .live
    lasting: bool = False     # overlay: later commands read behind the pointer
    hex: bool = False         # shown in hexadecimal
    device_address: bool = False
    handle: str = ''          # Handle that an element is, '': as .base says
    names: str = ''           # Enum with the names of its values, '': as .base says
    is_stype: bool = False    # says what its struct is, in front of a pNext pointer
    len_source: bool = False  # some length of a sibling is read from here
    index: int = 0            # within its owner
    owner: object = None
    # Computed by layout.py, by ABI.
    offset: dict[str, int] = dc_field(default_factory=dict)
    size: dict[str, int] = dc_field(default_factory=dict)
    bit_offset: int = 0

    @property
    def type(self) -> str:
        return self.handle or self.names or self.base

    @property
    def count(self) -> int:
        total = 1
        for dim in self.dims:
            total *= dim
        return total


@dataclass
class Struct:
    """A struct or union."""

    name: str
    fields: list[Field]
    is_union: bool = False
    returned_only: bool = False
    extends: list[str] = dc_field(default_factory=list)
    stype: str = ''
    aliases: list[str] = dc_field(default_factory=list)
    video: bool = False       # comes from video.xml
    native: bool = False      # has a C definition in vtr-vulkan.h
    extension: str = ''       # that introduced it, '' for core
    platform: str = ''
    index: int = 0
    size: dict[str, int] = dc_field(default_factory=dict)
    align: dict[str, int] = dc_field(default_factory=dict)
    # Transitive facts, computed by layout.py.
    has_pointers: bool = False
    has_handles: bool = False
    has_out: bool = False
    has_next: bool = False
    has_next_out: bool = False
    has_address: bool = False
    has_places: bool = False

    def field(self, name: str) -> Field:
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(f'{self.name}.{name}')


@dataclass
class EnumValue:
    name: str
    value: int
    alias: str = ''           # name of the value this one repeats
    extension: str = ''
    bit: int = -1


@dataclass
class Enum:
    """An enumeration or the bits of a bitmask."""

    name: str
    values: list[EnumValue] = dc_field(default_factory=list)
    is_bitmask: bool = False
    width: int = 32
    aliases: list[str] = dc_field(default_factory=list)
    flags_type: str = ''      # VkFooFlags whose bits these are
    video: bool = False
    native: bool = False
    index: int = 0


@dataclass
class Bitmask:
    """A VkFooFlags type."""

    name: str
    width: int
    bits: str                 # Enum with its bits, '' when none exist yet


@dataclass
class Handle:
    name: str
    dispatchable: bool
    parent: str
    object_type: str          # enumerant that tells its kind, '' for none
    aliases: list[str] = dc_field(default_factory=list)
    native: bool = False
    platform: str = ''
    names_in: str = 'process'  # one of NAMES
    zero_in: str = ''         # one of NAMES, '' when a name of 0 is no object
    made_by_use: bool = False
    size: int = 8             # bytes of a name, unless dispatchable
    name_may_end_first: bool = False
    index: int = 0


@dataclass
class Extension:
    name: str
    number: int
    kind: str                 # 'instance', 'device' or ''
    platform: str
    provisional: bool
    supported: bool
    native: bool              # the headers that the build includes declare what it brings
    depends: str
    promoted_to: str
    commands: list[str] = dc_field(default_factory=list)
    types: list[str] = dc_field(default_factory=list)
    index: int = 0


@dataclass
class Feature:
    name: str                 # VK_VERSION_1_1
    version: tuple[int, int]
    commands: list[str] = dc_field(default_factory=list)
    types: list[str] = dc_field(default_factory=list)


@dataclass
class Lifetime:
    """What a command creates or destroys."""

    handle: str               # type name
    param: str                # the parameter that holds the handle(s)
    count: str = ''           # expression, '' for one
    pool: str = ''            # expression for the pool allocated from, '' for none
    parent: str = ''          # type of the object it belongs to
    how: str = 'plain'        # as VtrApiHow, in lower case


@dataclass
class Command:
    name: str
    params: list[Field]
    result_c: str             # C spelling of the result
    result_kind: str          # 'void', 'result', 'bool32', 'u32', 'i32', 'u64', 'f32', 'enum', 'function', 'address', 'string'
    result_type: str = ''     # Enum of an 'enum', Handle of a 'u32' or 'u64'; '': none
    alias_of: str = ''
    aliases: list[str] = dc_field(default_factory=list)
    success: list[str] = dc_field(default_factory=list)
    errors: list[str] = dc_field(default_factory=list)
    queues: str = ''
    renderpass: str = ''
    buffer_level: str = ''
    level: str = 'device'
    order: str = 'after'
    classes: set[str] = dc_field(default_factory=set)
    creates: Lifetime | None = None
    destroys: Lifetime | None = None
    extension: str = ''       # the first that brings it
    others: list[str] = dc_field(default_factory=list)   # that bring it, too
    version: tuple[int, int] | None = None
    platform: str = ''
    supported: bool = True    # some enabled feature or extension requires it
    native: bool = False
    index: int = 0

    def param(self, name: str) -> Field:
        for candidate in self.params:
            if candidate.name == name:
                return candidate
        raise KeyError(f'{self.name}({name})')

    def c_prototype(self, symbol: str) -> str:
        """C text of the head of a function with this command's signature."""
        params = ', '.join(p.c_decl for p in self.params) or 'void'
        return f'{self.result_c} VKAPI_CALL {symbol} ({params})'


@dataclass
class Model:
    name: str                 # 'vulkan': of the API, and in front of its commands in files
    first_page: int           # of the ids of commands, structs, enums and handles
    n_pages: int
    header_version: int
    registry_hash: int        # FNV-1a 64 over the input files
    commands: list[Command]
    structs: list[Struct]     # structs, then unions, then video structs; each sorted by name
    enums: list[Enum]
    bitmasks: dict[str, Bitmask]
    handles: list[Handle]
    extensions: list[Extension]
    features: list[Feature]
    platforms: dict[str, str]             # name -> protecting macro
    constants: dict[str, int]
    commands_by_name: dict[str, Command] = dc_field(default_factory=dict)
    structs_by_name: dict[str, Struct] = dc_field(default_factory=dict)
    enums_by_name: dict[str, Enum] = dc_field(default_factory=dict)
    handles_by_name: dict[str, Handle] = dc_field(default_factory=dict)
    extensions_by_name: dict[str, Extension] = dc_field(default_factory=dict)
    inputs: list[str] = dc_field(default_factory=list)
    classes: tuple = ()       # of commands, besides CLASSES
    questions: dict[str, int] = dc_field(default_factory=dict)   # that C code answers -> operands
    visits_data: bool = False   # C code visits data whose shape other objects say
    words: tuple = ('false', 'true', '0')   # for people: a truth that is not, one that is, a name of nothing
    status_enum: str = ''     # of results that are 'result'
    # Numbers that text has a name for: (member, '' for any; type of the member; number; name, '' where the
    # member is a packed version).
    specials: tuple = ()

    def number(self):
        """Gives everything its index and finds it by name."""
        for things, index in ((self.commands, self.commands_by_name),
                              (self.structs, self.structs_by_name),
                              (self.enums, self.enums_by_name),
                              (self.handles, self.handles_by_name),
                              (self.extensions, self.extensions_by_name)):
            for number, thing in enumerate(things):
                thing.index = number
                index[thing.name] = thing
                for alias in getattr(thing, 'aliases', ()):
                    if not isinstance(thing, Command):
                        index[alias] = thing

    def flat_id(self, thing) -> int:
        """The id of a command, struct, enum or handle: unique among those of all APIs."""
        return self.first_id + thing.index

    @property
    def first_id(self) -> int:
        return self.first_page * PAGE

    def enum_value(self, name: str) -> int:
        """Value of an enumerant, by name. Raises KeyError."""
        if not hasattr(self, '_enumerants'):
            self._enumerants = {v.name: v.value for e in self.enums for v in e.values}
        if name in self._enumerants:
            return self._enumerants[name]
        return self.constants[name]
