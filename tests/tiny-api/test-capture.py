#!/usr/bin/env python3
"""Captures each part of tiny-shapes from launch with the product's own command, and runs what the trace holds: every window
at every swap has to be what the program had, every texel and error that the program read what the commands lead to.

Usage: test-capture.py VITRINE_CLI TINY_SHAPES"""

import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'e2e'))

import harness  # noqa: E402
from tiny_capture import Capture  # noqa: E402
from tiny_machine import Machine, Trace  # noqa: E402

FRAMES = 3
SIDE = 32
PARTS = ('window', 'stores', 'names', 'errors', 'threads', 'flushes', 'trail')


def check_windows(trace, windows):
    seen = {}

    def on_swap(context, data):
        seen[context.number, context.n_swaps] = data

    machine = Machine(trace, on_swap)
    machine.run_all()
    assert seen.keys() == windows.keys(), f'{sorted(seen)}, not {sorted(windows)}'
    for key, data in windows.items():
        assert seen[key] == data, f'{trace.path}: window {key} is something else'


def check_names(trace):
    """A picture is of the group, an array of its context, a context of the process."""
    for command in trace.commands:
        scopes = [scope['scope'] for scope in command['namespaces']]
        process = command['name'] in ('tnCreateContext', 'tnDestroyContext', 'tnMakeCurrent')
        assert scopes == (['process'] if process else ['context', 'group', 'process']), command
    groups = {c['namespaces'][0]['name']: c['namespaces'][1]['number'] for c in trace.commands if len(c['namespaces']) == 3}
    made = {f'{c["result"]:#x}': c['parameters']['share'] for c in trace.commands if c['name'] == 'tnCreateContext'}
    for handle, share in made.items():
        others = [other for other in made if other != handle]
        same = [other for other in others if groups[other] == groups[handle]]
        assert same == [other for other in others if share == other or made[other] == handle], (made, groups)


def check_thumbnail(capture, path, window):
    """The thumbnail is the window at the last swap, with its first row at the top."""
    picture = capture.path('thumbnail.png')
    subprocess.run([*capture.cli, 'info', '--thumbnail', picture, path], check=True, timeout=60, stdout=subprocess.DEVNULL)
    found = harness.Png(picture)
    assert (found.width, found.height) == (SIDE, SIDE), (found.width, found.height)
    rows = [window[4 * SIDE * y:4 * SIDE * (y + 1)] for y in reversed(range(SIDE))]
    assert found.rgb() == b''.join(bytes(row[i] for i in range(4 * SIDE) if i % 4 < 3) for row in rows)


def check_recovered(capture):
    """Vitrine dies, and then the program: recovery completes the trace, with types, batches and namespaces."""
    path = capture.path('left.gfxtrace')
    part = pathlib.Path(path + '.part')
    host = subprocess.Popen([*capture.cli, 'capture', '-q', '-o', path, '--', capture.program, 'trail', '100000000'],
                            stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while (not part.exists() or part.stat().st_size < 100000) and time.monotonic() < deadline:
        time.sleep(0.05)
    program = int(pathlib.Path(f'/proc/{host.pid}/task/{host.pid}/children').read_text().split()[0])
    host.kill()
    host.wait()
    os.kill(program, signal.SIGKILL)
    subprocess.run([*capture.cli, 'recover'], check=True, timeout=60, stdout=subprocess.DEVNULL)
    trace = Trace(capture.cli, path, 20)
    assert trace.info['apis'] == 'Tiny' and trace.info['commands'] > 1000, trace.info
    for number in (0, 500, trace.info['commands'] - 2):
        command = trace.get(f'commands/{number}')
        assert command['name'].startswith('tn') and command['namespaces'][-1]['scope'] == 'process', command


def main():
    with Capture(sys.argv[1], sys.argv[2]) as capture:
        for part in PARTS:
            path, windows = capture.take(part, FRAMES)
            trace = Trace(capture.cli, path)
            assert trace.info['apis'] == 'Tiny' and not trace.info['truncated'], trace.info
            assert trace.info['frames'] == max(1, len(windows)), (part, trace.info)
            assert [c['name'] for c in trace.commands[:2]] == ['tnCreateContext', 'tnMakeCurrent'], part
            check_windows(trace, windows)
            check_names(trace)

        # A recording of so many frames ends with the last of them.
        path, windows = capture.take('window', 5, '--frames=2', name='two')
        trace = Trace(capture.cli, path)
        assert trace.info['frames'] == 2 and trace.commands[-1]['name'] == 'tnSwap', trace.info
        check_windows(trace, {key: data for key, data in windows.items() if key[1] < 2})
        check_thumbnail(capture, path, windows[0, 1])
        path, windows = capture.take('window', 9, '--at-frame=4', '-n', '2', name='middle')
        check_thumbnail(capture, path, windows[0, 5])
        check_recovered(capture)


main()
