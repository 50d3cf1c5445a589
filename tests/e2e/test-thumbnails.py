#!/usr/bin/env python3
"""Thumbnails of captures come from the image that the program presents. Thumbnails of other traces are made on
request."""

import os

import harness
from harness import VALIDATION_LAYER, app, check, check_equal, need
from trigger import Capture

WIDTH, HEIGHT = 320, 180
NO_ANSWER = 6
NO_REPLAYER = {'VITRINE_REPLAYER': '/bin/false'}


def shrunk(picture):
    """Mean colours of the boxes that each pixel of a thumbnail stands for."""
    rgb, stride = picture.rgb(), picture.width * 3
    scale = min(1, WIDTH / picture.width, HEIGHT / picture.height)
    width, height = int(picture.width * scale), int(picture.height * scale)
    out = bytearray()
    for y in range(height):
        rows = range(y * picture.height // height, (y + 1) * picture.height // height)
        for x in range(width):
            first, end = x * picture.width // width, (x + 1) * picture.width // width
            box = b''.join(rgb[row * stride + first * 3:row * stride + end * 3] for row in rows)
            out += bytes(sum(box[c::3]) * 3 // len(box) for c in range(3))
    return width, height, bytes(out)


def check_thumbnail(test, trace, tolerance, **env):
    """The thumbnail that the trace has, against the picture of its last frame."""
    thumbnail, picture = test.path('thumbnail.png'), test.path('picture.png')
    test.cli('info', '--thumbnail', thumbnail, trace, **(env or NO_REPLAYER))
    test.cli('screenshot', trace, '-o', picture)
    got = harness.Png(thumbnail)
    width, height, expected = shrunk(harness.Png(picture))
    check_equal((got.width, got.height), (width, height), 'size')
    error = sum(abs(a - b) for a, b in zip(got.rgb(), expected)) / len(expected)
    check(len(set(expected)) > 20, 'the picture shows nothing')
    check(error <= tolerance, f'the thumbnail differs by {error:.2f} on average')


def vkcube(test, *arguments, options=('--at-frame', '20'), **extra):
    test.need_display()
    frames = extra.pop('frames', None)
    return test.capture(need('vkcube'), '--c', 1000000, *arguments, frames=frames,
                        options=list(options), **extra)


def presented(test):
    """Of a small image all rows are copied: nothing but rounding differs. No replayer runs."""
    check_thumbnail(test, vkcube(test, **NO_REPLAYER), 0.01)


def from_launch(test):
    """Of several frames it is the last one, which is shown when a trace is opened."""
    check_thumbnail(test, vkcube(test, options=(), frames=3, **NO_REPLAYER), 0.01)
    check_thumbnail(test, vkcube(test, options=('--at-frame', '10'), frames=4), 0.01)


def large(test):
    """Only some rows of a large image are copied."""
    trace = vkcube(test, '--width', 1000, '--height', 700, options=('--at-frame', '3'))
    check_thumbnail(test, trace, 1.5)


def several_windows(test):
    """The image of the window that the last frame went to, after windows were resized."""
    test.need_display()
    for frames in (5, 8):
        check_thumbnail(test, test.capture(app('demo-windows'), '--window', '--frames', 20,
                                           frames=frames), 0.01)


def ends(test):
    """The program ends right behind the frame: with everything destroyed, and with everything alive."""
    test.need_display()
    check_thumbnail(test, test.capture(need('vkcube'), '--c', 20, options=['--at-frame', '19'],
                                       frames=1), 0.01)
    trace = test.capture(app('load'), '--window', '--draws', 10, '--frames', 20, '--leave',
                         options=['--at-frame', '19'], frames=1)
    test.cli('info', '--thumbnail', test.path('left.png'), trace, **NO_REPLAYER)
    check(harness.Png(test.path('left.png')).width > 0, 'no thumbnail')


def valid(test):
    """The copy breaks no rule; nor does one after the other, of a program that goes on."""
    capture = Capture(test, '--at-frame', '10', '--every', '7', '--times', '5', '--',
                      need('vkcube'), '--c', '1000000', VK_INSTANCE_LAYERS=VALIDATION_LAYER)
    try:
        traces = capture.wait_end()['traces']
    finally:
        capture.close()
    text = capture.errors()
    for word in ('VUID', 'Validation Error', 'UNASSIGNED-'):
        check(word not in text, f'the copy is not valid:\n{text[-4000:]}')
    check_equal(len(traces), 5, 'traces')
    for trace in traces:
        check_thumbnail(test, trace['path'], 0.01)


def offscreen(test):
    """Nothing is presented: a replay makes the picture when it is asked for, and not before."""
    trace = test.capture(app('draws'), **NO_REPLAYER)
    test.cli('info', trace, **NO_REPLAYER)
    test.cli('info', '--thumbnail', test.path('none.png'), trace, status=None,
             **NO_REPLAYER)
    check(not os.path.exists(test.path('none.png')), 'a picture from nowhere')
    test.cli('info', '--thumbnail', test.path('made.png'), trace)
    check(len(set(harness.Png(test.path('made.png')).rgb())) > 10, 'the picture shows nothing')
    trace = test.capture(app('compute'), output=test.path('compute.gfxtrace'))
    result = test.cli('info', '--thumbnail', test.path('none.png'), trace, status=NO_ANSWER)
    check('has no thumbnail' in result.err, f'no sentence: {result}')


harness.main(presented, from_launch, large, several_windows, ends, valid, offscreen)
