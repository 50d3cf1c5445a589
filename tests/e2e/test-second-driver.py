#!/usr/bin/env python3
"""Two drivers that render, lavapipe and SwiftShader: what was captured on one replays on the other.

Pictures are held against the program itself, run on the driver that replays: the same commands on
the same driver give the same bytes. Where a capture brings contents that its own driver rendered,
they are held against the captured frames, within a tolerance.

What SwiftShader lacks is said by the compatibility report, before anything runs.

Arguments choose among the tests: `test-second-driver.py msaa`."""

import os
import shutil

import harness
from demos import DEMOS
from harness import Frame, LAVAPIPE, SWIFTSHADER, app, check, check_equal, need
from pictures import compare_all

N_FRAMES = 2
SKIPPED = 77  # status of a demo that does not find what it needs
AT = 2  # first frame of captures that begin in a run
# Two rasterisers: samples at edges fall to one side or the other, and 8-bit values are rounded.
CHANNEL = 3  # by so much each channel may differ, for all but
TEXELS = 0.02  # this part of the texels of a frame

DRIVERS = {'lavapipe': LAVAPIPE, 'swiftshader': SWIFTSHADER}


def on(driver):
    return {'VK_ICD_FILENAMES': DRIVERS[driver]}


def other(driver):
    return 'swiftshader' if driver == 'lavapipe' else 'lavapipe'


def frames_differ(got, expected):
    """The part of the texels with a channel that is further away than CHANNEL."""
    if got.data == expected.data:
        return 0
    size = got.texel_size()
    far = {i // size for i, (a, b) in enumerate(zip(got.data, expected.data))
           if abs(a - b) > CHANNEL}
    return len(far) / (got.width * got.height)


def compare_close(test, got, expected, n):
    worst = 0
    for number in range(n):
        a, b = (Frame.read(harness.frame_path(folder, number)) for folder in (got, expected))
        check_equal((a.width, a.height, a.format), (b.width, b.height, b.format), 'shape')
        part = frames_differ(a, b)
        if part > TEXELS:
            harness.save_difference(test, f'close-{number}', a, b)
        check(part <= TEXELS, f'frame {number}: {part:.2%} of the texels differ by more than '
              f'{CHANNEL}')
        worst = max(worst, part)
    return worst


def capture(test, program, driver, name, at=None, timeout=60):
    """Returns: the trace, and the folder with the frames of its part of the run."""
    test.need_display()
    live = test.folder(f'{name}-all')
    trace = test.capture(*program, frames=N_FRAMES, witness=live, timeout=timeout,
                         options=['--at-frame', str(at)] if at is not None else [],
                         output=test.path(f'{name}.gfxtrace'), **on(driver))
    names = harness.frame_names(live)
    first = test.folder(f'{name}-live')
    check(len(names) >= (at or 0) + N_FRAMES, f'the witness saw {len(names)} frames')
    for i in range(N_FRAMES):
        harness.copy_frame(live, names[(at or 0) + i], first, i)
    return trace, first


def replay(test, trace, driver, name, *options):
    folder = test.folder(name)
    report = test.replay(trace, '--frames-dir', folder, *options, **on(driver)).json()
    check(report['ok'], f'the replay failed: {report}')
    check_equal(len(harness.frame_names(folder)), N_FRAMES, 'frames replayed')
    return folder


def both_ways(program, captured=tuple(DRIVERS), **options):
    """Captured on each driver, from launch and in the run, replayed on both."""
    def body(test):
        harness.need_swiftshader()
        live, traces = {}, {}
        for driver in captured:
            for kind, at in (('launch', None), ('run', AT)):
                traces[driver, kind], live[driver, kind] = capture(
                    test, program(), driver, f'{driver}-{kind}', at, **options)
        worst = 0
        for (driver, kind), trace in traces.items():
            same = replay(test, trace, driver, f'{driver}-{kind}-same')
            harness.compare_folders(test, same, live[driver, kind], N_FRAMES)
            there = other(driver)
            moved = replay(test, trace, there, f'{driver}-{kind}-moved')
            worst = max(worst, compare_close(test, moved, live[driver, kind], N_FRAMES))
            if kind == 'launch' and there in captured:
                harness.compare_folders(test, moved, live[there, kind], N_FRAMES)
        test.note(f'at most {worst:.3%} of the texels differ between the drivers')
    return body


def expect_refusal(test, trace, driver, reasons):
    """The report says why the driver cannot replay the trace, and nothing runs."""
    report = test.cli('replay', '--check', '--json', trace, status=None, **on(driver)).json()
    errors = [f['text'] for f in report['findings'] if f['level'] == 'error']
    check(not report['possible'] and errors, f'nothing is said: {report}')
    for reason in reasons:
        check(any(reason in text for text in errors), f'{reason} is not in {errors}')
    result = test.replay(trace, status=None, **on(driver))
    check_equal(result.status, 5, 'status')
    check(errors[0] in result.err, f'the sentence is not there: {result}')
    check_equal(result.json()['calls'], 0, 'calls that ran')


def lacks(program, *reasons):
    """SwiftShader cannot run the program, and what it lacks is said before a replay runs anything."""
    def body(test):
        harness.need_swiftshader()
        check_equal(test.run(program(), **on('swiftshader')).status, SKIPPED,
                    'the program says itself that SwiftShader is not enough')
        trace, _ = capture(test, program(), 'lavapipe', 'lavapipe')
        expect_refusal(test, trace, 'swiftshader', reasons)
        check(test.replay(trace, **on('lavapipe')).json()['ok'], 'lavapipe replays it')
    return body


# What the report names of each demo that SwiftShader cannot run.
LACKS = {
    'blends': ['dualSrcBlend', 'logicOp'],
    'conditional': ['vkCmdBeginConditionalRenderingEXT'],
    'coverage': ['alphaToOne'],
    'depths': ['VK_FORMAT_X8_D24_UNORM_PACK32'],
    'dynamic': ['VK_EXT_extended_dynamic_state3'],
    'feedback': ['transformFeedback'],
    'half': ['shaderFloat16'],
    'indirect': ['drawIndirectCount'],
    'layouts': ['attachmentFeedbackLoopLayout', 'multisampledRenderToSingleSampled'],
    'linear': ['linear images'],
    'multidraw': ['vkCmdDrawMultiEXT'],
    'multiview': ['primitivesGeneratedQuery'],
    'pointers': ['shaderInt64'],
    'queries': ['pipelineStatisticsQuery'],
    'regions': ['geometryShader', 'multiViewport'],
    'results': ['pipelineStatisticsQuery'],
    'results-times': ['pipelineStatisticsQuery'],
    'robust': ['nullDescriptor'],
    'shapes': ['wideLines'],
    'stages': ['geometryShader'],
    'states-three': ['VK_EXT_extended_dynamic_state3'],
    'states-two': ['logicOp'],
    'states-writes': ['VK_EXT_color_write_enable'],
    'views': ['image2DViewOf3D', 'nonSeamlessCubeMap'],
}

# Where to capture what one driver cannot show, though it can replay it.
ONE_WAY = {
    'chain': ('lavapipe',),
    'push': ('lavapipe',),  # descriptors become sets
    'stored': ('lavapipe',),  # likewise
}


def demo(name):
    entry = DEMOS[name]

    def program():
        return [*entry.argv(app), '--window', '--frames', AT + N_FRAMES + 1]

    if name in LACKS:
        return lacks(program, *LACKS[name])
    return both_ways(program, captured=ONE_WAY.get(name, tuple(DRIVERS)))


WAYS = (('lavapipe', 'swiftshader'), ('swiftshader', 'lavapipe'), ('swiftshader', 'swiftshader'))


def scene(name, *options, ways=WAYS, runs=None, refused=None, without=()):
    """Every picture at the first and the last checkpoint: captured on one driver, replayed on the
    other, as the program finds it there; and on SwiftShader alone. `refused`: (captured, replayed)
    → what the report says of a program that takes what its driver offers. `without`: pictures that
    are not compared."""
    def body(test):
        harness.need_swiftshader()
        program = [app(name), *options]
        total = 0
        for way in ways:
            captured, replayed = way
            trace = test.path(f'{captured}.gfxtrace')
            if not os.path.exists(trace):
                test.capture(*program, output=trace, **on(captured))
            if way in (refused or {}):
                expect_refusal(test, trace, replayed, [refused[way]])
                continue
            for folder in os.listdir(test.dir):
                if folder.startswith('truth-'):
                    shutil.rmtree(test.path(folder))
            test.env.update(on(replayed))
            total += compare_all(test, trace, program, runs, first_and_last=True,
                                 poisons=(False,), without=without)[0]
        test.note(f'{total} pictures')
    return body


SCENES = (
    ('formats', scene('formats',
                      refused={WAYS[0]: 'does not support images of format', WAYS[1]: 'VK_FORMAT_'})),
    ('mips', scene('mips')),
    ('msaa', scene('msaa')),
    ('multiview', scene('multiview')),
    ('secondary', scene('secondary', runs={1: 2, 2: 2})),
    ('stencil', scene('stencil', refused={WAYS[0]: 'VK_FORMAT_D24_UNORM_S8_UINT'},
                      ways=(WAYS[0], WAYS[2]))),
    ('storage', scene('storage')),
    ('subpasses', scene('subpasses')),
    ('suspend', scene('suspend')),
)

PROGRAMS = (
    ('vkcube', both_ways(lambda: [need('vkcube'), '--c', '8'])),
    ('vkcubepp', both_ways(lambda: [need('vkcubepp'), '--c', '8'])),
    # SwiftShader cannot run it, but replay it.
    ('gears', both_ways(lambda: [need('vkd3d-gears')], captured=('lavapipe',))),
)

if __name__ == '__main__':
    harness.main(*((name, demo(name)) for name, entry in DEMOS.items() if entry.driver is None),
                 *SCENES, *PROGRAMS)
