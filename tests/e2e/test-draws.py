#!/usr/bin/env python3
"""The framebuffer after every draw: colour, depth and stencil, compared with programs that stop after that draw, and
with the frames that the witness saw."""

import os
import struct

import harness
from harness import Frame, app, check, check_equal, need

STEPS = ('vkCmdDraw', 'vkCmdDrawIndexed', 'vkCmdDrawIndirect', 'vkCmdDrawIndexedIndirect',
         'vkCmdClearAttachments')
NO_ANSWER = 6
PARTS = ('color0', 'color1', 'depth', 'stencil')


def shot(test, trace, index, attachment, name='shot'):
    """The texels of an attachment after a command."""
    path = test.path(f'{name}-{attachment}.ktx2')
    test.cli('screenshot', trace, '--at', str(index), '--attachment', attachment, '-o', path)
    return Frame.read(path)


def expect(test, got, expected, what):
    difference = got.describe_difference(expected)
    if difference is not None:
        harness.save_difference(test, what.replace(' ', '-'), got, expected)
    check(difference is None, f'{what}: {difference}')


def every_draw(*options):
    """The program itself, run with only the first N draws, says what a cut after N shows."""
    def body(test):
        trace = test.capture(app('draws'), *options)
        steps = [c['index'] for c in test.commands(trace) if c['name'] in STEPS]
        check_equal(len(steps), 8, 'draws and clears in the trace')
        for number in range(9):
            folder = test.folder(f'truth-{number}')
            test.run([app('draws'), *options, '--draws', number, '--output', folder]).check()
            index = steps[number - 1] if number > 0 else steps[0] - 1
            for part in PARTS:
                truth = Frame.read(os.path.join(folder, f'{part}.raw'))
                got = shot(test, trace, index, part)
                # One aspect of an image may be named by the image's format or by its own.
                truth.format = got.format if part in ('depth', 'stencil') else truth.format
                expect(test, got, truth,
                       f'{part} after draw {number} (command {index})')
    return body


def first_presents(commands):
    """For each draw: the number of the frame in which its command buffer is first presented."""
    frames, frame, submitted = {}, 0, {}
    for command in commands:
        if command['name'] == 'vkQueueSubmit':
            for submit in command['parameters']['pSubmits']:
                for buffer in submit['pCommandBuffers'] or []:
                    submitted.setdefault(buffer, frame)
        elif command['name'] == 'vkQueuePresentKHR':
            frame += 1
    for command in commands:
        if command['name'] == 'vkCmdDraw':
            buffer = command['parameters']['commandBuffer']
            if buffer in submitted:
                frames[command['index']] = submitted[buffer]
    return frames


def vkcube(test):
    """Every draw of vkcube: after it the picture is what was presented; before it, the clear."""
    test.need_display()
    live = test.folder('live')
    trace = test.capture(need('vkcube'), frames=6, witness=live)
    commands = test.commands(trace)
    frames = first_presents(commands)
    check(frames, 'no draw was submitted')
    for index, frame in frames.items():
        presented = Frame.read(os.path.join(live, f'frame-{frame:06}.raw'))
        before = shot(test, trace, index - 1, 'color0', 'before')
        after = shot(test, trace, index, 'color0', 'after')
        expect(test, after, presented, f'colour after draw {index} of frame {frame}')
        check_equal(len(set(struct.iter_unpack('4s', before.data))), 1,
                    f'colours before draw {index}')
        check_equal(before.data[:4], after.data[:4], 'the corner, which the cube does not reach')

        near = shot(test, trace, index, 'depth', 'after').data
        far = shot(test, trace, index - 1, 'depth', 'before').data
        check_equal(len(near), len(far), 'bytes of depth')
        size = len(far) // (presented.width * presented.height)
        texels = [far[i:i + size] for i in range(0, len(far), size)]
        check_equal(len(set(texels)), 1, f'depths before draw {index}')
        covered = [i for i in range(len(texels)) if near[i * size:(i + 1) * size] != texels[0]]
        colored = [i for i in range(len(texels))
                   if after.data[i * 4:i * 4 + 4] != before.data[i * 4:i * 4 + 4]]
        check(len(covered) > 1000, f'the cube covers {len(covered)} texels of depth')
        # What got a colour got a depth; a texel of the clear's own colour may lie on the cube.
        check(set(colored) <= set(covered), 'colour changed where depth did not')

        picture = test.path('picture.png')
        test.cli('screenshot', trace, '--at', str(index), '-o', picture)
        check_equal(harness.Png(picture).rgb(), after.rgb(), 'the picture')


    # vkcube records one command buffer for each swapchain image and may not need them all.
    for command in commands:
        if command['name'] == 'vkCmdDraw' and command['index'] not in frames:
            result = test.cli('screenshot', trace, '--at', str(command['index']), '-o',
                              test.path('none.png'), status=NO_ANSWER)
            check('submit' in result.err, f'does not say that it was never submitted: {result}')


def frame_screenshot(test):
    test.need_display()
    live = test.folder('live')
    trace = test.capture(need('vkcube'), frames=5, witness=live)
    for frame in (0, 4):
        picture = test.path('picture.png')
        test.cli('screenshot', trace, '--frame', str(frame), '-o', picture)
        check(harness.Png(picture).rgb() ==
              Frame.read(os.path.join(live, f'frame-{frame:06}.raw')).rgb(),
              f'the picture of frame {frame} is not what was presented')
    # Without a moment: the last frame, or what was attached at its end.
    last, attached = test.path('last.png'), test.path('attached.png')
    test.cli('screenshot', trace, '-o', last)
    check(harness.Png(last).rgb() == harness.Png(picture).rgb(), 'not the last frame')
    test.cli('screenshot', trace, '--attachment', 'color0', '-o', attached)
    check(harness.Png(attached).rgb() == harness.Png(picture).rgb(), 'not the end of the last frame')


harness.main(('render-pass', every_draw()), ('dynamic-rendering', every_draw('--dynamic')),
             vkcube, frame_screenshot)
