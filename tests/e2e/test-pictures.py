#!/usr/bin/env python3
"""The contents of every image at every checkpoint: each mip level, layer, slice, sample and aspect, by
replay, held against programs that stopped there and read it back themselves; plain and with
poisoned memory."""

import harness
from harness import app, check, check_equal
from pictures import checkpoints, compare_all, images, take

def scene(name, *options, runs=None, fewest=1):
    """`runs`: checkpoint → how often its command runs."""
    def body(test):
        program = [app(name), *options]
        trace = test.capture(*program)
        total, n_checks = compare_all(test, trace, program, runs)
        check(total >= fewest, f'only {total} pictures')
        test.note(f'{total} pictures at {n_checks} checkpoints')
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
    array = f'{last}/images/{objects["array"]}'
    # Paths that can mean nothing, and paths to what this image or this pass does not have.
    wrong = [f'{array}?{options}' for options in (
        'aspect=purple', 'colour=1', 'mip', 'mip=', 'mip=-1', 'mip=99999999999')]
    wrong += [f'{last}/images/0', f'{last}/images/1', f'{last}/images/x', f'{last}/images',
              f'{last}/framebuffer/purple', f'{last}/framebuffer/color0?mip=1',
              'objects/999999/texture', 'textures/1', f'objects/{objects["cube"]}/texture?after=x',
              'frames/9', '', '?', '/']
    absent = [f'{array}?{option}' for option in (
        'mip=4', 'layer=3', 'slice=1', 'sample=1', 'aspect=depth')]
    absent += [f'{last}/framebuffer/resolve0', f'{last}/framebuffer/color7',
               f'{last}/framebuffer/color0?layer=1', f'commands/0/images/{objects["array"]}']
    for path, status in [(path, 2) for path in wrong] + [(path, 6) for path in absent]:
        result = test.cli('screenshot', trace, '--path', path, '-o', test.path('x.png'),
                          status=None)
        check_equal(result.status, status, f'status of {path}')
        check(len(result.err.strip()) > 20, f'no sentence for {path}: {result}')
    for path in ([f'{last}/buffers/{objects["array"]}', f'{last}/buffers/x', f'{last}/images/x'] +
                 [f'{last}/buffers/{b["object"]}?offset=x' for b in buffer[:1]]):
        check_equal(test.cli('get', trace, path, status=None).status, 2, f'status of {path}')


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
