#!/usr/bin/env python3
"""Slices of a 3D image in layouts of their own (VK_KHR_maintenance9), on a driver that has them: their
texels are those that the program wrote. Which calls are made is tested on the mock driver."""

import harness
from harness import app, check, check_equal

SLICES, SIDE = 4, 8
RED, FILL = b'\xff\x00\x00\xff', b'\x40\x80\xbf\xff'


def drive(test):
    test.env['VK_ICD_FILENAMES'] = harness.need_newer_lavapipe()
    trial = test.run([app('slices'), '--frames', 1])
    if trial.status == 77:
        raise harness.Skip((trial.out + trial.err).strip())


def expected(mip, nth, frame):
    """Texels after the program's frame of that number."""
    if mip == 1:
        return FILL * (SIDE // 2) ** 2
    if nth == 2 and frame >= 1:
        return RED * SIDE ** 2
    return bytes([0x11 * (nth + 1)]) * 4 * SIDE ** 2


def compare(test, trace, first):
    """Every slice after every submission of the trace, whose first one is that of frame `first`."""
    image = test.cli('get', '--json', trace, 'objects/VkImage').json()[0]['object']
    submits = [command['index'] for command in test.commands(trace) if command['name'] == 'vkQueueSubmit']
    check_equal(len(submits), 5 - first, 'submissions')
    n = 0
    for frame, at in enumerate(submits, first):
        for mip, nth in [(0, nth) for nth in range(SLICES)] + [(1, nth) for nth in range(SLICES // 2)]:
            folder = test.folder(f'{at}-{mip}-{nth}')
            result = test.cli('screenshot', trace, '--json', '--raw', f'{folder}/0.raw', '--path',
                              f'commands/{at}/images/{image}?mip={mip}&slice={nth}')
            shown = harness.raw_images(result)[0]
            check(shown.data == expected(mip, nth, frame), f'slice {nth} of mip level {mip} after frame {frame}: '
                  f'{shown.width}x{shown.height} {shown.data[:8].hex()}…')
            n += 1
    test.note(f'{n} slices')


def from_launch(test):
    drive(test)
    trace = test.capture(app('slices'))
    check('VK_KHR_maintenance9' not in test.info(trace)['hidden_extensions'], 'it is hidden')
    compare(test, trace, 0)


def midrun(late):
    def body(test):
        drive(test)
        test.env['VITRINE_LATE'] = late
        trace = test.capture(app('slices'), '--frames', '5', frames=3, options=['--at-frame', '2'])
        compare(test, trace, 2)
    return body


harness.main(('launch', from_launch), ('midrun', midrun('')), ('midrun-late', midrun('0,60000')))
