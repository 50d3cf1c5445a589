#!/usr/bin/env python3
"""Images that a replayer makes in random order from its snapshot equal, byte for byte, those of replays from the
beginning of the trace."""

import json
import os
import time

import harness
from harness import app, check, check_equal, need

PICTURES = int(os.environ.get('VITRINE_TEST_PICTURES', '100'))
DEMOS = ('conditional', 'dynamic', 'feedback', 'indirect', 'push', 'resolves', 'sets', 'transient')
SCENES = ('mips', 'msaa', 'multiview', 'secondary', 'stencil', 'storage', 'subpasses', 'suspend')
SEED = os.environ.get('VITRINE_TEST_SEED', '1')
CHECK = os.path.join(os.environ['VITRINE_BUILD_DIR'], 'tests', 'engine', 'resolve', 'check-split')


def random_order(*argv, display=False, least=1, marks=None, pictures=PICTURES, find=None,
                 **options):
    def body(test):
        if display:
            test.need_display()
        program = (find or (need if display else app))(argv[0])
        trace = test.capture(program, *argv[1:], **options)
        env = {'VITRINE_REPLAY_MARKS': str(marks), 'G_MESSAGES_DEBUG': 'all'} if marks else {}
        result = test.run([CHECK, trace, pictures, SEED], timeout=150, **env)
        if marks:
            check('Mark ' in result.err + result.out, f'no marks were made: {result}')
            result.out = result.out[result.out.rindex('{"asked'):]
        answer = result.check().json()
        check_equal(answer['different'], 0, 'pictures that differ')
        check(answer['images'] >= least, f'too few pictures: {answer}')
    return body


def waiting(test):
    """Work that waits for what the program does later is a sentence at once, and in the way of
    nothing else."""
    trace = test.capture(app('timeline'))
    image = test.cli('get', '--json', trace, 'textures').json()[0]['object']['object']
    calls = test.commands(trace)
    submits = [c['index'] for c in calls if c['name'] == 'vkQueueSubmit']
    signals = [c['index'] for c in calls if c['name'] == 'vkSignalSemaphore']
    begun = time.monotonic()
    for submit in submits:
        result = test.cli('screenshot', trace, '--object', image, '--at', submit, '-o',
                          test.path('none.png'), status=6)
        check('waits for a semaphore' in result.err, f'{result}')
    check(time.monotonic() - begun < 20 * harness.PATIENCE, 'waited for the time limit')

    def pictures(name, *places):
        folder = test.folder(name)
        paths = [part for place in places for part in
                 ('--path', f'commands/{place}/images/{image}')]
        test.cli('screenshot', trace, *paths, '-o', folder, status=None)
        return {file: harness.Png(os.path.join(folder, file)).rgb() for file in os.listdir(folder)}

    first, second = (pictures(f'alone-{n}', signal, signal)['0.png'] for n, signal in enumerate(signals))
    check(first != second, 'both clears look alike')
    mixed = pictures('mixed', signals[1], signals[0], submits[1], signals[1], signals[0])
    check_equal(sorted(mixed), ['0.png', '1.png', '3.png', '4.png'], 'pictures')
    for file, picture in mixed.items():
        check(picture == (second if file in ('0.png', '3.png') else first), f'{file} differs')


def inlined(test):
    """Sets with inline uniform blocks that are written later are not kept by copying: lavapipe of Mesa
    22.3 takes each byte of a block for a descriptor, and overwrites what lies behind the sets."""
    trace = test.capture(app('demo-sets'), '--inline')
    result = test.run([CHECK, trace, 30, SEED], timeout=150, G_MESSAGES_DEBUG='all')
    told = result.out + result.err
    check('cannot be copied' in told, f'the sets were copied: {result}')
    answer = json.loads(told[told.rindex('{"asked'):told.rindex('}') + 1])
    check_equal(answer['different'], 0, 'pictures that differ')
    check(answer['images'] >= 10, f'too few pictures: {answer}')


harness.main(
    waiting,
    inlined,
    ('vkcube', random_order('vkcube', display=True, frames=12, least=20)),
    ('vkd3d-gears', random_order('vkd3d-gears', display=True, frames=12, least=20)),
    ('draws', random_order('draws', least=20)),
    # Its results of queries are those of the frame before, also when a frame runs again.
    ('prebuilt', random_order('demo-prebuilt', '--window', '--frames', '5', display=True, find=app,
                              least=20, pictures=PICTURES // 3)),
    ('load', random_order('load', '--draws', '300', '--frames', '4', '--visible', least=20)),
    ('load in threads', random_order('load', '--draws', '300', '--frames', '3', '--threads', '2',
                                     '--visible')),
    *((name, random_order(name, least=20)) for name in SCENES),
    # Inside submissions: from marks a few commands apart, and in a large pass.
    *((f'{name} by marks', random_order(name, least=10, marks=1 + n % 3, pictures=PICTURES // 2))
      for n, name in enumerate(('draws', *SCENES))),
    *((f'{name} by marks', random_order(f'demo-{name}', least=10, marks=1, pictures=25))
      for name in DEMOS),
    ('large pass', random_order('load', '--draws', '2500', '--frames', '2', '--visible', least=20,
                                marks=1000, pictures=PICTURES // 2)))
