"""Comparing what replays find in images and buffers with programs that stopped at a checkpoint and
read it back themselves."""

import base64
import os
import re

import harness
from harness import CLI, Frame, check, check_equal

LABEL = 'vkCmdInsertDebugUtilsLabelEXT'
POISON = (False, True)
MOST_BYTES = 8192  # of a buffer


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
    result = test.run([CLI, 'screenshot', trace, *arguments, '--json', '--raw', folder,
                       *(['-o', folder]), *(['--poison'] if poison else [])], timeout=300)
    check(0 <= result.status < 128, f'it crashed: {result}')
    found = harness.raw_images(result)
    for number in found:
        if number < 3:
            harness.Png(os.path.join(folder, f'{number}.png'))
    return [found.get(number) for number in range(len(paths))], result.err


def truth_of(test, program, stop, run):
    folder = test.folder(f'truth-{stop}-{run}')
    test.run([*program, '--stop', stop, '--run', run, '--output', folder]).check()
    return {name[:-4]: os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith('.raw')}


def compare(test, trace, truth, stop, command, run, poison, without):
    objects = images(test, trace)
    names = [name for name in truth if name.split(',')[0] not in without]
    paths = []
    for name in names:
        picture, mip, layer, slice_, sample, aspect = name.split(',')
        paths.append(f'commands/{command}@{run}/images/{objects[picture]}?mip={mip}&layer={layer}'
                     f'&slice={slice_}&sample={sample}&aspect={aspect}')
    # What nobody has put anything into says so; what has no name is a swapchain's.
    written = {name.split(',')[0] for name in truth}
    empty = [name for name in objects if name not in written and not name.startswith('image ')]
    paths += [f'commands/{command}@{run}/images/{objects[name]}' for name in empty]
    # One path alone would name files, not folders.
    taken, errors = take(test, trace, paths * 2 if len(paths) == 1 else paths, poison)
    check(all(got is None for got in taken[len(names):len(paths)]),
          f'checkpoint {stop}: something in {empty}, which nobody used')
    check(errors.count('Nothing has been') >= len(empty), f'not said of {empty}: {errors}')
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


def compare_buffers(test, trace, stop, command, run):
    """Buffers that the program wrote to its folder: NAME.buffer."""
    folder = test.folder(f'truth-{stop}-{run}')
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.buffer'):
            continue
        listed = test.cli('get', '--json', trace, f'commands/{command}/buffers').json()
        found = [b['object'] for b in listed if b['name'] == name[:-7]]
        check(found, f'no buffer {name[:-7]} at command {command}')
        with open(os.path.join(folder, name), 'rb') as file:
            expected = file.read()[4:MOST_BYTES]
        got = test.cli('get', '--json', trace,
                       f'commands/{command}@{run}/buffers/{found[0]}?offset=4'
                       f'&size={len(expected)}').json()
        check_equal(base64.b64decode(got['bytes']).hex(), expected.hex(),
                    f'{name} at checkpoint {stop}')


def compare_all(test, trace, program, runs=None, first_and_last=False, poisons=POISON,
                without=()):
    """At every checkpoint of the trace, or at two. `runs`: checkpoint → how often its command runs.
    `poisons`: without and with. `without`: names of pictures that are not compared. Returns: how
    many pictures, how many checkpoints."""
    marks = checkpoints(test, trace)
    check(marks, 'no checkpoint in the trace')
    if first_and_last:
        marks = {stop: marks[stop] for stop in (min(marks), max(marks))}
    total = 0
    for stop, command in sorted(marks.items()):
        for run in range((runs or {}).get(stop, 1)):
            truth = truth_of(test, program, stop, run)
            for poison in poisons:
                total += compare(test, trace, truth, stop, command, run, poison, without)
            compare_buffers(test, trace, stop, command, run)
    return total, len(marks)
