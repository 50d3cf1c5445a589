# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""The tiny API as a Model: tests/tiny-api/tiny.xml, which says all that the overlays of larger APIs add.

Element by element:

    registry   true, false, null: what text calls boolean values, and a name that is no object
    kind       names: where its names are looked up; zero: whose object a name of 0 is; made: by what its
               objects begin ("use": by the first command that names them); name-ends-first: a name may end
               while its object lives; type="pointer": names are addresses
    enum       with the values of kinds, the numbers by which commands tell the kind of a name: PREFIX_KIND
    param      len, kind (the parameter that tells the kind of these names), out, makes and ends (what becomes
               of the object), lasting (the pointer is read by later commands), offset-if (when it is none)
    command    class: of model.CLASSES; tracks: the entry library keeps what it changes
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[3] / 'src' / 'api' / 'gen'))

import layout  # noqa: E402
from model import Command, Enum, EnumValue, Field, Handle, Lifetime, Model, fnv1a  # noqa: E402

# What can be written of this API alone.
EMITTERS = {'args': ('emit_tiny_args', 'emit')}

# Questions that C code answers (vtr-tiny-rules.c) -> operands.
QUESTIONS = {'store_bound': 0}

RESULTS = {'u32': 'u32', 'bool32': 'bool32', None: 'void'}
C_TYPES = {'u32': 'uint32_t', 'bool32': 'uint32_t', 'size': 'size_t', 'void': 'void'}


class Reader:
    def __init__(self, root):
        self.root = root
        self.words = tuple(root.get(word) for word in ('false', 'true', 'null'))
        self.enums = [self.read_enum(e) for e in root.iterfind('enum')]
        self.values = {value.name: value.value for enum in self.enums for value in enum.values}
        self.handles = [self.read_kind(e) for e in root.iterfind('kind')]
        self.handle_names = {handle.name for handle in self.handles}

    @staticmethod
    def read_enum(element):
        return Enum(name=element.get('name'), native=True,
                    values=[EnumValue(name=value.get('name'), value=int(value.get('value')))
                            for value in element.iterfind('value')])

    def read_kind(self, element):
        name = element.get('name')
        number = f'TN_{name.upper()}'
        return Handle(name=name, dispatchable=element.get('type') == 'pointer', parent='',
                      object_type=number if number in self.values else '', native=True,
                      names_in=element.get('names'), zero_in=element.get('zero') or '',
                      made_by_use=element.get('made') == 'use',
                      name_may_end_first=element.get('name-ends-first') == 'true')

    def read_param(self, element):
        spelled = element.get('type')
        base = re.sub(r'const |\*', '', spelled).strip()
        pointers = spelled.count('*')
        kind = base
        if base in self.handle_names:
            kind = 'handle'
        elif base in {enum.name for enum in self.enums}:
            kind = 'enum'
        length = (element.get('len') or '').replace('*', ' * ')
        lasting = element.get('lasting') == 'true'
        if kind == 'void' and pointers and not length:
            kind, pointers = 'address', 0
        param = Field(name=element.get('name'), base=base, kind=kind, pointers=pointers,
                      const=spelled.startswith('const '), is_param=True,
                      c_decl=f'{spelled.replace(base, C_TYPES.get(base, base))} {element.get("name")}',
                      lens=[length] if length else [], objecttype=element.get('kind') or '')
        param.lasting = lasting
        if element.get('offset-if'):
            param.offset_or_pointer = True
            param.live = f'not {element.get("offset-if")}'
            param.reason = 'with a store bound it is an offset into it'
        return param

    def read_command(self, element):
        name = element.get('name')
        elements = element.findall('param')
        result = element.get('result')
        command = Command(name=name, params=[self.read_param(e) for e in elements],
                          result_c=C_TYPES.get(result, result or 'void'),
                          result_kind='u64' if result in self.handle_names else RESULTS[result],
                          level='global', native=False)
        command.tracks = element.get('tracks') == 'true'
        command.classes = set((element.get('class') or '').split())
        command.order = 'before' if 'signal' in command.classes else 'after'
        for number, (param, item) in enumerate(zip(command.params, elements)):
            param.index, param.owner = number, command
            made = item.get('makes') or (item.get('out') if item.get('out') == 'reserved' else None)
            if made or item.get('ends'):
                life = Lifetime(handle=param.base if param.kind == 'handle' else '', param=param.name,
                                count=param.lens[0] if param.lens else '',
                                how={'use': 'use', 'reserved': 'reserved', 'name': 'name', 'both': 'plain',
                                     }[made or item.get('ends')])
                if made:
                    command.creates = life
                    command.classes.add('create')
                else:
                    command.destroys = life
                    command.classes.add('destroy')
        if result in self.handle_names:
            command.creates = Lifetime(handle=result, param='', how='result')
            command.classes.add('create')
        return command


def load_model(path):
    reader = Reader(ElementTree.parse(path).getroot())
    commands = sorted((reader.read_command(e) for e in reader.root.iterfind('command')),
                      key=lambda command: command.name)
    with open(path, 'rb') as file:
        registry_hash = fnv1a(file.read())
    model = Model(name='tiny', first_page=14, n_pages=1, header_version=1,
                  registry_hash=registry_hash, commands=commands, structs=[],
                  enums=sorted(reader.enums, key=lambda enum: enum.name), bitmasks={},
                  handles=sorted(reader.handles, key=lambda handle: handle.name), extensions=[],
                  features=[], platforms={}, constants={}, inputs=[path], questions=QUESTIONS, words=reader.words)
    model.number()
    layout.compute(model)
    return model
