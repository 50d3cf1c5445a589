#!/usr/bin/env python3
# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""The generator against golden files, twice, and the model of the real registry.

usage: test-generator.py FOLDER-OF-VULKAN VK.XML
       test-generator.py FOLDER-OF-VULKAN --update    rewrites the golden files
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / 'golden'
FOLDER = pathlib.Path(sys.argv[1]).resolve()
REGISTRY = sys.argv[2]
GENERATOR = FOLDER.parents[1] / 'api' / 'gen' / 'generate.py'
EMITTERS = {'ids': 'ids', 'tables': 'tables', 'args': 'vulkan:args', 'dispatch-header': 'vulkan:dispatch-header',
            'dispatch-source': 'vulkan:dispatch-source', 'layout-test': 'vulkan:layout-test'}

sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

from api_vulkan import load_model  # noqa: E402
import expression  # noqa: E402
import overlay_vk  # noqa: E402
from tables import Tables  # noqa: E402


def generate(emitter, output, seed):
    """Runs the generator as the build does; @seed differs so that no order may depend on it."""
    environment = dict(os.environ, PYTHONHASHSEED=seed)
    subprocess.run([sys.executable, '-B', str(GENERATOR), '--api', 'vulkan', str(FOLDER),
                    str(GOLDEN / 'mini.xml'), '--emit', EMITTERS[emitter], '--output', str(output)],
                   check=True, env=environment)
    return output.read_bytes()


class Golden(unittest.TestCase):
    def test_golden(self):
        with tempfile.TemporaryDirectory() as folder:
            for emitter in EMITTERS:
                with self.subTest(emitter=emitter):
                    first = generate(emitter, pathlib.Path(folder) / 'first', '1')
                    second = generate(emitter, pathlib.Path(folder) / 'second', '2')
                    self.assertEqual(first, second, 'a second run differs')
                    golden = (GOLDEN / f'{emitter}.golden').read_bytes()
                    self.assertEqual(first.decode(), golden.decode())


class Mini(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = load_model(str(GOLDEN / 'mini.xml'))

    def test_other_apis_are_left_out(self):
        self.assertNotIn('vkSafetyFirst', self.model.commands_by_name)
        self.assertEqual([f.name for f in self.model.structs_by_name['VkProperties'].fields],
                         ['size', 'usedCount', 'used'])
        self.assertEqual(self.model.commands_by_name['vkCreateThings'].version, (1, 0))

    def test_layouts(self):
        info = self.model.structs_by_name['VkThingCreateInfo']
        self.assertEqual(info.size, {'lp64': 120, 'i386': 84, 'arm32': 88})
        self.assertEqual(info.field('high').bit_offset, 24)
        self.assertEqual(info.field('matrix').dims, [2, 3])

    def test_enum_values(self):
        self.assertEqual(self.model.enum_value('VK_KIND_NAME'), 1000001001)
        self.assertEqual(self.model.enum_value('VK_KIND_TEXT_EXT'), 1)
        self.assertEqual(self.model.enum_value('VK_WIDE_FAR_BIT'), 1 << 40)

    def test_platforms(self):
        self.assertFalse(self.model.commands_by_name['vkShowWindowKHR'].native)
        self.assertTrue(self.model.commands_by_name['vkCreateThingsKHR'].native)

    def test_unchecked_pointers_are_probed(self):
        """Without a rule: of a registry newer than the overlay."""
        info = self.model.structs_by_name['VkThingCreateInfo']
        code = info.field('pCode')
        self.assertFalse(overlay_vk.is_unruled(code))
        code.unchecked = True
        try:
            self.assertTrue(overlay_vk.is_unruled(code))
            overlay_vk.settle(code)
            self.assertEqual(code.live, overlay_vk.UNCERTAIN)
            overlay_vk.apply_entry(self.model, code, 'needed', ('always looked at',))
            self.assertFalse(overlay_vk.is_unruled(code))
        finally:
            code.unchecked, code.ruled, code.live = False, False, ''

    def test_bad_expressions_fail(self):
        part = Tables([self.model]).parts[0]
        owner = self.model.structs_by_name['VkThingCreateInfo']
        for text in ('nothing', 'kind +', 'strange(kind)', 'dynamic()', 'VK_NEVER'):
            with self.subTest(text=text), self.assertRaises(expression.ExpressionError):
                part.compiler.compile(text, owner)


class Real(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = load_model(REGISTRY)

    def test_counts(self):
        if self.model.header_version != 239:
            self.skipTest('known for header version 239 only')
        self.assertEqual(sum(not c.alias_of for c in self.model.commands), 549)
        structs = [s for s in self.model.structs if not s.is_union and not s.video]
        self.assertEqual(len(structs), 883)

    def test_every_entry_has_a_reason(self):
        for action, owner, member, arguments in overlay_vk.ENTRIES:
            self.assertGreater(len(arguments[-1]), 15, f'{action} {owner}.{member}')

    def test_entries_apply(self):
        if self.model.header_version < 239:
            self.skipTest('an older registry lacks some of them')
        for action, owner, member, _arguments in overlay_vk.ENTRIES:
            if action != 'returned' and owner not in overlay_vk.NEWER:
                self.assertIsNotNone(overlay_vk.find(self.model, owner, member),
                                     f'{owner}.{member} does not exist')

    def test_every_unchecked_pointer_has_a_rule(self):
        """The registry does not say when pointers and handles marked noautovalidity are ignored: each has
        a rule in the overlay, or a reason why it needs none. A newer registry fails here: read what
        the specification says of the new ones."""
        unruled = [f'{owner.name}.{field.name}'
                   for owner in self.model.structs + self.model.commands
                   for field in getattr(owner, 'params', None) or owner.fields
                   if overlay_vk.is_unruled(field)]
        self.assertEqual(unruled, [])

    def test_video_pointers_have_rules(self):
        for struct in self.model.structs:
            for field in struct.fields:
                if struct.video and field.pointers:
                    self.assertTrue(field.live, f'{struct.name}.{field.name}')

    def test_pointers_have_lengths(self):
        """Every pointer is followed with a length, or recorded as an address."""
        for struct in self.model.structs:
            for field in struct.fields:
                if field.pointers and field.kind == 'void':
                    self.assertTrue(field.lens, f'{struct.name}.{field.name}')

    def test_places(self):
        """Which commands may give the device addresses: from a table of facts, pNext included."""
        def has(name):
            return 'places' in self.model.commands_by_name[name].classes

        for name in ('vkCmdPushConstants', 'vkCmdUpdateBuffer', 'vkCreateComputePipelines',
                     'vkUpdateDescriptorSets', 'vkUpdateDescriptorSetWithTemplate',
                     'vkCmdPushDescriptorSetKHR', 'vkCmdTraceRaysKHR', 'vkCmdTraceRaysIndirectKHR',
                     'vkCmdBuildAccelerationStructuresKHR', 'vkCreateBuffer'):
            self.assertTrue(has(name), name)
        for name in ('vkCmdDraw', 'vkCmdBindPipeline', 'vkCmdBindVertexBuffers', 'vkQueueSubmit',
                     'vkGetQueryPoolResults', 'vkGetBufferDeviceAddress', 'vkCreateShaderModule',
                     'vkCmdPipelineBarrier', 'vkCmdEndRenderPass'):
            self.assertFalse(has(name), name)


def update():
    for emitter in EMITTERS:
        generate(emitter, GOLDEN / f'{emitter}.golden', '0')


if __name__ == '__main__':
    if REGISTRY == '--update':
        update()
    else:
        unittest.main(argv=sys.argv[:1])
