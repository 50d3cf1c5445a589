#!/usr/bin/env python3
"""What every image holds at every checkpoint: each mip level, layer, slice, sample and aspect, by
replay, held against programs that stopped there and read it back themselves; plain and with
poisoned memory."""

import os
import re

import harness
from harness import CLI, Frame, app, check, check_equal

LABEL = 'vkCmdInsertDebugUtilsLabelEXT'
POISON = (False, True)


def checkpoints(test, trace):
    """Number of the checkpoint → its command."""
    found = {}
    for command in test.commands(trace):
        if command['name'] == LABEL:
            name = command['parameters']['pLabelInfo']['pLabelName']
            found[int(re.fullmatch(r'check (\d+)', name).group(1))] = command['index']
    return found


def images(test, trace):
    """Name → object, of all images that have one."""
    listed = test.cli('get', '--json', trace, 'objects/VkImage').json()
    return {image['name']: image['object'] for image in listed}


def take(test, trace, paths, poison):
    """The texels of each path; None where the command line said why there are none."""
    folder = test.folder('taken')
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    arguments = [argument for path in paths for argument in ('--path', path)]
    result = test.run([CLI, 'screenshot', trace, *arguments, '--raw', folder,
                       *(['-o', folder]), *(['--poison'] if poison else [])], timeout=300)
    check(0 <= result.status < 128, f'it crashed: {result}')
    frames = []
    for number in range(len(paths)):
        path = os.path.join(folder, f'{number}.raw')
        frames.append(Frame.read(path) if os.path.exists(path) else None)
        if os.path.exists(path) and number < 3:
            harness.Png(os.path.join(folder, f'{number}.png'))
    return frames, result.err


def truth_of(test, program, stop, run):
    folder = test.folder(f'truth-{stop}-{run}')
    test.run([*program, '--stop', stop, '--run', run, '--output', folder]).check()
    return {name[:-4]: os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith('.raw')}


def compare(test, trace, program, stop, command, run, poison):
    objects = images(test, trace)
    truth = truth_of(test, program, stop, run)
    names = list(truth)
    paths = []
    for name in names:
        picture, mip, layer, slice_, sample, aspect = name.split(',')
        paths.append(f'commands/{command}@{run}/images/{objects[picture]}?mip={mip}&layer={layer}'
                     f'&slice={slice_}&sample={sample}&aspect={aspect}')
    # What nobody has put anything into says so.
    written = {name.split(',')[0] for name in names}
    empty = [name for name in objects if name not in written]
    paths += [f'commands/{command}@{run}/images/{objects[name]}' for name in empty]
    taken, errors = take(test, trace, paths + paths[:1], poison)
    check(all(got is None for got in taken[len(names):len(paths)]),
          f'checkpoint {stop}: something in {empty}, which nobody used')
    check(errors.count('Nothing has been') == len(empty), f'not said of {empty}: {errors}')
    for name, path, got in zip(names, paths, taken):
        expected = Frame.read(truth[name])
        check(got is not None, f'checkpoint {stop}: no {name} ({path}): {errors}')
        check_equal((got.width, got.height, got.format),
                    (expected.width, expected.height, expected.format), f'shape of {name}')
        if got.data != expected.data:
            harness.save_difference(test, f'{stop}-{name}', got, expected)
            raise harness.Failure(f'checkpoint {stop} (command {command}, run {run}, '
                                  f'poison {poison}), {name}: '
                                  f'{got.describe_difference(expected)}')
    return len(names)


def scene(name, *options, runs=None, fewest=1):
    """`runs`: checkpoint → how often its command runs."""
    def body(test):
        program = [app(name), *options]
        trace = test.capture(*program)
        marks = checkpoints(test, trace)
        check(marks, 'no checkpoint in the trace')
        total = 0
        for poison in POISON:
            for stop, command in sorted(marks.items()):
                for run in range((runs or {}).get(stop, 1)):
                    total += compare(test, trace, program, stop, command, run, poison)
        check(total >= fewest, f'only {total} pictures')
        test.note(f'{total} pictures at {len(marks)} checkpoints')
    return body


TESTS = (
    ('formats', scene('formats')),
    ('mips', scene('mips')),
    ('multiview', scene('multiview')),
    ('multiview-dynamic', scene('multiview', '--dynamic')),
    ('storage', scene('storage')),
    ('subpasses', scene('subpasses')),
    ('subpasses-second', scene('subpasses', '--second')),
    ('secondary', scene('secondary', runs={1: 2, 2: 2})),
    ('secondary-dynamic', scene('secondary', '--dynamic', runs={1: 2, 2: 2})),
    ('stencil', scene('stencil')),
    ('suspend', scene('suspend')),
    ('msaa', scene('msaa')),
    ('msaa-second', scene('msaa', '--second')),
    ('msaa-dynamic', scene('msaa', '--dynamic')),
)

if __name__ == '__main__':
    harness.main(*TESTS)
