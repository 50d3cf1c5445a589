#!/usr/bin/env python3
"""Captures that begin in the middle of a run: every presented frame as the witness saw it, and what
every image and buffer holds at every checkpoint as the program itself read it back, most of which
was put there long before the capture began; plain and poisoned. Then the frames once more, of the
trace without what they do not need.

Some once more, with all contents copied after the cut that can be: `soon-…` by the layer's thread beside the
program, `touched-…` only when a call is about to change them, and at the end of the device. With
VITRINE_TEST_LATE=1 all demos are.

Arguments choose among them, as in the other tests: `test-midrun.py contents`."""

import os

import harness
from demos import DEMOS, newer_elsewhere
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


# From how many bytes on, and how many milliseconds after the cut.
LATE = {'soon': '0,0', 'touched': '0,60000'}
# Those that change, destroy, map and alias what they made before, or write to it without naming it, and of which
# something can be copied later: of other demos all contents are copied at the cut. 'rays' has structures in memory
# that could be kept, and must not be; 'stored-buffers' has a storage image that descriptors in a buffer lead to.
CHANGING = ('churn', 'contents', 'maintenance', 'mapped', 'rays', 'stored', 'stored-after-bind',
            'stored-buffers')
# Of these the layer's thread gets something to copy, for others change everything in the frame of the cut.
LASTING = ('mapped',)
# Mapped memory is watched from before the cut on, while the program writes to it.
WATCHED = ('mapped', 'contents', 'churn')


def late_test(way, body):
    def late(test):
        test.env['VITRINE_LATE'] = LATE[way]
        body(test)
    return late


def ahead_test(body):
    def ahead(test):
        test.env['VITRINE_AHEAD'] = '0'
        body(test)
    return ahead


def change_test(way, driver):
    """Each frame shows what it then changes."""
    def body(test):
        test.env['VITRINE_LATE'] = LATE[way]
        test.env['VK_ICD_FILENAMES'] = driver
        capture(test, app('demo-late'), '--window', '--frames', str(AT + N_FRAMES + 3), at=AT)
    return body


def stored_test(way, *options):
    """Shaders write to all that can be stored to, in memory that only the GPU reads."""
    def body(test):
        test.env['VITRINE_LATE'] = LATE[way]
        if options:
            harness.need_newer_lavapipe()
            test.env.update(newer_elsewhere(test))
        else:
            test.env['VK_ICD_FILENAMES'] = OTHER
        capture(test, app('demo-stored'), *options, '--window', '--frames', str(AT + N_FRAMES + 1), at=AT)
    return body


def busy(test):
    """The queue never comes to rest before the work that writes to a large image: it is copied at the cut, since
    frames before did the same."""
    capture(test, app('demo-stored'), '--busy', '--window', '--frames', str(AT + N_FRAMES + 1), at=AT)
    check('not in the trace' not in test.captured.err, f'contents are lost: {test.captured}')


def exits(test):
    """The program ends without destroying anything: what is left is copied then."""
    test.env['VITRINE_LATE'] = LATE['touched']
    test.need_display()
    live = test.folder('live')
    trace = test.capture(app('demo-late'), '--window', '--frames', '9', '--exit', str(AT + N_FRAMES + 1),
                         frames=N_FRAMES, witness=live, options=['--at-frame', str(AT)])
    compare_frames(test, trace, live, AT, N_FRAMES)


def ends(test):
    """It ends without notice: the trace has every call, and says what it lacks."""
    test.env['VITRINE_LATE'] = LATE['touched']
    test.need_display()
    trace = test.capture(app('demo-late'), '--window', '--frames', '9', '--end', str(AT + N_FRAMES + 1),
                         frames=N_FRAMES, options=['--at-frame', str(AT)])
    check('lacks the contents' in test.captured.err, f'what happened is not told: {test.captured}')
    check('lacks the contents' in test.cli('info', trace).out, 'the trace does not say what it lacks')
    frames = sum(command['name'] == 'vkQueuePresentKHR' for command in test.commands(trace))
    check_equal(frames, N_FRAMES, 'presents')
    check(not [name for name in os.listdir(os.path.dirname(trace)) if '.part' in name], 'something is left')


def loses(test):
    """Somebody ends the process that keeps the memory of the cut: the trace says what it lacks, and no more is lost.
    Memory that a driver shares with child processes cannot be kept by one: it is copied at the cut, and nothing is lost."""
    test.env['VITRINE_LATE'] = LATE['touched']
    test.need_display()
    live = test.folder('live')
    trace = test.capture(app('demo-late'), '--window', '--frames', '9', '--lose', str(AT + N_FRAMES + 1),
                         frames=N_FRAMES, witness=live, options=['--at-frame', str(AT)])
    shared = "The driver's memory is shared" in test.captured.err
    check_equal('are not in the trace' in test.captured.err, not shared, f'what happened is told: {test.captured}')
    if shared:
        compare_frames(test, trace, live, AT, N_FRAMES)
    frames = sum(command['name'] == 'vkQueuePresentKHR' for command in test.commands(trace))
    check_equal(frames, N_FRAMES, 'presents')


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
                 ('late-busy', busy), ('late-exits', exits), ('late-ends', ends), ('late-loses', loses),
                 *((f'{way}-change{suffix}', change_test(way, driver)) for way in LATE
                   for suffix, driver in (('', LAVAPIPE), ('-unseen', OTHER))),
                 *((f'touched-stored-unseen{suffix}', stored_test('touched', *options))
                   for suffix, options in (('', ()), ('-after-bind', ('--after-bind',)))),
                 *((f'{way}-{name}', late_test(way, demo_test(DEMOS[name])))
                   for way, names in (('soon', LASTING), ('touched', CHANGING))
                   for name in (DEMOS if 'VITRINE_TEST_LATE' in os.environ else names)),
                 *((f'ahead-{name}', ahead_test(demo_test(DEMOS[name]))) for name in WATCHED),
                 *((name, demo_test(demo)) for name, demo in DEMOS.items()))
