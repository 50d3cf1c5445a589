# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Gives everything in a Model its place in the C tables: fields, strings, programs."""

from expression import Compiler

NONE = 0xffff
PAIR = 2


class Strings:
    """One blob of NUL-terminated names; 0 is the empty one."""

    def __init__(self):
        self.offsets = {'': 0}
        self.items = ['']
        self.size = 1

    def add(self, text):
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.items.append(text)
            self.size += len(text.encode()) + 1
        return self.offsets[text]


class Words:
    """A list of 16-bit words in which runs are shared."""

    def __init__(self):
        self.words = [0]
        self.known = {(): 0}

    def add(self, run):
        run = tuple(run)
        if run not in self.known:
            self.known[run] = len(self.words)
            self.words += run
            if len(self.words) > NONE:
                raise ValueError('more than 65535 words')
        return self.known[run]


class Tables:
    """What the APIs of a build share: fields, names and programs lie in one table each."""

    def __init__(self, models):
        self.models = models
        self.strings = Strings()
        self.programs, self.walk, self.extends = Words(), Words(), Words()
        self.position = {}
        self.n_fields = 0
        self.parts = [Part(self, model) for model in models]
        if self.n_fields > NONE:
            raise ValueError('more than 65535 fields')


class Part:
    """The part of one API."""

    def __init__(self, tables, model):
        self.model, self.tables = model, tables
        self.programs, self.walk, self.extends = tables.programs, tables.walk, tables.extends
        self.strings, self.position = tables.strings, tables.position
        owners = [(s, s.fields) for s in model.structs] + [(c, c.params) for c in model.commands]
        self.first, self.first_field = {}, tables.n_fields
        for owner, fields in owners:
            self.first[owner.name] = tables.n_fields
            for field in fields:
                self.position[id(field)] = tables.n_fields
                tables.n_fields += 1
        self.compiler = Compiler(model, lambda field: self.position[id(field)], self.parents())
        self.compiled = {}
        for owner, fields in owners:
            for field in fields:
                self.compiled[id(field)] = self.compile(owner, field)

    def parents(self):
        parents = {}
        for struct in self.model.structs:
            for field in struct.fields:
                if field.kind in ('struct', 'union'):
                    parents.setdefault(field.base, []).append(struct)
        return parents

    def expression(self, owner, text):
        return self.programs.add(self.compiler.compile(text, owner)) if text else 0

    def compile(self, owner, field):
        """(length of the outer pointer, of the inner one, live, whether a string)"""
        if field.offset_or_pointer and not field.is_param:
            raise ValueError(f'{owner.name}.{field.name}: only a parameter may be an offset')
        levels, string = [0, 0], False
        for number, text in enumerate(field.lens[:PAIR]):
            if text == 'null-terminated':
                string = True
            elif text != '1':
                levels[number] = self.expression(owner, text)
        if field.static_len:
            levels[0] = self.expression(owner, str(field.static_len))
        if field.objecttype:
            levels[field.pointers] = self.expression(owner, field.objecttype)
        live = field.live
        if field.selection:
            live = f'parent.{self.selector(owner)} in ({", ".join(field.selection)},)'
        return levels[0], levels[1], self.expression(owner, live), string

    def selector(self, union):
        names = {field.selector for struct in self.model.structs for field in struct.fields
                 if field.base == union.name and field.selector}
        if len(names) != 1:
            raise ValueError(f'{union.name}: selectors {sorted(names)}')
        return names.pop()

    def type_index(self, field):
        model = self.model
        if field.kind in ('struct', 'union'):
            return model.flat_id(model.structs_by_name[field.base])
        if field.kind == 'handle':
            return model.flat_id(model.handles_by_name[field.type])
        if field.kind in ('enum', 'flags32', 'flags64'):
            name = field.type
            if name in model.bitmasks:
                name = model.bitmasks[name].bits
            return model.flat_id(model.enums_by_name[name]) if name in model.enums_by_name else NONE
        if field.allocator:
            return model.flat_id(model.structs_by_name[field.base])
        return NONE

    def flags(self, field, string):
        follows = field.pointers > 0
        struct = self.model.structs_by_name.get(field.base)
        counted = follows and field.len_source and field.kind not in ('struct', 'union')
        names = [
            ('CONST', follows and field.const),
            ('OUT', follows and not field.const),
            ('IN', follows and (field.const or counted or bool(
                struct and field.kind == 'struct' and not struct.returned_only))),
            ('OPTIONAL', bool(field.optional and field.optional[0])),
            ('STRING', string), ('LEN_SOURCE', field.len_source),
            ('STYPE', field.is_stype),
            ('SIZED', field.sized), ('EXTERNSYNC', bool(field.externsync)),
            ('ARRAY_2D', len(field.dims) == PAIR),
            ('HEX', field.hex),
            ('ALLOCATOR', field.allocator), ('SELECTED', bool(field.selection)),
            ('OBJECT', bool(field.objecttype) and field.kind in ('u32', 'u64')),
            ('OFFSET_OR_POINTER', field.offset_or_pointer), ('LASTING', field.lasting),
        ]
        return [name for name, value in names if value]

    def pointer_run(self, owner, fields):
        """Fields that hold, or embed, pointers to follow."""
        run = []
        for field in fields:
            embedded = (field.pointers == 0 and field.kind in ('struct', 'union')
                        and self.model.structs_by_name[field.base].has_pointers)
            if field.pointers > 0 or field.kind == 'next' or embedded:
                run.append(self.position[id(field)])
        return self.walk.add(run), len(run)

    def extends_run(self, struct):
        names = [n for n in struct.extends if n in self.model.structs_by_name]
        run = sorted({self.model.flat_id(self.model.structs_by_name[name]) for name in names})
        return self.extends.add(run), len(run)
