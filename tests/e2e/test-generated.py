#!/usr/bin/env python3
"""Commands that the device generates (VK_EXT_device_generated_commands): their state, and replays with other addresses
in their memory. That they replay is in test-demos.py and test-midrun.py."""

import os

import harness
from demos import DEMOS
from harness import Frame, app, check, check_equal

DEMO = DEMOS['generated']
N_FRAMES = 2
EXECUTE = 'vkCmdExecuteGeneratedCommandsEXT'
# For each frame: 3 sequences with vertices for pipelines, 3 for shader objects, 3 with indices.
ADDRESSES = 9 * N_FRAMES
# 3 with draws, 3 with indices and draws, 3 with mesh draws.
COUNTED_ADDRESSES = 12 * N_FRAMES

# 2 with ray generation, misses and hits, beside those of instances.
RAY_ADDRESSES = 6 * N_FRAMES


def capture(test, *options, demo=DEMO):
    """Returns: a trace of two frames, and the folder with their pictures."""
    demo.drive(test)
    test.need_display()
    live = test.folder('live')
    trace = test.capture(*demo.argv(app), '--window', '--frames', N_FRAMES + 1, frames=N_FRAMES,
                         witness=live, options=options)
    return trace, live


def executions(test, trace):
    """Those of the first frame: dispatches, draws of an execution set, indexed draws."""
    return [c['index'] for c in test.commands(trace) if c['name'] == EXECUTE][:3]


def entries(test, trace, at):
    """Of all execution sets, in order of creation."""
    path = f'commands/{at}/state/devices'
    device = next(iter(test.cli('get', '--json', trace, path).json()))
    sets = test.cli('get', '--json', trace, f'{path}/{device}/indirectExecutionSets').json()
    return [each['entries'] for _, each in sorted(sets.items(), key=lambda item: int(item[0]))]


def shown(test):
    """Each is of the kind that its shader stages say."""
    trace, _ = capture(test)
    dispatch, draw, indexed = executions(test, trace)
    stages = [[shader['stage'] for shader in test.cli('get', '--json', trace,
                                                      f'commands/{at}/shaders').json()]
              for at in (dispatch, draw, indexed)]
    check_equal(stages, [['compute'], ['vertex', 'fragment'], ['vertex', 'fragment']], 'stages')
    info = test.cli('info', '--json', trace).json()
    check_equal((info['draws'], info['dispatches']), (3 * N_FRAMES, N_FRAMES), 'draws, dispatches')
    last = test.cli('get', '--json', trace, f'commands/{indexed}/state').json()['last']
    check_equal((last['drawCommand'], last['dispatchCommand']), (indexed, dispatch), 'last work')
    check('indirectCommandsLayouts' in test.cli('get', '--json', trace, f'commands/{draw}/state').out,
          'no layouts of sequences in the state')
    # Each frame writes entry 1 of the set of draws, and entry 2 of that of shader objects, anew.
    frames = [entries(test, trace, at) for at in [c['index'] for c in test.commands(trace)
                                                  if c['name'] == EXECUTE][1::4]]
    check_equal([[[entry['element'] for entry in one] for one in sets] for sets in frames],
                [[[0, 1], [0, 5], [0, 1, 2, 3]]] * N_FRAMES, 'entries of execution sets')
    first, second = frames
    for nth, kind, changed in ((0, 'pipeline', 1), (2, 'shader', 2)):
        before, after = ([entry[kind]['object'] for entry in sets[nth]] for sets in frames)
        check_equal([a != b for a, b in zip(before, after)],
                    [i == changed for i in range(len(before))], f'changed entries of {kind}s')
        check(first[nth][changed]['writtenBy'] < second[nth][changed]['writtenBy'], 'who wrote it')
    check_equal(first[1], second[1], 'entries of the set of dispatches')


def memory(test):
    """They may write what has a device address, beside what any draw or dispatch may."""
    trace, _ = capture(test)
    dispatch, draw, _ = executions(test, trace)
    for at, wanted in ((dispatch, 'storage buffer 0.0'), (draw, 'color attachment 0')):
        ranges = test.cli('get', '--json', trace, f'commands/{at}/memory').json()
        check(any(r['label'] == wanted for r in ranges), f'no {wanted} at {at}: {ranges}')
        written = [r for r in ranges if r['label'] == 'destination']
        check(len(written) >= 4 and all(r['possibly'] for r in written),
              f'what may be written at {at}: {written}')
    at = next(c['index'] for c in test.commands(trace)
              if c['name'] == 'vkCmdPreprocessGeneratedCommandsEXT')
    ranges = test.cli('get', '--json', trace, f'commands/{at}/memory').json()
    check(any(r['label'] == 'destination' and r['possibly'] for r in ranges),
          f'nothing is written by the preprocessing: {ranges}')


def moved(demo, addresses, alone=True):
    """Addresses in sequences are found, half of which are at odd multiples of 4. `alone`: the demo has no others in
    memory."""
    def body(test):
        for options in ((), ('--at-frame', '1')):
            trace, live = capture(test, *options, demo=demo)
            names = harness.frame_names(live)[1 if options else 0:]
            expected = test.folder('expected')
            for i in range(N_FRAMES):
                harness.copy_frame(live, names[i], expected, i)
            folder = test.folder('frames')
            said = test.replay(trace, '--frames-dir', folder, '--addresses', 'guess').json()['addresses']
            harness.compare_folders(test, folder, expected, N_FRAMES)
            found = said['places']['memory']
            # A recording that begins in a run has those of the frame before, too.
            check(found == addresses if alone and not options else found >= addresses,
                  f'addresses in memory: {said}')
            result = test.cli('replay', '--json', trace, '--frames-dir', test.folder('unchanged'),
                              '--addresses', 'guess', status=None, VITRINE_REPLAY_PATCHES='0')
            if result.status == 0:
                equal = [Frame.read(harness.frame_path(test.folder('unchanged'), i)).data ==
                         Frame.read(harness.frame_path(expected, i)).data for i in range(N_FRAMES)]
                check(not all(equal), 'unchanged addresses give the right pictures')
    return body


def shot(test, trace, at, edit=''):
    raw = os.path.join(test.folder('taken'), '0.raw')
    return harness.raw_images(test.cli('screenshot', trace, '--path',
                                       f'commands/{at}/framebuffer/color0{edit}', '--json', '--raw',
                                       raw, timeout=120))[0]


def edited(test):
    """They can be left out and drawn as lines; counting says that it cannot be done."""
    trace, _ = capture(test)
    _, draw, indexed = executions(test, trace)
    before, both = shot(test, trace, draw), shot(test, trace, indexed)
    check(before.describe_difference(both) is not None, 'nothing is drawn')
    lines = shot(test, trace, draw, '?overlay=wireframe-all')
    check(before.describe_difference(lines) is not None, 'lines are not drawn')
    left = shot(test, trace, indexed, f'?disable={indexed}')
    check_equal(left.data, before.data, 'without the second draw')
    result = test.cli('screenshot', trace, '-o', test.path('none.png'), '--path',
                      f'commands/{draw}/framebuffer/color0?overlay=overdraw', status=None)
    check(result.status != 0 and 'draws that the device generates' in result.err,
          f'nothing is said: {result}')


if __name__ == '__main__':
    harness.main(shown, memory, ('moved', moved(DEMO, ADDRESSES)),
                 ('moved-counts', moved(DEMOS['generated-counts'], COUNTED_ADDRESSES)),
                 ('moved-rays', moved(DEMOS['rays-generated'], RAY_ADDRESSES, alone=False)), edited)
