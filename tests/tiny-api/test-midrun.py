#!/usr/bin/env python3
"""Captures tiny-shapes in the middle of its run, again and again: what lived, what was bound, the windows' texels and all
calls since then have to lead to the windows that the program had.

Usage: test-midrun.py VITRINE_CLI TINY_SHAPES"""

import subprocess
import sys

from tiny_capture import Capture
from tiny_machine import Machine, Trace


def run(trace):
    """The windows at the swaps of a trace, by the number of the context: a list."""
    seen = {}
    Machine(trace, lambda context, data: seen.setdefault(context.number, []).append(data)).run_all()
    return seen


def windows_of(windows, context):
    return [windows[key] for key in sorted(windows) if key[0] == context]


def check_followed(trace, windows):
    """Each context has drawn what it had, from some frame on."""
    seen = run(trace)
    for context, frames in seen.items():
        had = windows_of(windows, context)
        places = [i for i in range(len(had) - len(frames) + 1) if had[i:i + len(frames)] == frames]
        assert places, f'{trace.path}: {len(frames)} windows of context {context} are not what it had'
    return seen


def check_begin(trace):
    assert trace.info['apis'] == 'Tiny' and not trace.info['truncated'], trace.info
    assert trace.initial and all('initial' in c['flags'] for c in trace.initial), trace.initial[:1]
    assert not trace.info['notices'], trace.info


def main():
    with Capture(sys.argv[1], sys.argv[2]) as capture:
        # One context: exactly the frames that were asked for.
        path, windows = capture.take('window', 8, '--at-frame=3', '-n', '2')
        trace = Trace(capture.cli, path)
        check_begin(trace)
        assert run(trace)[0] == windows_of(windows, 0)[3:5]

        # Parts with stores, names that come again, errors: what was made before the cut is used behind it.
        for part in ('stores', 'names', 'errors'):
            path, windows = capture.take(part, 8, '--at-frame=3', '-n', '4')
            trace = Trace(capture.cli, path)
            check_begin(trace)
            assert sum(map(len, check_followed(trace, windows).values())) == 4, part

        # What was drawn before the cut is still in the window and in a picture; what is drawn from has no name any more.
        path, windows = capture.take('trail', 20, '--at-frame=10', '-n', '3')
        trace = Trace(capture.cli, path)
        check_begin(trace)
        assert run(trace)[0] == windows_of(windows, 0)[10:13]
        assert windows[0, 9] != windows[0, 10] and any(windows[0, 9]), 'the windows prove nothing'

        # Errors that the program has not asked for when the recording begins are there where it asks, and the program is
        # told them although the recorder has asked before; in a context that is current, and in one that is not.
        for at, error in ((4, 2), (12, 1)):
            path, windows = capture.take('unasked', 24, f'--at-frame={at}', '-n', '6', name=f'unasked-{at}')
            trace = Trace(capture.cli, path)
            check_begin(trace)
            check_followed(trace, windows)
            assert [c['result'] for c in trace.commands if c['name'] == 'tnGetError'][:2] == [error, error], at
            state = trace.get('commands/0/state')
            assert [c['error'] for c in state['contexts'].values()] == [error, error], state['contexts'].keys()
            told = [entry for entry in trace.get('report')['entries'] if entry.get('check') in ('unasked', 'error', 'call')]
            assert [entry['check'] for entry in told] == ['unasked', 'unasked'], told

        # Three contexts on three threads, two of which share. No thread has as many frames as are captured.
        path, windows = capture.take('threads', 40, '--at-frame=30', '-n', '50')
        trace = Trace(capture.cli, path)
        check_begin(trace)
        assert len(check_followed(trace, windows)) >= 2
        made = [c for c in trace.initial if c['name'] == 'tnCreateContext']
        assert [c['parameters']['share'] != '0x0' for c in made] == [False, True, False], made
        assert len({c['thread'] for c in trace.commands}) >= 2

        # Again and again: the program is ended with the last of them.
        capture.take('window', 10000000, '--at-frame=5', '-n', '2', '--every=20', '--times=3', name='often-%d', witness=False)
        for i in range(1, 4):
            trace = Trace(capture.cli, capture.path(f'often-{i}.gfxtrace'))
            check_begin(trace)
            assert trace.info['frames'] == 2, trace.info

        # Trimmed, it leads to the same windows: what calls reach without naming it must not go.
        path, windows = capture.take('names', 8, '--at-frame=3', '-n', '4', name='trimmed')
        before = run(Trace(capture.cli, path))
        subprocess.run([*capture.cli, 'trim', path], check=True, timeout=60)
        trace = Trace(capture.cli, path)
        check_begin(trace)
        assert run(trace) == before and sum(map(len, before.values())) == 4

        # Without a swap, the calls that make changes visible count.
        path, _ = capture.take('flushes', 200, '--at-frame=10', '-n', '2')
        trace = Trace(capture.cli, path)
        check_begin(trace)
        run(trace)


main()
