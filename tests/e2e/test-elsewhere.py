#!/usr/bin/env python3
"""What was captured on one device replays on another, byte for byte, or is declined first.

The other device is tests/other-driver: lavapipe with other memory types, alignments, sizes, row
pitches and queue families, which refuses what breaks them.
"""

import json
import os

import harness
from harness import LAVAPIPE, app, check, check_equal, need

OTHER = os.path.join(harness.BUILD, 'tests', 'other-driver', 'other_icd.json')
SEEDS = [int(seed) for seed in os.environ.get('VITRINE_TEST_SEEDS', '1 2 3').split()]
WAYS = ((LAVAPIPE, OTHER), (OTHER, LAVAPIPE), (OTHER, OTHER))


def on(driver):
    return {'VK_ICD_FILENAMES': driver}


def frames_of(program, n, ways=WAYS):
    def body(test):
        test.need_display()
        for way, (captured, replayed) in enumerate(ways):
            live = test.folder(f'live{way}')
            trace = test.capture(*program(), frames=n, witness=live, timeout=120,
                                 output=test.path(f'{way}.gfxtrace'), **on(captured))
            for name, options in (('plain', []), ('poison', ['--poison'])):
                folder = test.folder(f'{name}{way}')
                report = test.replay(trace, '--frames-dir', folder, *options,
                                     **on(replayed)).json()
                check(report['ok'], f'the replay failed: {report}')
                check_equal(len(harness.frame_names(folder)), n, f'frames replayed ({name})')
                harness.compare_folders(test, folder, live, n)
    return body


def printed(test):
    lines = (test.captured.out + test.captured.err).splitlines()
    return next(json.loads(line) for line in lines if '"result_buffer"' in line)


def result_of(program, *arguments, poison=True):
    """The program's result buffer, replayed, holds what the program itself wrote to a file."""
    def body(test):
        for way, (captured, replayed) in enumerate(WAYS):
            live = test.path(f'live{way}.bin')
            trace = test.capture(app(program), *arguments, '--output', live,
                                 output=test.path(f'{way}.gfxtrace'), **on(captured))
            with open(live, 'rb') as file:
                expected = file.read()
            check(len(set(expected)) > 16, 'the program computed something')
            for options in [[]] + [['--poison']] * poison:
                path = test.path('replayed.bin')
                report = test.replay(trace, '--read-memory',
                                     f'{printed(test)["result_buffer"]}:{path}', *options,
                                     **on(replayed)).json()
                check(report['ok'], f'the replay failed: {report}')
                with open(path, 'rb') as file:
                    got = file.read()[:len(expected)]
                where = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), None)
                check(got == expected, f'way {way} {options}: byte {where} differs')
    return body


def attachments(test):
    """Colour and depth after a draw are the same on both."""
    live = test.folder('live')
    trace = test.capture(app('draws'), '--output', live, **on(LAVAPIPE))
    draws = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')][:3]
    check(len(draws) > 0, 'there are draws')
    for index in draws:
        for attachment in ('color0', 'depth'):
            images = []
            for driver in (LAVAPIPE, OTHER):
                raw = test.path('image.raw')
                test.cli('screenshot', '--at', str(index), '--attachment', attachment, '--raw', raw,
                         '-o', test.path('image.png'), trace, **on(driver))
                with open(raw, 'rb') as file:
                    images.append(file.read())
            check(images[0] == images[1], f'{attachment} after {index} differs')


def pushes(test):
    """The other device cannot push descriptors: they become sets, in whole frames and up to any draw."""
    test.need_display()
    live = test.folder('live')
    trace = test.capture(app('demo-push'), '--window', '--frames', 3, frames=3, witness=live,
                         **on(LAVAPIPE))
    for name, options in (('plain', []), ('poison', ['--poison'])):
        folder = test.folder(name)
        check(test.replay(trace, '--frames-dir', folder, *options, **on(OTHER)).json()['ok'],
              'it replays')
        harness.compare_folders(test, folder, live, 3)
    draws = [c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDraw']
    check(len(draws) >= 4, f'draws: {draws}')
    for index in draws[-4:]:
        images = []
        for driver in (LAVAPIPE, OTHER):
            raw = test.path('image.raw')
            test.cli('screenshot', '--at', str(index), '--raw', raw, '-o', test.path('image.png'),
                     trace, **on(driver))
            with open(raw, 'rb') as file:
                images.append(file.read())
        check(images[0] == images[1], f'draw {index}')
        check(len(set(images[0])) > 2, f'draw {index} shows something')


def devices(test):
    both = on(f'{OTHER}:{LAVAPIPE}')
    listed = test.cli('devices', '--json', **both).json()
    check_equal(len(listed), 2, 'devices')
    check('Other device' in [d['name'] for d in listed], f'the other device is there: {listed}')
    check(len(test.cli('devices', **both).out.splitlines()) == 2, 'a line for each')

    trace = test.capture(app('compute'), '--rounds', '3', **on(LAVAPIPE))
    same = test.cli('replay', '--check', '--json', trace, **both).json()
    check(same['same'] and same['possible'], f'the captured device is preferred: {same}')
    for name in ('other', 'Other device', str([d['name'] for d in listed].index('Other device'))):
        other = test.cli('replay', '--check', '--json', '--device', name, trace, **both).json()
        check_equal(other['device'], 'Other device', 'the device asked for')
        check(not other['same'] and other['possible'], f'it can replay: {other}')
        check(any(f['what'] == 'queues' for f in other['findings']), 'queues are said to move')
        check(test.replay(trace, '--device', name, **both).json()['ok'], 'it replays')
    result = test.replay(trace, '--device', 'nonsense', status=None, **both)
    check(result.status != 0 and 'nonsense' in result.err, f'a sentence: {result}')
    shown = test.cli('get', trace, 'compatibility', **both).out
    check(json.loads(shown)['same'], 'the path answers')
    info = test.cli('info', '--check', '--json', trace, **on(OTHER)).json()['compatibility']
    check(not info['same'] and info['possible'], f'info says it too: {info}')
    check('replays on' in test.cli('info', '--check', trace, **both).out, 'and in words')


def declined(test):
    """What the device lacks is said before anything runs."""
    test.need_display()
    trace = test.capture(app('load'), '--draws', '5', '--frames', '2', **on(LAVAPIPE))
    report = test.cli('replay', '--check', '--json', trace, **on(OTHER)).json()
    check(report['possible'], f'a plain program replays: {report}')
    none = dict(on('/nonexistent.json'))
    result = test.replay(trace, status=None, **none)
    check(result.status != 0 and len(result.err.strip()) > 20, f'no driver is a sentence: {result}')
    result = test.cli('devices', status=None, **none)
    check(result.status != 0 and len(result.err.strip()) > 20, f'no driver is a sentence: {result}')


harness.main(
    ('vkcube', frames_of(lambda: [need('vkcube')], 10)),
    ('declined', declined),
    ('memory', result_of('memory')),
    # The host writes again what the device wrote; poison takes that for the device's.
    *((f'random-{seed}', result_of('memory', '--seed', seed, poison=False)) for seed in SEEDS),
    ('compute', result_of('compute')),
    ('attachments', attachments),
    ('pushes', pushes),
    # Buffers share memory and begin where this device does not want them to.
    ('program-4', frames_of(lambda: [app('random'), '--seed', 4, '--frames', 6], 6, WAYS[:1])),
    # The CPU writes beside what the GPU wrote, in atoms of memory that is not coherent.
    ('program-6', frames_of(lambda: [app('random'), '--seed', 6, '--frames', 6], 6, WAYS[:1])),
    ('devices', devices),
)
