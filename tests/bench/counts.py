#!/usr/bin/env python3
"""Counts the instructions of recording, of building a replay and of running it, with callgrind.

Counts hardly depend on the machine's load, so two runs a month apart can be compared. Method in
README.md. Needs valgrind and a build with debug information. Standard library only.
"""

import argparse
import collections
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'e2e'))
import harness  # noqa: E402
from harness import BUILD, CLI, app, need  # noqa: E402

OTHERS = 500  # pairs of calls outside command buffers, a frame
CALLS = 4  # a draw
C_LIBRARY = 'C library'
# What these cost is mostly that of our own functions, which they call.
CALLS_BACK = re.compile('__libc_start|start_thread|clone|pthread_create|pthread_once|_?dl|qsort|bsearch')
Function = collections.namedtuple('Function', 'object file name')


def read_counts(path):
    """One file of callgrind's: instructions of each function itself, and calls by function name.
    What the C library does counts for the object that called it."""
    names = {}
    counts = collections.Counter()
    calls = collections.Counter()
    callee_name = callee_object = ''
    here = {'ob': '', 'fl': '', 'fn': ''}
    is_callee = False

    def name_of(kind, text):
        number, _, name = text.partition(' ')
        if name:
            names[kind, number] = name
        return names.get((kind, number), text)

    with open(path, encoding='utf-8', errors='replace') as file:
        for line in file:
            found = re.match(r'(c?)(ob|fl|fi|fe|fn)=(\([0-9]+\).*)', line)
            if found:
                callee, key, text = found.groups()
                kind = 'fl' if key in ('fi', 'fe') else key
                name = name_of(kind, text.strip())
                if callee:
                    if kind == 'fn':
                        callee_name = name
                    elif kind == 'ob':
                        callee_object = name
                else:
                    # An inlined function's lines (fi) count as those of the function they are in.
                    if key not in ('fi', 'fe'):
                        here[kind] = name
                    # A call names its object only if that is another one than the caller's.
                    if kind == 'ob':
                        callee_object = name
            elif line.startswith('cfi='):
                name_of('fl', line[4:].strip())
            elif line.startswith('calls='):
                is_callee = True
                calls[plain(callee_name)] += int(line[6:].split()[0])
            elif line[:1] in '+-*0123456789':
                parts = line.split()
                if is_callee:  # what the call cost, which is counted where it was spent
                    is_callee = False
                    if (is_c_library(callee_object) and not is_c_library(here['ob'])
                            and not CALLS_BACK.match(callee_name)):
                        counts[Function(here['ob'], C_LIBRARY, callee_name)] += int(parts[1])
                    callee_object = here['ob']
                elif len(parts) > 1 and not is_c_library(here['ob']):
                    counts[Function(here['ob'], here['fl'], here['fn'])] += int(parts[1])
    return counts, calls


def is_c_library(name):
    return os.path.basename(name).startswith(('libc.', 'libc-', 'libm.', 'ld-linux'))


def plain(name):
    """A recursive function has its depth behind its name."""
    return re.sub(r"'\d+$", '', name)


class Bench:
    def __init__(self, options):
        self.options = options
        self.dir = tempfile.mkdtemp(prefix='vtr-counts-')
        runtime = os.path.join(self.dir, 'run')
        os.mkdir(runtime, 0o700)
        self.env = harness.base_environment(runtime)
        # Valgrind translates system calls; a filter would have to know what it does beside.
        self.env['VITRINE_SANDBOX'] = '0'
        self.env['VITRINE_REPLAY_TIMEOUT'] = '900'  # the driver compiles its shaders under it, too
        self.results = {}

    def path(self, name):
        return os.path.join(self.dir, name)

    def callgrind(self, out, *options):
        return ['valgrind', '-q', '--tool=callgrind', f'--callgrind-out-file={out}', *options]

    def run(self, argv, **extra):
        return harness.run(argv, {**self.env, **extra}, timeout=900, cwd=self.dir).check()

    def count(self, name, argv, *options, wrap=None, **extra):
        """Runs `argv` under callgrind; `wrap` puts a capturing program in front."""
        out = self.path(f'{name}.callgrind')
        program = [*self.callgrind(out, *options), *argv]
        self.run(wrap(program) if wrap else program, **extra)
        found = read_counts(out)
        os.unlink(out)
        return found

    def keep(self, title, rows):
        self.results[title] = rows

    def load(self, draws, frames, *more):
        return [app('load'), '--draws', str(draws), '--frames', str(frames), *map(str, more)]


def total(counts, wanted=lambda function: True):
    return sum(n for function, n in counts.items() if wanted(function))


def in_object(part):
    return lambda function: part in os.path.basename(function.object)


def table(headings, rows):
    widths = [max(len(str(row[i])) for row in [headings, *rows]) for i in range(len(headings))]
    for row in [headings, ['-' * w for w in widths], *rows]:
        print('| ' + ' | '.join(str(cell).ljust(width) for cell, width in zip(row, widths)) + ' |')
    print()


def top(counts, calls, n_calls, n, wanted=lambda function: True):
    """The functions that take most: (name, instructions per recorded call, per call of its own)."""
    by_name = collections.Counter()
    for function, count in counts.items():
        if wanted(function):
            by_name[plain(function.name)] += count
    return [(name, count / n_calls, count / calls[name] if calls[name] > 0 else 0)
            for name, count in by_name.most_common(n)]


def print_functions(parts, what):
    table(['function', f'instructions a {what}', 'a call of its own'],
          [[f'`{name}`', f'{count:.1f}', f'{own:.0f}' if own else '–'] for name, count, own in parts])


def vitrine(bench):
    return lambda program: [CLI, 'capture', '--quiet', '-o', bench.path('c.gfxtrace'), '--', *program]


def idle(_bench):
    return lambda program: [os.path.join(BUILD, 'tests', 'layer', 'show-ring'), '--idle', '--discard',
                            '--quiet', *program]


def measure_layer(bench, title, function, load, n_calls, **env):
    """The timed loop alone is counted: callgrind collects while it is inside `function`."""
    toggle = ('--collect-atstart=no', f'--toggle-collect={function}*')
    gfxr = {'VK_INSTANCE_LAYERS': harness.GFXRECON_LAYER,
            'GFXRECON_CAPTURE_FILE': bench.path('run.gfxr'), 'GFXRECON_LOG_LEVEL': 'error'}
    runs = [('no layer', None, {}),
            ('Vitrine, idle', idle(bench), {}),
            ('Vitrine, recording', vitrine(bench), {}),
            ('gfxreconstruct, LZ4', None, {**gfxr, 'GFXRECON_CAPTURE_COMPRESSION_TYPE': 'LZ4'}),
            ('gfxreconstruct, none', None, {**gfxr, 'GFXRECON_CAPTURE_COMPRESSION_TYPE': 'NONE'})]
    rows = []
    recording = None
    base = 0
    for name, wrap, extra in runs:
        counts, calls = bench.count('layer', load, *toggle, wrap=wrap, **env, **extra)
        whole = total(counts) / n_calls
        base = base or whole
        own = total(counts, in_object('VkLayer_vitrine')) / n_calls
        rows.append([name, f'{whole:.0f}', f'{whole - base:+.0f}' if base != whole else '–',
                     f'{own:.0f}' if own else '–'])
        if name == 'Vitrine, recording':
            recording = counts, calls
    print(f'### {title}\n')
    table(['mode', 'instructions a call', 'added', 'of them in the layer itself'], rows)
    parts = top(*recording, n_calls, 8, in_object('VkLayer_vitrine'))
    print_functions(parts, 'call')
    bench.keep(title, {'modes': rows, 'functions': parts})


def measure_pure(bench, options):
    """On a driver whose commands do next to nothing, so that hardly anything but the call is left."""
    env = {'VK_ICD_FILENAMES': os.path.join(BUILD, 'tests', 'mock-driver', 'mock_icd.json')}
    measure_layer(bench, 'Pure call cost: vkCmd* on the mock driver', 'record_draws',
                  bench.load(options.draws, options.frames),
                  options.draws * CALLS * options.frames, **env)
    measure_layer(bench, 'Pure call cost: vkUpdateDescriptorSets and vkGetFenceStatus on it',
                  'make_others', bench.load(10, options.frames, '--others', OTHERS),
                  2 * OTHERS * options.frames, **env)


# Folders of the sources, as a reader of ARCHITECTURE.md knows them.
ROOMS = [('src/engine/format', 'reading the trace'), ('src/engine/vulkan/read', 'reading the trace'),
         ('src/wire', 'wire'), ('src/api', 'decoding and walking messages'), ('src/base', 'base'),
         ('src/engine/vulkan/transforms', 'transforms'),
         ('src/engine/replay-builder', 'building'), ('src/engine/vulkan/replay-builder', 'building'),
         ('src/engine/state', 'state'), ('src/engine/vulkan/state', 'state'),
         ('src/engine/memory', 'memory'), ('src/engine/vulkan/memory', 'memory'),
         ('src/engine/replay-session', 'the request'), ('src/engine/vulkan/replay', 'the request'),
         ('src/engine/document', 'the request'), ('src/engine/replay', 'sending'),
         ('replayer/machine/', 'machine'), ('vtr-thunks', 'thunks'),
         ('replayer/', 'rest of the replayer')]


def room_of(function):
    if function.file == C_LIBRARY:
        return C_LIBRARY
    for folder, room in ROOMS:
        if folder in function.file:
            return room
    name = os.path.basename(function.object)
    for part, room in (('zstd', 'zstd'), ('glib', 'GLib'), ('gobject', 'GLib'), ('gio', 'GLib'),
                       ('lvp', 'driver'), ('LLVM', 'driver'), ('libvulkan', 'loader')):
        if part in name:
            return room
    return 'generated code' if function.file.endswith('.c') and 'vtr-' in function.file else 'other'


def record_pair(bench):
    """A short and a long trace; (paths, commands that the long one has more)."""
    paths = []
    draws, frames = bench.options.draws, (2, 2 + bench.options.frames)
    for n in frames:
        paths.append(bench.path(f'{n}.gfxtrace'))
        bench.run([CLI, 'capture', '--quiet', '-o', paths[-1], '--', *bench.load(draws, n)])
    return paths, draws * CALLS * bench.options.frames


def slope(bench, name, paths, n_calls, run, wanted=lambda function: True):
    """Instructions a further call, by room and by function."""
    short, long = (run(f'{name}{i}', path) for i, path in enumerate(paths))
    counts, calls = (collections.Counter(more) for more in long)
    counts.subtract(short[0])
    calls.subtract(short[1])
    rooms = collections.Counter()
    for function, n in counts.items():
        if wanted(function):
            rooms[room_of(function)] += n
    return counts, calls, [(room, n / n_calls) for room, n in rooms.most_common()
                           if abs(n) >= n_calls / 2]


def measure_build(bench, paths, n_calls):
    def run(name, path):
        return bench.count(name, [CLI, 'replay', '--json', path])

    counts, calls, rooms = slope(bench, 'build', paths, n_calls, run)
    print('### Building a replay, in the engine, for a further command\n')
    table(['part', 'instructions a command'],
          [*((room, f'{n:.0f}') for room, n in rooms),
           ('all', f'{total(counts) / n_calls:.0f}')])
    parts = top(counts, calls, n_calls, 12)
    print_functions(parts, 'command')
    bench.keep('build', {'rooms': rooms, 'functions': parts})


def wait_until_written(path):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if os.path.exists(path):
            with open(path, encoding='utf-8', errors='replace') as file:
                if any(line.startswith('totals:') for line in file):
                    return
        time.sleep(0.2)
    raise harness.Failure(f'callgrind did not finish {path}')


def measure_machine(bench, paths, n_calls):
    replayer = harness.REPLAYER

    def run(name, path):
        out = bench.path(f'{name}.callgrind')
        wrapper = bench.path('replayer')
        with open(wrapper, 'w', encoding='utf-8') as file:
            # A child of the shell: when the shell is ended, valgrind still writes its file.
            file.write('#!/bin/sh\n' + shlex.join([*bench.callgrind(out), replayer]) + ' "$@"\n')
        os.chmod(wrapper, 0o755)
        bench.run([CLI, 'replay', '--json', path], VITRINE_REPLAYER=wrapper)
        wait_until_written(out)
        found = read_counts(out)
        os.unlink(out)
        return found

    counts, calls, rooms = slope(bench, 'machine', paths, n_calls, run, in_object('replayer'))
    print('### Running a replay, in the replayer, without the driver, for a further command\n')
    table(['part', 'instructions a command'],
          [*((room, f'{n:.0f}') for room, n in rooms), ('all', f'{sum(n for _, n in rooms):.0f}')])
    parts = top(counts, calls, n_calls, 12, in_object('replayer'))
    print_functions(parts, 'command')
    bench.keep('machine', {'rooms': rooms, 'functions': parts})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--draws', type=int, default=500, help='a frame, of 4 commands each')
    parser.add_argument('--frames', type=int, default=10)
    parser.add_argument('--only', choices=['record', 'others', 'pure', 'build', 'machine'])
    parser.add_argument('--json', help='file for the counts')
    options = parser.parse_args()
    need('valgrind')
    bench = Bench(options)
    try:
        if options.only in (None, 'record'):
            measure_layer(bench, 'Recording: vkCmd*', 'record_draws',
                          bench.load(options.draws, options.frames),
                          options.draws * CALLS * options.frames)
        if options.only in (None, 'others'):
            measure_layer(bench, 'Recording: vkUpdateDescriptorSets and vkGetFenceStatus',
                          'make_others', bench.load(10, options.frames, '--others', OTHERS),
                          2 * OTHERS * options.frames)
        if options.only in (None, 'pure'):
            measure_pure(bench, options)
        if options.only in (None, 'build', 'machine'):
            paths, n_calls = record_pair(bench)
            if options.only != 'machine':
                measure_build(bench, paths, n_calls)
            if options.only != 'build':
                measure_machine(bench, paths, n_calls)
        if options.json:
            with open(options.json, 'w', encoding='utf-8') as file:
                json.dump(bench.results, file, indent=1)
    finally:
        shutil.rmtree(bench.dir, ignore_errors=True)


main()
