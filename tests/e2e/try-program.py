#!/usr/bin/env python3
"""Tries a program that no test knows: captures it from launch and in the middle of its run, replays
plain, with --poison and trimmed, compares every presented frame with what the witness saw, and asks
for pictures at draws, state, overlays and timings.

    cd build; ../tests/e2e/try-program.py --at 30,100 -- glmark2-es2 -b build

docs/programs.md lists what has been tried."""

import argparse
import glob
import os
import sys
import time

import harness
from harness import Failure, check, check_equal


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument('--at', default='30',
                        help='frames at which recordings begin, with commas; empty: none')
    parser.add_argument('--frames', type=int, default=4, help='frames of each recording')
    parser.add_argument('--launch', type=int, help='frames of the recording from launch; 0: none')
    parser.add_argument('--every', type=int,
                        help='with --at: two further recordings this many frames apart')
    parser.add_argument('--env', action='append', default=[], metavar='NAME=VALUE')
    parser.add_argument('--only', help='executable that is recorded, of several')
    parser.add_argument('--timeout', type=int, default=120)
    parser.add_argument('--quick', action='store_true',
                        help='frames only: no pictures, state, overlays, timings')
    parser.add_argument('--present', type=int, default=1, help='0: the program presents nothing')
    parser.add_argument('program', nargs='+')
    return parser.parse_args()


def traces(test, name):
    found = sorted(glob.glob(test.path(f'{name}*.gfxtrace')))
    check(found, f'no trace {name}')
    return found


def compare(test, trace, live, at, n, kind, *options):
    folder = test.folder(f'{os.path.basename(trace)}-{kind}')
    begun = time.monotonic()
    report = test.replay(trace, '--frames-dir', folder, *options, timeout=300).json()
    check(report['ok'], f'the replay failed: {report}')
    seconds = time.monotonic() - begun
    names = harness.frame_names(live)
    check(len(names) >= at + n, f'the witness saw {len(names)} frames')
    expected = test.folder(f'{os.path.basename(trace)}-expected')
    for i in range(n):
        harness.copy_frame(live, names[at + i], expected, i)
    harness.compare_folders(test, folder, expected, n)
    return seconds


def look(test, trace):
    """Pictures, state, overlays, timings: that they come, in how many seconds."""
    info = test.info(trace)
    draws = [c['index'] for c in test.commands(trace, '--filter', 'draw')]
    notes = []
    picks = sorted({draws[i * (len(draws) - 1) // 4] for i in range(5)}) if draws else []
    for at in picks:
        begun = time.monotonic()
        result = test.cli('screenshot', trace, '--at', str(at),
                          '-o', test.path(f'{os.path.basename(trace)}-{at}.png'),
                          status=None, timeout=200)
        said = '' if result.status == 0 else f' status {result.status}: {result.err.strip()[-300:]}'
        notes.append(f'picture {at}: {time.monotonic() - begun:.1f} s{said}')
        for what in ('state', 'bound', 'memory'):
            result = test.cli('get', trace, f'commands/{at}/{what}', status=None, timeout=200)
            if result.status != 0:
                notes.append(f'{what} {at}: {result.err.strip()[-300:]}')
    if picks:
        at = picks[len(picks) // 2]
        for overlay in ('overdraw', 'wireframe', 'highlight'):
            result = test.cli('screenshot', trace, '--at', str(at), '--overlay', overlay, '--json',
                              '-o', test.path(f'{os.path.basename(trace)}-{overlay}.png'),
                              status=None, timeout=200)
            said = result.out.strip()
            if result.status != 0:
                said = f'status {result.status}: {result.err.strip()[-300:]}'
            notes.append(f'{overlay} {at}: {said[-300:]}')
    if info['frames']:
        result = test.cli('timings', '--frame', '0', '--loops', '2', '--json', trace, status=None,
                          timeout=300)
        said = '' if result.status == 0 else result.err.strip()[-300:]
        notes.append(f'timings: status {result.status} {said}')
    return notes


def whole(test, trace, live, at, n, arguments):
    notes = []
    info = test.info(trace)
    notes.append(f'{os.path.basename(trace)}: {info["commands"]} commands, '
                 f'{info["initial_commands"]} initial, {info["frames"]} frames, '
                 f'{os.path.getsize(trace)} bytes')
    check(not info['truncated'], f'truncated: {info}')
    if arguments.present:
        check_equal(info['frames'], n, 'frames in the trace')
    failures = []

    def attempt(what, function, *more):
        try:
            seconds = function(*more)
            notes.append(f'  {what}: same {seconds:.1f} s')
        except Failure as failure:
            failures.append(f'{what}: {failure}')

    attempt('plain', compare, test, trace, live, at, n, 'plain')
    attempt('poison', compare, test, trace, live, at, n, 'poison', '--poison')
    trimmed = trace.replace('.gfxtrace', '') + '-trimmed.trace'
    if at and not arguments.quick:
        def trim():
            test.cli('trim', '--json', trace, '-o', trimmed)
            return compare(test, trimmed, live, at, n, 'trimmed', '--poison')
        attempt('trimmed', trim)
    for note in notes:
        test.note(note)
    notes.clear()
    if not arguments.quick:
        for note in look(test, trace):
            test.note('  ' + note)
    check(not failures, '\n'.join(failures))


def captured(test, arguments, at, n, name):
    test.need_display()
    for pair in arguments.env:
        key, value = pair.split('=', 1)
        test.env[key] = value
    live = test.folder(f'live-{name}')
    extra = []
    if at:
        extra += ['--at-frame', str(at)]
    if at and arguments.every:
        extra += ['--every', str(arguments.every), '--times', '3']
    if arguments.only:
        extra += ['--only', arguments.only]
    output = test.path(f'{name}-%d.gfxtrace' if at and arguments.every else f'{name}.gfxtrace')
    test.capture(*arguments.program, frames=n, witness=live, output=output, options=extra,
                 timeout=arguments.timeout)
    for line in test.captured.err.splitlines():
        test.note(f'stderr: {line}'[:300])
    test.note(f'captured in {test.captured.seconds:.1f} s')
    return live


def body_of(arguments, at, n, name):
    def body(test):
        live = captured(test, arguments, at, n, name)
        failures = []
        for i, trace in enumerate(traces(test, name)):
            try:
                whole(test, trace, live, at + i * (arguments.every or 0), n, arguments)
            except Failure as failure:
                failures.append(f'{os.path.basename(trace)}: {failure}')
        check(not failures, '\n'.join(failures))
    return body


if __name__ == '__main__':
    chosen = options()
    sys.argv[1:] = []
    launch = chosen.frames if chosen.launch is None else chosen.launch
    pairs = [('launch', body_of(chosen, 0, launch, 'launch'))] if launch else []
    for moment in filter(None, chosen.at.split(',')):
        pairs.append((f'at-{moment}', body_of(chosen, int(moment), chosen.frames, f'at{moment}')))
    os.environ['VITRINE_TEST_KEEP'] = '1'
    harness.main(*pairs)
