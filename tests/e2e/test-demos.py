#!/usr/bin/env python3
"""The demos, end to end: captured from launch, every image and buffer at every checkpoint as the
program itself read it back, every presented frame as the witness saw it; plain and poisoned.

Arguments choose among them, as in the other tests: `test-demos.py feedback`."""

import harness
from demos import DEMOS
from harness import app, check, check_equal
from pictures import compare_all

N_FRAMES = 3


def pictures(demo):
    def body(test):
        demo.drive(test)
        program = demo.argv(app)
        total, checks = compare_all(test, test.capture(*program), [*program, *demo.truth])
        check_equal(checks, demo.checks, 'checkpoints')
        test.note(f'{total} pictures at {checks} checkpoints')
    return body


def frames(demo):
    def body(test):
        demo.drive(test)
        test.need_display()
        live = test.folder('live')
        trace = test.capture(*demo.argv(app), '--window', '--frames', N_FRAMES, witness=live)
        check_equal(len(harness.frame_names(live)), N_FRAMES, 'frames of the live run')
        for kind, options in (('plain', []), ('poison', ['--poison'])):
            folder = test.folder(kind)
            report = test.replay(trace, '--frames-dir', folder, *options).json()
            check(report['ok'], f'the replay failed: {report}')
            harness.compare_folders(test, folder, live, N_FRAMES)
    return body


if __name__ == '__main__':
    harness.main(*((f'{name}-{kind.__name__}', kind(demo))
                   for name, demo in DEMOS.items() for kind in (pictures, frames)
                   if demo.same or kind is frames))
