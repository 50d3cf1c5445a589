#!/usr/bin/env python3
"""Every replayed frame equals what the witness saw of the live run, also with poison.

VITRINE_TEST_FRAMES sets how many frames (60).
"""

import json
import os

import harness
from harness import app, check, check_equal, need

N_FRAMES = int(os.environ.get('VITRINE_TEST_FRAMES', '60'))


def frames_of(*argv, expose=None):
    """A test of one program: captured above the witness, replayed without and with poison.
    `expose`: the name of the window of a program that draws only when it is uncovered."""
    def body(test):
        test.need_display()
        live = test.folder('live')
        exposer = harness.Exposer(test.env, expose) if expose is not None else None
        try:
            trace = test.capture(need(argv[0]), *argv[1:], frames=N_FRAMES, witness=live,
                                 timeout=120)
        finally:
            if exposer is not None:
                exposer.close()
        info = test.info(trace)
        check_equal(info['frames'], N_FRAMES, 'frames in the trace')
        check(not info['truncated'], f'the trace is truncated: {info}')
        check(len(harness.frame_names(live)) >= N_FRAMES, 'the witness saw too few frames')
        for name, options in (('plain', []), ('poison', ['--poison'])):
            folder = test.folder(name)
            report = test.replay(trace, '--frames-dir', folder, *options).json()
            check(report['ok'], f'the replay failed: {report}')
            check_equal(len(harness.frame_names(folder)), N_FRAMES, f'frames replayed ({name})')
            harness.compare_folders(test, folder, live, N_FRAMES)
    return body


def windows(test):
    """Two swapchains in one present, replaced half way: 30 presents of 2 images."""
    test.need_display()
    live = test.folder('live')
    trace = test.capture(app('present'), witness=live)
    check_equal(len(harness.frame_names(live)), 60, 'images presented')
    check_equal(test.info(trace)['frames'], 30, 'frames in the trace')
    for name, options in (('plain', []), ('poison', ['--poison'])):
        folder = test.folder(name)
        check(test.replay(trace, '--frames-dir', folder, *options).json()['ok'],
              'the replay failed')
        harness.compare_folders(test, folder, live, 60)


def released(test):
    """Presents that signal fences, and images that are given back instead of being shown."""
    test.need_display()
    test.env['VK_ICD_FILENAMES'] = harness.need_newer_lavapipe()
    trial = test.run([app('present'), '--release', '--frames', '1'])
    if trial.status == 77:
        raise harness.Skip((trial.out + trial.err).strip())
    live = test.folder('live')
    trace = test.capture(app('present'), '--release', witness=live)
    given = [c for c in test.commands(trace) if c['name'].startswith('vkReleaseSwapchainImages')]
    check_equal(len(given), 20, 'images that are given back')
    check_equal(len(harness.frame_names(live)), 60, 'images presented')
    folder = test.folder('replayed')
    check(test.replay(trace, '--frames-dir', folder).json()['ok'], 'the replay failed')
    harness.compare_folders(test, folder, live, 60)
    late = test.capture(app('present'), '--release', frames=5, options=['--at-frame', '10'],
                        output=test.path('late.gfxtrace'))
    check(test.replay(late).json()['ok'], 'the replay from the middle failed')


def compute(test):
    """The headless program's result buffer, replayed, equals what it wrote itself."""
    live = test.path('live.bin')
    trace = test.capture(app('compute'), '--output', live)
    # The program prints its handles, which the layer does not wrap; --json keeps standard output
    # for the report.
    handles = (test.captured.out + test.captured.err).splitlines()
    printed = next(json.loads(line) for line in handles if '"result_buffer"' in line)
    check(test.info(trace)['dispatches'] == 120, 'there are 120 dispatches')
    with open(live, 'rb') as file:
        expected = file.read()
    for what in ('result_buffer', 'device_buffer'):
        for options in ([], ['--poison']):
            path = test.path('replayed.bin')
            report = test.replay(trace, '--read-memory', f'{printed[what]}:{path}',
                                 *options).json()
            check(report['ok'], f'the replay failed: {report}')
            with open(path, 'rb') as file:
                got = file.read()[:len(expected)]
            check(got == expected, f'{what} {options}: the replayed bytes are not the program\'s')

    # Both of one replay, each into its own file.
    whats = ('result_buffer', 'device_buffer')
    paths = [test.path(f'{what}.bin') for what in whats]
    test.replay(trace, *(word for what, path in zip(whats, paths)
                         for word in ('--read-memory', f'{printed[what]}:{path}')))
    for path in paths:
        with open(path, 'rb') as file:
            check(file.read()[:len(expected)] == expected, f'{path} is not what the program has')


def threads(test):
    """Secondaries recorded on three threads, and mapped writes, replay to the same image."""
    live = test.path('live.bin')
    trace = test.capture(app('load'), '--draws', 300, '--frames', 4, '--threads', 3, '--visible',
                         '--mapped', 64, '--output', live)
    report = test.replay(trace).json()
    check(report['ok'], f'the replay failed: {report}')
    check_equal(test.info(trace)['draws'], 1200, 'draws')


harness.main(
    ('vkcube', frames_of('vkcube')),
    ('vkcubepp', frames_of('vkcubepp')),
    ('vkd3d-gears', frames_of('vkd3d-gears')),
    ('vkd3d-triangle', frames_of('vkd3d-triangle', expose='riangle')),
    windows,
    released,
    compute,
    threads)
