#!/usr/bin/env python3
"""Captures programs of OpenGL ES from launch with the product's own command. A trace has to hold as many calls of each function
as a witness in front of the recorder counts, in an order in which a replay can run them; and the program shows what it
shows alone.

Usage: test-capture.py VITRINE_CLI GL_TRIANGLES WITNESS FOLDER_OF_FRONTS"""

import base64
import collections
import json
import os
import struct
import subprocess
import sys

from gl_runs import FRAMES, SKIPPED, Runs

PARTS = ('turning', 'sharing', 'passed', 'arrays')
NOTHING = '0x0'


class Captures(Runs):
    def __init__(self, cli, program, witness, fronts):
        super().__init__(program, witness)
        self.cli, self.fronts = os.path.abspath(cli), fronts

    def capture(self, name, part, given=None, inside=None):
        """@given: variables that the captured program is to have; @inside: those that it gives itself."""
        path = str(self.folder / f'{name}.gfxtrace')
        options = [word for variable in (given or {}).items() for word in ('-e', '='.join(variable))]
        subprocess.run([self.cli, 'capture', '-q', *options, '-o', path, '--', '/usr/bin/env',
                        *map('='.join, (inside or {}).items()), self.program, part, str(FRAMES)],
                       env=self.environment, check=True, timeout=120)
        return path

    def get(self, path, what):
        return json.loads(subprocess.run([self.cli, 'get', '--json', path, what], env=self.environment, check=True,
                                         capture_output=True, timeout=60).stdout)

    def read_by(self, path, command):
        """The bytes of each range of memory that a command read."""
        where = f'commands/{command["index"]}/observations'
        return [base64.b64decode(self.get(path, f'{where}/{i}/bytes'))
                for i, observation in enumerate(self.get(path, where)) if not observation['write']]

    def commands(self, path):
        return [self.get(path, f'commands/{i}') for i in range(self.get(path, 'info')['commands'])]


def count(lines):
    return {name: int(number) for name, number in map(str.split, lines)}


def check_namespaces(commands):
    for command in commands:
        scopes = [scope['scope'] for scope in command['namespaces']]
        wanted = (['context', 'group', 'display', 'process'] if command['name'].startswith('gl') else
                  ['display', 'process'] if command['parameters'].get('dpy', NOTHING) != NOTHING else ['process'])
        assert scopes == wanted, (command['name'], scopes)


def check_order(part, commands):
    """Each command stands in a context that is current on its thread; in the part "sharing" pictures are filled by one thread
    before the other binds them."""
    current, made, bound = {}, set(), {}
    for command in commands:
        values = command['parameters']
        if command['name'] == 'eglMakeCurrent':
            thread, context = command['thread'], values['ctx']
            if context == NOTHING:
                current.pop(thread, None)
            else:
                assert context not in [c for t, c in current.items() if t != thread], (command, current)
                current[thread] = context
        elif command['name'].startswith('gl'):
            assert command['thread'] in current, command
        if command['name'] == 'glTexImage2D':
            made.add(bound[command['thread']])
        elif command['name'] == 'glBindTexture':
            bound[command['thread']] = values['texture']
            if part == 'sharing' and command['thread'] == commands[0]['thread']:
                assert values['texture'] in made, (values, made)


def check_arrays(runs, path, commands):
    """The part "arrays": draws read what their arrays held at that moment, and no more than they use."""
    frame = 0
    for command in commands:
        step = struct.unpack('f', struct.pack('f', struct.unpack('f', struct.pack('f', 0.1))[0] * frame))[0]
        read = runs.read_by(path, command)
        if command['name'] == 'glDrawArrays':
            # Places 1 to 3, without what lies behind the last.
            assert read == [struct.pack('8f', 0, -0.9, 2, step, 0, 3, -0.9, 0)], (frame, read)
        elif command['name'] == 'glDrawElements':
            indices, places = sorted(read, key=len)
            # From place 2 to place 6.
            assert indices == struct.pack('3H', 6, 2, 4), indices
            assert places == struct.pack('14f', step, 0, 3, -0.9, 0, 4, 0, 0.9, 5, -step, 0.9, 6, 0.5, 0.5), (frame, places)
        elif command['name'] == 'glTexImage2D':
            # Four rows of four texels from the second row and the third texel on.
            texels = bytes(byte for y in range(6) for x in range(8) for byte in (y * 40, x * 30, 0, 255))
            last = texels[(4 * 8 + 2) * 4:(4 * 8 + 6) * 4]
            assert len(read) == 1 and read[0].endswith(last) and len(read[0]) <= (4 * 8 + 6) * 4, read
        elif command['name'] == 'eglSwapBuffers':
            frame += 1
    assert frame == FRAMES


def check_part(runs, part):
    # The witness in front counts.
    calls = runs.folder / f'{part}.calls'
    path = runs.capture(part, part, inside={'__EGL_VENDOR_LIBRARY_FILENAMES': str(runs.manifest), 'WITNESS_CALLS': str(calls),
                                            'WITNESS_VENDOR': os.path.join(runs.fronts, 'libEGL_vitrine-0.so')})
    info = runs.get(path, 'info')
    assert not info['truncated'] and info['frames'] == FRAMES, info
    commands = runs.commands(path)
    found = collections.Counter(command['name'] for command in commands)
    # glvnd has a way of its own to get displays, which no witness sees.
    assert found.pop('eglGetPlatformDisplay') == 1
    wanted = count(calls.read_text().splitlines())
    assert found == wanted, {name: (found.get(name), wanted.get(name)) for name in {*found, *wanted}
                             if found.get(name) != wanted.get(name)}
    check_namespaces(commands)
    check_order(part, commands)
    if part == 'arrays':
        check_arrays(runs, path, commands)

    # The witness behind sees what the program shows.
    alone, behind = runs.witness_variables(f'{part}-alone'), runs.witness_variables(f'{part}-behind')
    manifest = {'__EGL_VENDOR_LIBRARY_FILENAMES': str(runs.manifest)}
    assert runs.run(part, {**alone, **manifest}) == 0
    runs.capture(f'{part}-behind', part, given={**behind, **manifest})
    assert runs.frames(f'{part}-alone') == runs.frames(f'{part}-behind') != {}, part


def check_vendors(runs):
    """Each vendor that the program would have has a front; the first with a display is used."""
    other = runs.write_manifest('other', 'nothing.so')
    broken = runs.folder / 'broken.json'
    broken.write_text('{ "ICD": 3 }')
    files = f'{broken}:{other}:{runs.manifest}'
    path = runs.capture('vendors', 'turning', given={**runs.witness_variables('vendors'), '__EGL_VENDOR_LIBRARY_FILENAMES': files})
    assert len(runs.frames('vendors')) == FRAMES
    assert runs.get(path, 'info')['frames'] == FRAMES
    # Folders of manifests, in the order of names.
    folder = runs.folder / 'vendors.d'
    folder.mkdir()
    other.rename(folder / '1.json')
    runs.manifest.rename(folder / '2.json')
    runs.capture('folders', 'turning', given={**runs.witness_variables('folders'), '__EGL_VENDOR_LIBRARY_DIRS': str(folder)})
    assert len(runs.frames('folders')) == FRAMES


def check_declined(runs):
    """A recording cannot begin in the middle of the run; the program goes on."""
    done = subprocess.run([runs.cli, 'capture', '-q', '--at-frame=2', '-o', str(runs.folder / 'late.gfxtrace'), '--', runs.program,
                           'turning', '40'], env=runs.environment, check=False, timeout=120, capture_output=True, text=True)
    assert done.returncode != 0 and 'from the launch of a program only' in done.stderr, done
    assert not (runs.folder / 'late.gfxtrace').exists()


def main():
    with Captures(*sys.argv[1:]) as runs:
        if runs.run('turning') == SKIPPED:
            return SKIPPED
        for part in PARTS:
            check_part(runs, part)
        check_declined(runs)
        check_vendors(runs)
    return 0


if __name__ == '__main__':
    sys.exit(main())
