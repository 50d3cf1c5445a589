#!/usr/bin/env python3
"""The test programs and the witness, before anything is tested with them."""

import os

import harness
from demos import DEMOS
from harness import Failure, Frame, app, check, check_equal, need

VALIDATION = {'VK_INSTANCE_LAYERS': harness.VALIDATION_LAYER,
              'VK_LAYER_ENABLES': 'VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT'}


def validate(test, *argv, status=0, **env):
    """The validation layer prints on standard output."""
    result = test.run(argv, timeout=120, **VALIDATION, **env).check(status)
    check('VUID' not in result.out + result.err and 'Validation' not in result.out + result.err and
          'SYNC-' not in result.out, f'not valid: {result}')


def validation(test):
    validate(test, app('compute'), '--rounds', 5)
    validate(test, app('counter'), '--counters', test.path('counters'), '--rounds', 20)
    validate(test, app('draws'), '--output', test.dir)
    validate(test, app('draws'), '--output', test.dir, '--dynamic')
    for scene in ('formats', 'mips', 'msaa', 'multiview', 'secondary', 'stencil', 'storage',
                  'subpasses', 'suspend'):
        validate(test, app(scene))
        validate(test, app(scene), '--stop', 4, '--output', test.dir)
    for demo in DEMOS.values():
        if demo.driver is None and demo.valid is not None:
            validate(test, *demo.argv(app), *demo.valid)
    validate(test, app('fork'), '--child')
    validate(test, app('load'), '--draws', 20, '--frames', 3, '--threads', 2, '--mapped', 1)
    validate(test, app('exit'), status=3)
    test.need_display()
    validate(test, app('present'), '--frames', 6)


def deterministic(test):
    """A program that drew differently in each run could not be compared with its replay."""
    for name, arguments in (('compute', []), ('load', ['--visible', '--frames', 3]),
                            ('load', ['--visible', '--frames', 3, '--threads', 3])):
        contents = set()
        for path in (test.path('a'), test.path('b')):
            test.run([app(name), *arguments, '--output', path]).check()
            with open(path, 'rb') as file:
                contents.add(file.read())
        check_equal(len(contents), 1, f'results of two runs of {name} {arguments}')


def draws_change_what_they_should(test):
    """Every draw changes all attachments, but for the hidden one and the clear."""
    unchanged = {7: {'color0', 'color1', 'depth'}, 8: {'color0', 'depth'}}
    previous = None
    for number in range(9):
        folder = test.folder(str(number))
        test.run([app('draws'), '--draws', number, '--output', folder]).check()
        parts = {name: Frame.read(os.path.join(folder, f'{name}.raw')).data
                 for name in ('color0', 'color1', 'depth', 'stencil')}
        if previous is not None:
            same = {name for name in parts if parts[name] == previous[name]}
            check_equal(same, unchanged.get(number, set()), f'left alone by draw {number}')
        previous = parts

    dynamic = test.folder('dynamic')
    test.run([app('draws'), '--dynamic', '--output', dynamic]).check()
    for name, data in previous.items():
        check(Frame.read(os.path.join(dynamic, f'{name}.raw')).data == data,
              f'dynamic rendering gives another {name}')


def witness_frames(test):
    """60 frames of vkcube: all there, whole, moving, and the same again."""
    test.need_display()
    folders = [test.folder('first'), test.folder('second')]
    for folder in folders:
        test.run([need('vkcube'), '--c', 60], **harness.witness_environment(folder)).check()
        check_equal(len(harness.frame_names(folder)), 60, 'frames')
    harness.compare_folders(test, *folders, 60)
    names = harness.frame_names(folders[0])
    contents = {Frame.read(os.path.join(folders[0], name)).data for name in names}
    check(len(contents) > 50, f'only {len(contents)} different frames')


def witness_of_two_windows(test):
    test.need_display()
    folder = test.folder('frames')
    test.run([app('present')], **harness.witness_environment(folder)).check()
    sizes = [Frame.read(os.path.join(folder, name)).width for name in harness.frame_names(folder)]
    check_equal(sizes, [200, 260] * 30, 'widths of the frames')


def witness_is_valid(test):
    test.need_display()
    env = harness.witness_environment(test.folder('frames'))
    env['VK_INSTANCE_LAYERS'] += ':' + harness.VALIDATION_LAYER
    result = test.run([need('vkcube'), '--c', 5], **env).check()
    check('VUID' not in result.out, f'not valid: {result}')
    check_equal(len(harness.frame_names(test.path('frames'))), 5, 'frames')


def comparison_can_fail(test):
    """One bit in one frame is found."""
    for folder in ('a', 'b'):
        test.folder(folder)
        for number in range(3):
            data = bytearray(range(64))
            if folder == 'b' and number == 2:
                data[37] ^= 1
            with open(test.path(folder, f'frame-{number:06}.raw'), 'wb') as file:
                file.write(Frame.HEADER.pack(b'VTRFRAME', 1, 4, 4, 44, 64) + data)
    harness.compare_folders(test, test.path('a'), test.path('b'), 2)
    try:
        harness.compare_folders(test, test.path('a'), test.path('b'), 3)
    except Failure as failure:
        check_equal(str(failure), 'frame 2: 1 of 16 texels differ, the first at (1, 2): '
                    '24252627 is not 24242627', 'failure')
        check_equal(harness.Png(test.path('frame-000002-got.png')).rgb(),
                    Frame.read(test.path('a', 'frame-000002.raw')).rgb(), 'picture')
        return
    raise Failure('a changed byte went unnoticed')


harness.main(comparison_can_fail, validation, deterministic, draws_change_what_they_should,
             witness_frames, witness_of_two_windows,
             witness_is_valid)
