#!/usr/bin/env python3
# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""The model of the tiny API: what its registry says reaches the tables, beside those of another API.

Usage: test-model.py GENERATOR NAME FOLDER REGISTRY COMPILER…   the API that stands in front of the tiny one"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TINY = HERE / 'tiny.xml'
GENERATOR, *FIRST = sys.argv[1:5]
COMPILER = sys.argv[5:]

sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE / 'gen'))

import api_tiny  # noqa: E402
import emit_tables  # noqa: E402
from tables import Tables  # noqa: E402


def life(lifetime):
    return lifetime and (lifetime.handle, lifetime.param, lifetime.how)


class Facts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = api_tiny.load_model(str(TINY))
        cls.part = Tables([cls.model]).parts[0]

    def field(self, command, name):
        return self.model.commands_by_name[command].param(name)

    def flags(self, command, name):
        return set(self.part.flags(self.field(command, name), False))

    def row(self, name):
        """What the table of kinds has of one."""
        lines = [line for line in emit_tables.emit_handles(self.part.tables) if f'/* {name} */' in line]
        self.assertEqual(len(lines), 1)
        return lines[0]

    def test_what_names_are_unique_in(self):
        kinds = self.model.handles_by_name
        self.assertEqual({name: (kind.names_in, kind.zero_in) for name, kind in kinds.items()},
                         {'TnContext': ('process', ''), 'picture': ('group', 'context'),
                          'store': ('group', ''), 'array': ('context', 'context')})
        self.assertIn('VTR_NAMES_IN_GROUP, VTR_NAMES_IN_CONTEXT,', self.row('picture'))
        self.assertIn('VTR_NAMES_IN_GROUP, VTR_NAMES_NOWHERE,', self.row('store'))

    def test_flags_of_kinds(self):
        flags = {name: emit_tables.handle_flags(kind)
                 for name, kind in self.model.handles_by_name.items()}
        self.assertEqual(flags, {'TnContext': [],
                                 'picture': ['ZERO_IS_OBJECT', 'MADE_BY_USE', 'NAME_MAY_END_FIRST'],
                                 'store': ['MADE_BY_USE', 'NAME_MAY_END_FIRST'],
                                 'array': ['ZERO_IS_OBJECT', 'MADE_BY_USE']})
        self.assertIn('VTR_HANDLE_ZERO_IS_OBJECT | VTR_HANDLE_MADE_BY_USE,', self.row('array'))

    def test_numbers_of_kinds(self):
        """By these a command tells the kind of a name; no command does so for contexts."""
        self.assertEqual({name: kind.object_type and self.model.enum_value(kind.object_type)
                          for name, kind in self.model.handles_by_name.items()},
                         {'TnContext': '', 'picture': 1, 'store': 2, 'array': 3})
        self.assertTrue(self.model.handles_by_name['TnContext'].dispatchable)

    def test_lifetimes(self):
        found = {command.name: (life(command.creates), life(command.destroys))
                 for command in self.model.commands if command.creates or command.destroys}
        self.assertEqual(found, {
            'tnCreateContext': (('TnContext', '', 'result'), None),
            'tnDestroyContext': (None, ('TnContext', 'context', 'plain')),
            'tnGen': (('', 'names', 'reserved'), None),
            'tnDelete': (None, ('', 'names', 'name')),
            'tnBind': (('', 'name', 'use'), None)})
        for name, (made, ended) in found.items():
            classes = self.model.commands_by_name[name].classes
            self.assertEqual(('create' in classes, 'destroy' in classes),
                             (made is not None, ended is not None), name)

    def test_names_whose_kind_another_argument_tells(self):
        for command, name in (('tnBind', 'name'), ('tnGen', 'names'), ('tnDelete', 'names')):
            field = self.field(command, name)
            self.assertIn('OBJECT', self.flags(command, name))
            # Behind the lengths of its pointers.
            self.assertNotEqual(self.part.compiled[id(field)][field.pointers], 0)
        self.assertNotIn('OBJECT', self.flags('tnPen', 'rgba'))

    def test_pointers_that_may_be_offsets(self):
        found = {(command.name, field.name) for command in self.model.commands for field in command.params
                 if 'OFFSET_OR_POINTER' in self.flags(command.name, field.name)}
        self.assertEqual(found, {('tnPictureData', 'texels'), ('tnPointer', 'points')})
        for command, name in found:
            self.assertEqual(self.field(command, name).live, 'not store_bound()')

    def test_only_parameters_may_be_offsets(self):
        model = api_tiny.load_model(str(TINY))
        field = model.commands_by_name['tnPictureData'].param('texels')
        field.is_param = False
        with self.assertRaisesRegex(ValueError, 'tnPictureData.texels'):
            Tables([model])

    def test_pointers_that_later_commands_read(self):
        found = {(command.name, field.name) for command in self.model.commands for field in command.params
                 if 'LASTING' in self.flags(command.name, field.name)}
        self.assertEqual(found, {('tnPointer', 'points')})

    def test_classes(self):
        classes = {command.name: command.classes for command in self.model.commands}
        self.assertLessEqual({'draw', 'reads_state'}, classes['tnDraw'])
        self.assertLessEqual({'signal', 'frame_end'}, classes['tnSwap'])
        self.assertIn('make_current', classes['tnMakeCurrent'])
        self.assertEqual({command.name for command in self.model.commands if command.order == 'before'},
                         {'tnDestroyContext', 'tnDelete', 'tnFlush', 'tnSwap'})

    def test_unknown_classes_fail(self):
        model = api_tiny.load_model(str(TINY))
        model.commands_by_name['tnPen'].classes.add('paint')
        with self.assertRaisesRegex(ValueError, 'tnPen.*paint'):
            emit_tables.emit([model])


class BesideAnother(unittest.TestCase):
    """Python and C agree: the tables say so themselves when they are compiled."""

    def test_tables_compile(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / 'api').mkdir()
            files = {'ids': folder / 'api' / 'vtr-api-ids.h', 'tables': folder / 'tables.c'}
            for emitter, path in files.items():
                subprocess.run([sys.executable, '-B', GENERATOR, '--api', *FIRST,
                                '--api', 'tiny', str(HERE / 'gen'), str(TINY),
                                '--emit', emitter, '--output', str(path)], check=True)
            subprocess.run([*COMPILER, '-std=gnu17', '-Wall', '-Werror', '-fsyntax-only',
                            f'-I{folder}', f'-I{folder / "api"}', f'-I{HERE.parents[1] / "src"}',
                            str(files['tables'])], check=True)
            ids, tables = (path.read_text(encoding='utf-8') for path in files.values())
        self.assertIn('VTR_CMD_tnBind = 57344,', ids)
        self.assertIn('VTR_TINY_ASK_STORE_BOUND,', ids)
        self.assertIn('.answer = vtr_tiny_answer,', tables)
        # It has no fields whose shape other objects say.
        self.assertNotIn('vtr_tiny_visit_data', tables)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
