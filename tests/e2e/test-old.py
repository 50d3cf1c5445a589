#!/usr/bin/env python3
"""Traces of earlier versions (tests/data) open, give the same answers as then, and replay to what the
same program draws today."""

import os

import harness
from harness import check, check_equal, need

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data')


def old_test(name, *program, at, frames, commands, draws, initial):
    def body(test):
        test.need_display()
        trace = os.path.join(DATA, f'{name}.gfxtrace')
        info = test.info(trace)
        for key, value in (('commands', commands), ('frames', frames), ('draws', draws),
                           ('initial_commands', initial), ('truncated', False)):
            check_equal(info[key], value, f'{key} of {name}')
        check_equal(len(test.commands(trace)), commands, f'commands listed of {name}')
        state = test.cli('get', '--json', trace, f'commands/{commands - 1}/state').json()
        check(state, 'there is no state after the last command')

        live = test.folder('live')
        test.capture(need(program[0]), *program[1:], frames=at + frames, witness=live)
        names = harness.frame_names(live)
        check(len(names) >= at + frames, f'the witness saw {len(names)} frames')
        expected = test.folder('expected')
        for i in range(frames):
            harness.copy_frame(live, names[at + i], expected, i)
        for kind, options in (('plain', []), ('poison', ['--poison'])):
            folder = test.folder(kind)
            report = test.replay(trace, '--frames-dir', folder, *options).json()
            check(report['ok'], f'the replay failed: {report}')
            harness.compare_folders(test, folder, expected, frames)
    return body


if __name__ == '__main__':
    harness.main(
        ('vkcube', old_test('vkcube', 'vkcube', '--c', '3', at=0, frames=3, commands=194, draws=3,
                            initial=0)),
        ('vkcubepp', old_test('vkcubepp', 'vkcubepp', '--c', '6', at=0, frames=3, commands=149,
                              draws=3, initial=0)),
        ('vkcube-middle', old_test('vkcube-middle', 'vkcube', '--c', '60', at=20, frames=2,
                                   commands=10, draws=2, initial=96)))
