#!/usr/bin/env python3
"""Captures that begin in the middle of a run: every presented frame as the witness saw it, and what
every image and buffer holds at every checkpoint as the program itself read it back, most of which
was put there long before the capture began; plain and poisoned. Then the frames once more, of the
trace without what they do not need.

Arguments choose among them, as in the other tests: `test-midrun.py contents`."""

import os

import harness
from demos import DEMOS
from harness import LAVAPIPE, app, check, check_equal, need
from pictures import compare_all
from programs import PROGRAMS, exposed

N_FRAMES = 2
AT = 2  # demos
OTHER = os.path.join(harness.BUILD, 'tests', 'other-driver', 'other_icd.json')


def compare_frames(test, trace, live, at, n, kinds=('plain', 'poison'), **extra):
    names = harness.frame_names(live)
    check(len(names) >= at + n, f'the witness saw {len(names)} frames')
    first = test.folder('first')
    for i in range(n):
        harness.copy_frame(live, names[at + i], first, i)
    for kind in kinds:
        options = ['--poison'] if kind == 'poison' else []
        folder = test.folder(kind)
        report = test.replay(trace, '--frames-dir', folder, *options, **extra).json()
        check(report['ok'], f'the replay failed: {report}')
        harness.compare_folders(test, folder, first, n)


def compare_trimmed(test, trace, live, at, n):
    """What is left out is poison, if it is needed after all."""
    trimmed = test.path('trimmed.gfxtrace')
    report = test.cli('trim', '--json', trace, '-o', trimmed).json()
    for what, numbers in report.items():
        check(numbers['after'] <= numbers['before'], f'more {what} than before: {report}')
    compare_frames(test, trimmed, live, at, n, kinds=('poison',))
    test.note('trimmed: ' + ', '.join(f'{numbers["before"]} {what} → {numbers["after"]}'
                                      for what, numbers in report.items()))


def capture(test, *program, at, **options):
    test.need_display()
    live = test.folder('live')
    trace = test.capture(*program, frames=N_FRAMES, witness=live,
                         options=['--at-frame', str(at)], **options)
    info = test.info(trace)
    check_equal(info['frames'], N_FRAMES, 'frames in the trace')
    check(info['initial_commands'] > 0, f'no initial commands: {info}')
    check(not info['truncated'], f'the trace is truncated: {info}')
    compare_frames(test, trace, live, at, N_FRAMES)
    compare_trimmed(test, trace, live, at, N_FRAMES)
    return trace


def demo_test(demo):
    def body(test):
        demo.drive(test)
        program = [*demo.argv(app), '--frames', str(AT + N_FRAMES + 1)]
        trace = capture(test, *program, '--window', at=AT)
        if demo.same:
            total, checks = compare_all(test, trace, [*program, *demo.truth], first_and_last=True)
            test.note(f'{total} pictures at {checks} checkpoints')
    return body


def program_test(name):
    def body(test):
        program = PROGRAMS[name]
        test.need_display()
        with exposed(test, program):
            capture(test, *program.argv(test), at=program.late, timeout=120)
    return body


def elsewhere(program, ways):
    """Captured on one driver, replayed on the other, which has memory that the CPU cannot see."""
    def body(test):
        test.need_display()
        for way, (captured, replayed) in enumerate(ways):
            live = test.folder(f'live{way}')
            trace = test.capture(*program(), frames=N_FRAMES, witness=live,
                                 options=['--at-frame', str(AT)], VK_ICD_FILENAMES=captured,
                                 output=test.path(f'{way}.gfxtrace'))
            compare_frames(test, trace, live, AT, N_FRAMES, VK_ICD_FILENAMES=replayed)
    return body


if __name__ == '__main__':
    harness.main(*((name, program_test(name)) for name in ('vkcube', 'vkcubepp', 'gears', 'triangle')),
                 ('gears-elsewhere', elsewhere(lambda: [need('vkd3d-gears')],
                                               ((OTHER, LAVAPIPE), (OTHER, OTHER)))),
                 ('contents-elsewhere',
                  elsewhere(lambda: [app('demo-contents'), '--window', '--frames', '5'],
                            ((LAVAPIPE, OTHER), (OTHER, LAVAPIPE), (OTHER, OTHER)))),
                 *((name, demo_test(demo)) for name, demo in DEMOS.items()))
