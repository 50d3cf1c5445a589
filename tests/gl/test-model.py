#!/usr/bin/env python3
# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""The model of OpenGL against its registries, read here by other code.

usage: test-model.py FOLDER-OF-GL GENERATOR GL.XML EGL.XML GLX.XML COMPILER…
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

FOLDER, GENERATOR = sys.argv[1:3]
REGISTRIES = sys.argv[3:6]
COMPILER = sys.argv[6:]
SOURCE = pathlib.Path(FOLDER).parents[1]

sys.dont_write_bytecode = True
sys.path.insert(0, FOLDER)

import api_gl  # noqa: E402
import overlay_gl  # noqa: E402
from tables import Tables  # noqa: E402


def life(lifetime):
    return lifetime and (lifetime.handle, lifetime.param, lifetime.how, lifetime.count)


class Model(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        overlay_gl.USED.clear()
        cls.model = api_gl.load_model(':'.join(REGISTRIES))
        cls.used = set(overlay_gl.USED)
        cls.roots = [ElementTree.parse(path).getroot() for path in REGISTRIES]
        cls.part = Tables([cls.model]).parts[0]

    def command(self, name):
        return self.model.commands_by_name[name]

    def param(self, command, name):
        return self.command(command).param(name)

    # --- Completeness ----------------------------------------------------------------------

    def test_every_command(self):
        names = [proto.text for root in self.roots for proto in root.iterfind('commands/command/proto/name')]
        self.assertEqual([command.name for command in self.model.commands], sorted(names))
        self.assertEqual(len(names), len(set(names)))
        counts = {element.findtext('proto/name'): len(element.findall('param'))
                  for root in self.roots for element in root.iterfind('commands/command')}
        self.assertEqual({command.name: len(command.params) for command in self.model.commands}, counts)

    def test_every_enumerant(self):
        known = {(value.name, value.value) for enum in self.model.enums for value in enum.values}
        names = {name for name, _value in known}
        texts = []
        for root in self.roots:
            for item in root.iterfind('enums/enum'):
                if item.get('value').startswith('"'):
                    texts.append(item.get('name'))
                else:
                    self.assertIn(item.get('name'), names)
        self.assertEqual(texts, ['GLX_EXTENSION_NAME'])
        for name, value in (('GL_TEXTURE_2D', 0x0de1), ('GL_TIMEOUT_IGNORED', 0xffffffffffffffff),
                            ('EGL_NONE', 0x3038), ('EGL_DONT_CARE', -1), ('GLX_RGBA', 4),
                            ('GL_ACTIVE_PROGRAM_EXT', 0x8259), ('GL_ACTIVE_PROGRAM_EXT', 0x8b8d)):
            self.assertIn((name, value), known)

    def test_every_group(self):
        """A group of a parameter is an enumeration, if the registry has values of it."""
        groups = {group for root in self.roots for item in root.iterfind('enums/enum')
                  for group in (item.get('group') or '').split(',') if group}
        self.assertEqual(groups - {enum.name for enum in self.model.enums}, set())
        self.assertEqual(self.param('glBindTexture', 'target').names, 'TextureTarget')
        self.assertEqual(self.param('glTexImage2D', 'internalformat').kind, 'enum')
        self.assertTrue(self.model.enums_by_name['ClearBufferMask'].is_bitmask)
        self.assertFalse(self.model.enums_by_name['TextureTarget'].is_bitmask)
        self.assertEqual(self.param('eglCreateContext', 'attrib_list').names, 'EGLAttribute')
        self.assertEqual(self.command('eglGetError').result_type, 'EGLAttribute')
        self.assertEqual(self.command('glCheckFramebufferStatus').result_type, 'FramebufferStatus')

    def test_every_extension(self):
        names = {element.get('name') for root in self.roots for element in root.iterfind('extensions/extension')}
        self.assertEqual({extension.name for extension in self.model.extensions}, names)

    def test_versions(self):
        """OpenGL ES has 144 commands in 1.0, and 358 in 3.2; some of them are desktop OpenGL's, too."""
        def count(prefix):
            return sum(len(feature.commands) for feature in self.model.features if feature.name.startswith(prefix))

        for prefix, number in (('GL_VERSION_ES_CM', 144), ('GL_ES_VERSION', 358), ('EGL_VERSION', 44)):
            expected = sum(len(feature.findall('require/command')) for root in self.roots
                           for feature in root.iterfind('feature') if feature.get('name').startswith(prefix))
            self.assertEqual(count(prefix), expected)
            self.assertGreaterEqual(expected, number)
        self.assertEqual(self.command('glBindTexture').version, (1, 1))
        self.assertEqual(self.command('glClipPlanef').version, (128 + 1, 0))
        self.assertEqual(self.command('glPrimitiveBoundingBox').version, (2 * 128 + 3, 2))
        self.assertEqual(self.command('eglCreateSync').version, (3 * 128 + 1, 5))
        self.assertEqual(self.command('glMapBufferOES').extension, 'GL_OES_mapbuffer')
        self.assertEqual(self.command('glBindTextureEXT').alias_of, 'glBindTexture')

    # --- Names -----------------------------------------------------------------------------

    def test_names_have_kinds(self):
        """Whatever the registry gives a class is a name of 32 bits, or a handle."""
        for root in self.roots:
            for element in root.iterfind('commands/command'):
                command = self.command(element.findtext('proto/name'))
                for item, param in zip(element.iterfind('param'), command.params):
                    if item.get('class') and item.findtext('ptype') != 'GLhandleARB':
                        self.assertTrue(param.kind in ('handle', 'address'), f'{command.name}.{param.name}')
        for command, name, kind in (('glBindTexture', 'texture', 'texture'), ('glDeleteBuffers', 'buffers', 'buffer'),
                                    ('glAttachShader', 'shader', 'shader'), ('glWaitSync', 'sync', 'GLsync'),
                                    ('glBindProgramARB', 'program', 'arb_program'),
                                    ('eglMakeCurrent', 'draw', 'EGLSurface'),
                                    ('glEGLImageTargetTexture2DOES', 'image', 'GLeglImageOES')):
            self.assertEqual(self.param(command, name).type, kind)

    def test_sizes_of_names(self):
        field = self.param('glBindTexture', 'texture')
        self.assertEqual(field.size, {'lp64': 4, 'i386': 4, 'arm32': 4})
        self.assertEqual(self.param('glWaitSync', 'sync').size, {'lp64': 8, 'i386': 4, 'arm32': 4})
        self.assertEqual(self.param('glBufferData', 'size').kind, 'ssize')
        self.assertEqual(self.param('glUniformMatrix4fv', 'transpose').kind, 'bool8')

    def test_what_names_are_unique_in(self):
        kinds = self.model.handles_by_name
        self.assertEqual({name: (kinds[name].names_in, kinds[name].zero_in) for name in
                          ('texture', 'buffer', 'framebuffer', 'vertex_array', 'query', 'program', 'EGLDisplay')},
                         {'texture': ('group', 'context'), 'buffer': ('group', ''),
                          'framebuffer': ('context', 'context'), 'vertex_array': ('context', 'context'),
                          'query': ('context', ''), 'program': ('group', ''), 'EGLDisplay': ('process', '')})
        numbers = [self.model.enum_value(kind.object_type) for kind in self.model.handles]
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertEqual(self.model.enum_value(kinds['texture'].object_type), 0x1702)

    def test_names_whose_kind_another_argument_tells(self):
        field = self.param('glObjectLabel', 'name')
        self.assertIn('OBJECT', self.part.flags(field, False))
        self.assertEqual(field.objecttype, 'identifier')

    def test_lifetimes(self):
        made = {'glGenTextures': ('texture', 'textures', 'reserved', 'n'),
                'glCreateTextures': ('texture', 'textures', 'plain', 'n'),
                'glBindTexture': ('texture', 'texture', 'use', ''),
                'glCreateShader': ('shader', '', 'result', ''),
                'glGenLists': ('display_list', '', 'result', 'range'),
                'glFenceSync': ('GLsync', '', 'result', ''),
                'eglCreateContext': ('EGLContext', '', 'result', ''),
                'glXCreatePbuffer': ('GLXDrawable', '', 'result', '')}
        ended = {'glDeleteTextures': ('texture', 'textures', 'name', 'n'),
                 'glDeleteFramebuffers': ('framebuffer', 'framebuffers', 'plain', 'n'),
                 'glDeleteProgram': ('program', 'program', 'name', ''),
                 'glDeleteLists': ('display_list', 'list', 'plain', 'range'),
                 'eglDestroyContext': ('EGLContext', 'ctx', 'name', '')}
        self.assertEqual({name: life(self.command(name).creates) for name in made}, made)
        self.assertEqual({name: life(self.command(name).destroys) for name in ended}, ended)
        for command in self.model.commands:
            self.assertEqual(command.creates is not None, bool(command.classes & {'create', 'retrieve'}), command.name)
            self.assertEqual(command.destroys is not None, 'destroy' in command.classes, command.name)
            if re.match('gl(Gen|Delete)(Textures|Buffers|Framebuffers|Queries|Samplers|VertexArrays)', command.name):
                self.assertTrue(command.creates or command.destroys, command.name)

    # --- Pointers --------------------------------------------------------------------------

    def test_every_pointer_has_a_length_or_a_reason(self):
        without = []
        for root in self.roots:
            for element in root.iterfind('commands/command'):
                command = self.command(element.findtext('proto/name'))
                for item, param in zip(element.iterfind('param'), command.params):
                    if '*' in ''.join(item.itertext()) and not (param.lens or param.static_len or param.reason):
                        without.append(f'{command.name}.{param.name}')
                    self.assertFalse(param.unchecked, f'{command.name}.{param.name}')
        self.assertEqual(without, [])

    def test_every_entry_has_a_reason_and_a_use(self):
        for entry in overlay_gl.ENTRIES:
            action, commands, params, arguments = entry
            self.assertGreater(len(arguments[-1]), 7, commands.pattern)
            self.assertIn(entry, self.used, f'{action} {commands.pattern} {params.pattern}')

    def test_lengths(self):
        for command, name, length in (
                ('glDrawElements', 'indices', 'count * type_size(type)'), ('glTexImage2D', 'pixels', 'pixels(0)'),
                ('glReadPixels', 'pixels', 'pixels(1)'), ('glGenTextures', 'textures', 'n'),
                ('glUniformMatrix4fv', 'value', 'count*16'), ('glGetIntegerv', 'data', 'values(pname)'),
                ('eglChooseConfig', 'attrib_list', 'attributes(EGL_NONE)'),
                ('glGetShaderInfoLog', 'infoLog', 'text_within(bufSize)'),
                ('glGetAttribLocation', 'name', 'null-terminated'), ('glViewportArrayv', 'v', 'count * 4')):
            self.assertEqual(self.param(command, name).lens[0], length, f'{command}.{name}')
        self.assertEqual(self.param('glShaderSource', 'string').lens, ['count', 'element()'])

    def test_inputs_are_constant(self):
        """The registry forgets it at times: what only asks and makes may have outputs."""
        outputs = re.compile('gl(Get|Gen|Create|Read|Ext|Query|Are|Map|Multicast.*Get|Finish|Poll|PointAlong|Video|VDPAUGet|PathGlyphIndexRange'
                             '|FramebufferFoveationConfig)|egl(Get|Query|Choose|Export|Initialize|StreamAcquire)'
                             '|glX(Get|Query|Choose|Enumerate|Wait|Send)')
        self.assertEqual([f'{command.name}.{param.name}' for command in self.model.commands for param in command.params
                          if param.pointers and not param.const and not outputs.match(command.name)], [])

    def test_offsets(self):
        for command, name in (('glTexSubImage3D', 'pixels'), ('glCompressedTexImage2D', 'data'),
                              ('glReadPixels', 'pixels'), ('glDrawElementsInstancedBaseVertex', 'indices'),
                              ('glVertexAttribPointer', 'pointer'), ('glDrawArraysIndirect', 'indirect')):
            field = self.param(command, name)
            self.assertTrue(field.offset_or_pointer, f'{command}.{name}')
            self.assertTrue(field.live.startswith('not bound('))
        self.assertTrue(self.param('glVertexAttribPointer', 'pointer').lasting)
        self.assertTrue(self.param('glSelectBuffer', 'buffer').lasting)
        self.assertFalse(self.param('glDrawElements', 'indices').lasting)
        self.assertFalse(self.param('glBufferData', 'data').offset_or_pointer)

    # --- Classes ---------------------------------------------------------------------------

    def test_classes(self):
        for name, classes in (
                ('glDrawElements', {'draw', 'reads_state'}), ('glClear', {'clear'}), ('glDispatchCompute', {'dispatch'}),
                ('eglSwapBuffers', {'frame_end', 'signal'}), ('glXSwapBuffers', {'frame_end', 'signal'}),
                ('glTexSubImage2D', {'transfer', 'gl_upload'}), ('glReadPixels', {'transfer', 'gl_read_back'}),
                ('glMapBufferRange', {'map'}), ('glUnmapBuffer', {'unmap', 'signal'}), ('glGetIntegerv', {'query'}),
                ('glBindBuffer', {'gl_bind', 'create'}), ('glUseProgram', {'gl_bind', 'state'}),
                ('glUniform4fv', {'gl_uniform', 'state'}), ('glEnable', {'state'}), ('glVertex3f', {'gl_immediate'}),
                ('glNewList', {'begin_list'}), ('glEndList', {'end_list'}), ('glCallList', {'run_list'}),
                ('eglMakeCurrent', {'make_current', 'signal', 'has_extra'}), ('glFinish', {'wait', 'signal'}),
                ('glLinkProgram', {'gl_link', 'has_extra'}), ('glPushDebugGroup', {'begin_label'}),
                ('glVertexAttribPointer', {'gl_vertex_array', 'state'}), ('glBegin', {'gl_begin'})):
            self.assertLessEqual(classes, self.command(name).classes, name)
        for name, classes in (('glDrawElements', {'state'}), ('glGetError', {'query'}), ('glBufferData', {'state'}),
                              ('glNormalPointer', {'gl_immediate'}), ('eglSwapInterval', {'signal'}),
                              ('glDeleteTextures', {'query', 'state'})):
            self.assertEqual(self.command(name).classes & classes, set(), name)
        self.assertEqual({command.name for command in self.model.commands if command.order == 'before'},
                         {command.name for command in self.model.commands if 'signal' in command.classes})

    # --- Files -----------------------------------------------------------------------------

    def test_tables_compile_alone(self):
        """A library of OpenGL links no other API's tables; every type of a function is C."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / 'api').mkdir()
            files = {'ids': folder / 'api' / 'vtr-api-ids.h', 'tables': folder / 'tables.c',
                     'gl:args': folder / 'api' / 'vtr-gl-args.h', 'gl:functions': folder / 'api' / 'vtr-gl-functions.h',
                     'gl:enums': folder / 'api' / 'vtr-gl-enums.h'}
            for emitter, path in files.items():
                subprocess.run([sys.executable, '-B', GENERATOR, '--api', 'gl', FOLDER, ':'.join(REGISTRIES),
                                '--emit', emitter, '--output', str(path)], check=True)
            (folder / 'all.c').write_text('#include "tables.c"\n#include "api/vtr-gl-args.h"\n'
                                          '#include "api/vtr-gl-functions.h"\n#include "api/vtr-gl-enums.h"\n',
                                          encoding='utf-8')
            subprocess.run([*COMPILER, '-std=gnu17', '-Wall', '-Werror', '-fsyntax-only', '-DVTR_API_ONLY=GL',
                            f'-I{folder}', f'-I{folder / "api"}', f'-I{SOURCE}', str(folder / 'all.c')], check=True)
            ids = files['ids'].read_text(encoding='utf-8')
        self.assertIn(f'VTR_CMD_{self.model.commands[0].name} = 8192,', ids)
        self.assertIn('VTR_GL_ASK_PIXELS,', ids)
        self.assertNotIn('vkCmdDraw', ids)

    def test_twice_the_same(self):
        with tempfile.TemporaryDirectory() as name:
            texts = []
            for seed in ('1', '2'):
                path = pathlib.Path(name) / seed
                subprocess.run([sys.executable, '-B', GENERATOR, '--api', 'gl', FOLDER, ':'.join(REGISTRIES),
                                '--emit', 'tables', '--output', str(path)], check=True,
                               env={'PYTHONHASHSEED': seed, 'PATH': '/usr/bin:/bin'})
                texts.append(path.read_bytes())
        self.assertEqual(texts[0], texts[1])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
