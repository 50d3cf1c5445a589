#!/usr/bin/env python3
"""What every image holds at every checkpoint: each mip level, layer, slice, sample and aspect, by
replay, held against programs that stopped there and read it back themselves; plain and with
poisoned memory."""

import base64
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
        got = test.cli('get', '--json', trace,
                       f'commands/{command}@{run}/buffers/{found[0]}?offset=4&size=600').json()
        with open(os.path.join(folder, name), 'rb') as file:
            expected = file.read()[4:604]
        check_equal(base64.b64decode(got['bytes']), expected, f'{name} at checkpoint {stop}')


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
                    compare_buffers(test, trace, stop, command, run)
        check(total >= fewest, f'only {total} pictures')
        test.note(f'{total} pictures at {len(marks)} checkpoints')
    return body


def same(test, trace, attachment, image):
    """An attachment is the image that it is made of."""
    (a, b), errors = take(test, trace, [attachment, image], False)
    check(a is not None and b is not None, f'{attachment}, {image}: {errors}')
    difference = a.describe_difference(b)
    check(difference is None, f'{attachment} is not {image}: {difference}')


def attachments(test):
    """Inputs, resolve targets, samples and layers by the names they have in their pass."""
    trace = test.capture(app('subpasses'), output=test.path('subpasses.gfxtrace'))
    marks, objects = checkpoints(test, trace), images(test, trace)
    for stop, kind, image in ((3, 'color1', 'second'), (4, 'stencil', 'depth?aspect=stencil'),
                              (6, 'input0', 'first'), (6, 'input1', 'second'),
                              (8, 'resolve0', 'resolved'),
                              (8, 'color0?sample=3', 'sampled?sample=3')):
        name, mark, options = image.partition('?')
        at = f'commands/{marks[stop]}'
        same(test, trace, f'{at}/framebuffer/{kind}',
             f'{at}/images/{objects[name]}{mark}{options}')
        listed = [a['attachment'] for a in
                  test.cli('get', '--json', trace, f'{at}/framebuffer').json()]
        check(kind.split('?')[0] in listed, f'{kind} is not among {listed}')
    trace = test.capture(app('multiview'), output=test.path('multiview.gfxtrace'))
    marks, objects = checkpoints(test, trace), images(test, trace)
    at = f'commands/{marks[3]}'
    same(test, trace, f'{at}/framebuffer/color0?layer=2', f'{at}/images/{objects["color"]}?layer=2')
    same(test, trace, f'{at}/framebuffer/depth?layer=2', f'{at}/images/{objects["depth"]}?layer=2')
    same(test, trace, f'objects/{objects["color"]}/texture?after={marks[3]}&layer=2',
         f'{at}/images/{objects["color"]}?layer=2')


def wrong_questions(test):
    """Each gets a sentence."""
    trace = test.capture(app('mips'))
    marks, objects = checkpoints(test, trace), images(test, trace)
    last = f'commands/{max(marks.values())}'
    buffer = test.cli('get', '--json', trace, 'objects/VkBuffer').json()
    wrong = [f'{last}/images/{objects["array"]}?{options}' for options in (
        'mip=4', 'layer=3', 'slice=1', 'sample=1', 'aspect=depth', 'aspect=purple', 'colour=1',
        'mip', 'mip=', 'mip=-1', 'mip=99999999999')]
    wrong += [f'{last}/images/0', f'{last}/images/1', f'{last}/images/x', f'{last}/images',
              f'{last}/framebuffer/purple', f'{last}/framebuffer/resolve0',
              f'{last}/framebuffer/color7', f'{last}/framebuffer/color0?layer=1',
              f'{last}/framebuffer/color0?mip=1', 'objects/999999/texture', 'textures/1',
              f'commands/0/images/{objects["array"]}', f'objects/{objects["cube"]}/texture?after=x',
              'frames/9', '', '?', '/']
    for path in wrong:
        result = test.cli('screenshot', trace, '--path', path, '-o', test.path('x.png'),
                          status=None)
        check_equal(result.status, 6, f'status of {path}')
        check(len(result.err.strip()) > 20, f'no sentence for {path}: {result}')
    for path in ([f'{last}/buffers/{objects["array"]}', f'{last}/buffers/x', f'{last}/images/x'] +
                 [f'{last}/buffers/{b["object"]}?offset=x' for b in buffer[:1]]):
        check_equal(test.cli('get', trace, path, status=None).status, 6, f'status of {path}')


TESTS = (
    ('attachments', attachments),
    ('wrong-questions', wrong_questions),
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
