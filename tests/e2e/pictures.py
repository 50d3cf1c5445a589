"""Compares the contents of images and buffers in replays with those that the program reads back itself when it stops at
a checkpoint."""

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


class Expected:
    """What the program read back when it stopped at a checkpoint, and the paths that a replay answers."""

    def __init__(self, test, program, objects, stop, command, run, without):
        self.truth = truth_of(test, program, stop, run)
        self.place = f'checkpoint {stop} (command {command}, run {run})'
        self.stop = stop
        self.names = [name for name in self.truth if name.split(',')[0] not in without]
        images_at = f'commands/{command}@{run}/images'
        self.paths = []
        for name in self.names:
            picture, mip, layer, slice_, sample, aspect = name.split(',')
            self.paths.append(f'{images_at}/{objects[picture]}?mip={mip}&layer={layer}'
                              f'&slice={slice_}&sample={sample}&aspect={aspect}')
        # What nobody has put anything into says so; what has no name is a swapchain's.
        written = {name.split(',')[0] for name in self.truth}
        self.empty = [name for name in objects
                      if name not in written and not name.startswith('image ')]
        self.paths += [f'{images_at}/{objects[name]}' for name in self.empty]

    def check(self, test, taken, poison):
        check(all(got is None for got in taken[len(self.names):]),
              f'{self.place}: something in {self.empty}, which nobody used')
        for name, path, got in zip(self.names, self.paths, taken):
            expected = Frame.read(self.truth[name])
            check(got is not None, f'{self.place}: no {name} ({path})')
            check_equal((got.width, got.height, got.format),
                        (expected.width, expected.height, expected.format), f'shape of {name}')
            if got.data != expected.data:
                harness.save_difference(test, f'{self.stop}-{name}', got, expected)
                raise harness.Failure(f'{self.place}, poison {poison}, {name}: '
                                      f'{got.describe_difference(expected)}')


def compare(test, trace, batch, poison):
    """One replay answers all that is expected."""
    paths = [path for expected in batch for path in expected.paths]
    # One path alone would name files, not folders.
    taken, errors = take(test, trace, paths * 2 if len(paths) == 1 else paths, poison)
    empty = [name for expected in batch for name in expected.empty]
    check(errors.count('Nothing has been') >= len(empty), f'not said of {empty}: {errors}')
    first = 0
    for expected in batch:
        try:
            expected.check(test, taken[first:first + len(expected.paths)], poison)
        except harness.Failure as failure:
            raise harness.Failure(f'{failure}\n{errors}') from None
        first += len(expected.paths)
    return sum(len(expected.names) for expected in batch)


def compare_buffers(test, trace, stop, command, run):
    """Buffers that the program wrote to its folder: NAME.buffer."""
    folder = test.folder(f'truth-{stop}-{run}')
    written = [name for name in sorted(os.listdir(folder)) if name.endswith('.buffer')]
    if not written:
        return
    listed = test.cli('get', '--json', trace, f'commands/{command}/buffers').json()
    objects = {buffer['name']: buffer['object'] for buffer in reversed(listed)}
    for name in written:
        check(name[:-7] in objects, f'no buffer {name[:-7]} at command {command}')
        with open(os.path.join(folder, name), 'rb') as file:
            expected = file.read()[4:MOST_BYTES]
        got = test.cli('get', '--json', trace,
                       f'commands/{command}@{run}/buffers/{objects[name[:-7]]}?offset=4'
                       f'&size={len(expected)}').json()
        check_equal(base64.b64decode(got['bytes']).hex(), expected.hex(),
                    f'{name} at checkpoint {stop}')


def compare_all(test, trace, program, runs=None, first_and_last=False, poisons=POISON,
                without=()):
    """At every checkpoint of the trace, or at two. `runs`: checkpoint → how often its command runs.
    `poisons`: without and with. `without`: names of pictures that are not compared. Returns: how
    many pictures, how many checkpoints.

    Without poison one replay stops at all of them, and another only at the one in the middle: what
    comes after it must not matter. With poison each has a replay of its own."""
    marks = checkpoints(test, trace)
    check(marks, 'no checkpoint in the trace')
    if first_and_last:
        marks = {stop: marks[stop] for stop in (min(marks), max(marks))}
    objects = images(test, trace)
    batch = []
    for stop, command in sorted(marks.items()):
        for run in range((runs or {}).get(stop, 1)):
            batch.append(Expected(test, program, objects, stop, command, run, without))
            compare_buffers(test, trace, stop, command, run)
    total = 0
    for poison in poisons:
        for part in [[expected] for expected in batch] if poison else [batch]:
            total += compare(test, trace, part, poison)
    if False in poisons and len(batch) > 1:
        compare(test, trace, [batch[len(batch) // 2]], False)
    return total, len(marks)
