#!/usr/bin/env python3
"""Measures the cost of recording and replaying, compared with gfxreconstruct and RenderDoc, on vtr-app-load.

The method and the traps are in README.md. Standard library only.
"""

import argparse
import collections
import json
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'e2e'))
import harness  # noqa: E402
import hitch  # noqa: E402
import recorded  # noqa: E402
import views  # noqa: E402
from harness import CLI, LAYER_DIR, app  # noqa: E402

# lavapipe frees and faults in its scene memory every frame; a layer's own allocations at the end of
# the heap would stop glibc from trimming and make the layer look faster than none.
MALLOC = {'MALLOC_TRIM_THRESHOLD_': str(1 << 30), 'MALLOC_MMAP_THRESHOLD_': str(1 << 30),
          'MALLOC_TOP_PAD_': str(64 << 20)}


OTHERS = 2000  # pairs of calls outside command buffers, a frame


class Samples(list):
    def __str__(self):
        return f'{statistics.median(self):.1f} [{min(self):.1f}–{max(self):.1f}]'

    @property
    def median(self):
        return statistics.median(self)


class Bench:
    def __init__(self, options):
        self.options = options
        base = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
        self.dir = tempfile.mkdtemp(prefix='vtr-bench-', dir=base)
        runtime = os.path.join(self.dir, 'run')
        os.mkdir(runtime, 0o700)
        self.env = {**harness.base_environment(runtime), **MALLOC}
        self.results = {}

    def path(self, name):
        return os.path.join(self.dir, name)

    def run(self, argv, **extra):
        return harness.run(argv, {**self.env, **extra}, timeout=300, cwd=self.dir).check()

    def run_for(self, seconds, argv, **extra):
        """A program that is ended after some time, if there is a time."""
        if seconds is None:
            return self.run(argv, **extra)
        return harness.run(['timeout', '--signal=KILL', seconds, *argv], {**self.env, **extra},
                           timeout=300, cwd=self.dir)

    def load(self, arguments):
        return [app('load'), *map(str, arguments), '--report', 'json']

    def remove_traces(self):
        for name in os.listdir(self.dir):
            if name.endswith(('.gfxr', '.gfxtrace', '.rdc')):
                os.unlink(self.path(name))


def report_of(result):
    for line in result.out.splitlines():
        if '"ns_per_command"' in line:
            return json.loads(line)
    raise harness.Failure(f'no report from {result}')


# How a program is run in each mode; each gives (report of the load, path of its trace or None).

def run_bare(bench, argv):
    return report_of(bench.run(argv)), None


def run_vitrine_unattached(bench, argv):
    """The layer is loaded, but no Vitrine listens."""
    harness.check(os.path.exists(os.path.join(LAYER_DIR, 'VkLayer_vitrine.json')),
                  f'there is no layer in {LAYER_DIR}')
    return report_of(bench.run(argv, VK_ADD_LAYER_PATH=LAYER_DIR,
                               VK_INSTANCE_LAYERS=harness.CAPTURE_LAYER)), None


def run_vitrine_idle(bench, argv):
    """Attached and ready to be triggered, which is what a host asks for that waits for its user."""
    return report_of(bench.run([os.path.join(harness.BUILD, 'tests', 'layer', 'show-ring'),
                                '--idle', '--discard', '--quiet', *argv])), None


def run_vitrine(bench, argv):
    path = bench.path('vitrine.gfxtrace')
    return report_of(bench.run([CLI, 'capture', '--quiet', '-o', path, '--', *argv])), path


def run_tracker(tracker):
    def body(bench, argv):
        path = bench.path('vitrine.gfxtrace')
        return report_of(bench.run([CLI, 'capture', '--quiet', '--tracker', tracker, '-o', path, '--',
                                    *argv])), path
    return body


def run_gfxrecon(compression, **settings):
    def body(bench, argv):
        path = bench.path('run.gfxr')
        result = bench.run(argv, VK_INSTANCE_LAYERS=harness.GFXRECON_LAYER,
                           GFXRECON_CAPTURE_FILE=path, GFXRECON_CAPTURE_FILE_TIMESTAMP='false',
                           GFXRECON_CAPTURE_COMPRESSION_TYPE=compression,
                           GFXRECON_LOG_LEVEL='error', **settings)
        return report_of(result), path
    return body


def run_renderdoc_idle(bench, argv):
    return report_of(bench.run(argv, ENABLE_VULKAN_RENDERDOC_CAPTURE='1')), None


MODES = collections.OrderedDict([
    ('no layer', run_bare),
    ('Vitrine, not attached', run_vitrine_unattached),
    ('Vitrine, idle', run_vitrine_idle),
    ('Vitrine, recording', run_vitrine),
    ('gfxreconstruct, LZ4', run_gfxrecon('LZ4')),
    ('gfxreconstruct, none', run_gfxrecon('NONE')),
    ('RenderDoc, idle', run_renderdoc_idle),
])


# How mapped memory is followed. Of gfxreconstruct's settings those that make it the fastest: one copy
# of the memory for all mappings, filled when it is needed.
MAPPED_MODES = collections.OrderedDict([
    ('no layer', run_bare),
    ('Vitrine, idle', run_vitrine_idle),
    ('Vitrine, recording', run_vitrine),
    ('… asking the kernel', run_tracker('uffd')),
    ('… comparing', run_tracker('compare')),
    ('… taking faults, uffd', run_tracker('uffd-sync')),
    ('… taking faults, mprotect', run_tracker('mprotect')),
    ('gfxreconstruct, LZ4', run_gfxrecon('LZ4')),
    ('gfxreconstruct, best', run_gfxrecon(
        'LZ4', GFXRECON_PAGE_GUARD_PERSISTENT_MEMORY='true', GFXRECON_PAGE_GUARD_SEPARATE_READ='false',
        GFXRECON_PAGE_GUARD_COPY_ON_MAP='false')),
    ('gfxreconstruct, none', run_gfxrecon('NONE')),
    ('RenderDoc, idle', run_renderdoc_idle),
])


def available(bench, modes):
    """The modes that work here; the others are named with the reason."""
    working = collections.OrderedDict()
    for name, run in modes.items():
        try:
            run(bench, bench.load(['--draws', 10, '--frames', 2]))
            working[name] = run
        except (harness.Failure, OSError) as reason:
            print(f'{name}: left out: {str(reason).splitlines()[-1]}')
        bench.remove_traces()
    return working


def table(headings, rows):
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
    for i, row in enumerate([headings, ['-' * w for w in widths], *rows]):
        print('| ' + ' | '.join(cell.ljust(width) for cell, width in zip(row, widths)) + ' |')
    print()


def measure(bench, title, arguments, modes, key='ns_per_command', unit='ns'):
    """Rounds over all modes in turn, so that what disturbs the machine disturbs all alike."""
    values = {name: Samples() for name in modes}
    sizes = {name: Samples() for name in modes}
    n_commands = 0
    for _ in range(bench.options.rounds):
        for name, run in modes.items():
            report, trace = run(bench, bench.load(arguments))
            values[name].append(report[key])
            n_commands = report['commands_per_frame'] * report['frames']
            if trace is not None:
                parts = n_commands if unit == 'ns' else report['frames'] * 1024
                if key == 'other_ns':
                    parts = report['frames'] * 2 * OTHERS
                sizes[name].append(os.path.getsize(trace) / parts)
            bench.remove_traces()

    base = values['no layer'].median
    rows = []
    for name in modes:
        added = values[name].median - base
        rows.append([name, str(values[name]), f'{values[name].median / base:.2f}×',
                     '–' if name == 'no layer' else f'{added:+.1f}',
                     f'{sizes[name].median:.1f}' if sizes[name] else '–'])
    print(f'### {title}\n')
    table(['mode', f'{unit} a command' if unit == 'ns' else unit, 'ratio', 'added',
           'bytes a command' if unit == 'ns' else 'KiB a frame'], rows)
    bench.results[title] = {name: {'values': values[name], 'bytes': sizes[name]} for name in modes}


def cpu_of(bench, argv):
    """(wall, CPU) seconds of a program and its children, without a display."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    result = bench.run(argv)
    wall = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, result)


def measure_replay(bench, modes):
    """The slope between a short and a long trace: what a further call costs, without the start."""
    draws, frames = bench.options.draws, (5, bench.options.frames + 5)
    tools = collections.OrderedDict()
    n_calls = draws * 4 * bench.options.frames
    for name, replay in (('Vitrine, recording', lambda path: [CLI, 'replay', '--json', path]),
                         ('gfxreconstruct, LZ4', lambda path: ['gfxrecon-replay', path]),
                         ('gfxreconstruct, none', lambda path: ['gfxrecon-replay', path])):
        if name not in modes:
            continue
        paths = []
        for n in frames:
            _, trace = modes[name](bench, bench.load(['--draws', draws, '--frames', n]))
            kept = bench.path(f'{len(tools)}-{n}{os.path.splitext(trace)[1]}.kept')
            os.rename(trace, kept)
            final = kept[:-len('.kept')]
            os.rename(kept, final)
            paths.append(final)
        tools[name.split(',')[0] + (', none' if name.endswith('none') else '')] = (replay, paths)

    live = [bench.load(['--draws', draws, '--frames', n]) for n in frames]
    tools['(the program itself)'] = (lambda argv: argv, live)
    wall = {name: Samples() for name in tools}
    cpu = {name: Samples() for name in tools}
    start = {name: Samples() for name in tools}
    for _ in range(bench.options.rounds):
        for name, (replay, traces) in tools.items():
            short = cpu_of(bench, replay(traces[0]))
            long = cpu_of(bench, replay(traces[1]))
            wall[name].append((long[0] - short[0]) / n_calls * 1e9)
            cpu[name].append((long[1] - short[1]) / n_calls * 1e9)
            start[name].append(short[0] * 1e3)

    print('### Replay: ns a further call\n')
    table(['tool', 'wall ns a call', 'CPU ns a call', '5 frames, ms'],
          [[name, str(wall[name]), str(cpu[name]), str(start[name])] for name in tools])
    bench.results['replay'] = {name: {'wall': wall[name], 'cpu': cpu[name]} for name in tools}
    bench.remove_traces()


def describe_machine():
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        model = next((line.split(':', 1)[1].strip() for line in file
                      if line.startswith('model name')), 'unknown')
    print(f'{model}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.2f} at the start\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--draws', type=int, default=2500, help='of 4 commands each')
    parser.add_argument('--frames', type=int, default=40)
    parser.add_argument('--json', help='file for every sample')
    parser.add_argument('--only', choices=[
        'record', 'threads', 'others', 'mapped', 'replay', 'documents', 'clicks', 'hitch',
        'recorded', 'start', 'window'])
    parser.add_argument('--client', help='the one program of the hitch, or of those recorded')
    options = parser.parse_args()
    bench = Bench(options)

    # nice does nothing across sessions while autogroups are on.
    harness.AUTOGROUP_NICE = -20

    try:
        describe_machine()
        only = options.only
        modes = {}
        if only not in ('documents', 'clicks', 'hitch', 'recorded', 'start', 'window',
                        'mapped'):
            modes = available(bench, MODES)
        base = ['--draws', options.draws, '--frames', options.frames]
        if only in (None, 'record'):
            measure(bench, f'Recording, one thread, {options.draws * 4} commands a frame', base,
                    modes)
        if only in (None, 'threads'):
            measure(bench, 'Recording, two threads into secondaries, wall of the slower',
                    [*base, '--threads', 2], modes, key='wall_ns_per_command')
            measure(bench, 'Recording, eight threads, 100 secondaries of 10 draws each, CPU of all',
                    ['--draws', 8000, '--frames', 20, '--threads', 8, '--secondaries', 100], modes)
            measure(bench, 'Recording, eight threads, 100 secondaries of 10 draws each, wall of the slowest',
                    ['--draws', 8000, '--frames', 20, '--threads', 8, '--secondaries', 100], modes,
                    key='wall_ns_per_command')
        if only in (None, 'others'):
            measure(bench, 'Calls outside command buffers: vkUpdateDescriptorSets, '
                    'vkGetFenceStatus', ['--draws', 10, '--frames', 40, '--others', OTHERS], modes,
                    key='other_ns')
        if only in (None, 'mapped'):
            modes = available(bench, MAPPED_MODES)
            measure(bench, '1024 of 16384 mapped pages filled a frame, whole frame',
                    ['--draws', 10, '--frames', 40, '--pages', 1024], modes, key='frame_ms',
                    unit='ms a frame')
            measure(bench, '4096 times 64 bytes written to 16384 mapped pages a frame, whole frame',
                    ['--draws', 10, '--frames', 40, '--mapped', 256], modes, key='frame_ms',
                    unit='ms a frame')
            measure(bench, '64 times 64 bytes written to 16384 mapped pages a frame, whole frame',
                    ['--draws', 10, '--frames', 40, '--mapped', 4], modes, key='frame_ms',
                    unit='ms a frame')
        if only in (None, 'replay'):
            measure_replay(bench, modes)
        if only in (None, 'documents'):
            views.measure_documents(bench, table)
        if only in (None, 'clicks'):
            views.measure_clicks(bench, table)
        if only in (None, 'hitch'):
            hitch.measure_hitch(bench, table)
        if only in (None, 'recorded'):
            recorded.measure_recorded(bench, table)
        if only in (None, 'start'):
            views.measure_start(bench, table)
        if only in (None, 'window'):
            views.measure_window(bench, table)
        if options.json:
            with open(options.json, 'w', encoding='utf-8') as file:
                json.dump(bench.results, file, indent=1)
    finally:
        shutil.rmtree(bench.dir, ignore_errors=True)


main()
