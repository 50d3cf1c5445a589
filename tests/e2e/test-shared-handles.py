#!/usr/bin/env python3
"""Equal handles: traces in which every driver object is a small number, counted for each device (or
instance) and type from 1, as some drivers give them. Such a driver that renders is not here, so traces of
lavapipe are written anew with such numbers (tests/engine/format/renumber-handles.c): every picture must be
the one that the program saw.

Arguments choose among the tests: `test-shared-handles.py devices-frames`."""

import json
import os

import harness
from demos import DEMOS
from harness import app, check, check_equal
from pictures import compare_all

RENUMBER = os.path.join(harness.BUILD, 'tests', 'engine', 'format', 'renumber-handles')
N_FRAMES = 2
AT = 2


def renumber(test, trace):
    renumbered = test.path('renumbered.gfxtrace')
    test.run([RENUMBER, trace, renumbered]).check()
    return renumbered


def handles(commands, name, parameter):
    return [command['parameters'][parameter] for command in commands if command['name'] == name]


def pictures(demo):
    """With one device, values are equal between types only."""
    def body(test):
        if demo.driver is not None:
            test.env['VK_ICD_FILENAMES'] = demo.driver
        program = demo.argv(app)
        trace = renumber(test, test.capture(*program))
        total, checks = compare_all(test, trace, [*program, *demo.truth], poisons=(False,))
        check_equal(checks, demo.checks, 'checkpoints')
        test.note(f'{total} pictures at {checks} checkpoints')
    return body


def frames(options):
    """Three devices at once, from the launch and from the middle of a run, trimmed too."""
    def body(test):
        test.need_display()
        live = test.folder('live')
        trace = test.capture(*DEMOS['devices'].argv(app), '--window', '--frames', AT + N_FRAMES, witness=live,
                             options=options, frames=N_FRAMES if options else None)
        first, n = (AT, N_FRAMES) if options else (0, AT + N_FRAMES)
        expected = test.folder('expected')
        for i in range(n):
            harness.copy_frame(live, harness.frame_names(live)[first + i], expected, i)
        renumbered = renumber(test, trace)
        commands = test.commands(renumbered, *(['--initial'] if options else []))
        images = handles(commands, 'vkCreateImage', 'pImage')
        check(images.count('0x1') >= 2, f'two devices should have an image 1: {images}')
        check(all(len(image) < 5 for image in images), f'numbers that no driver gave are shown: {images}')
        if not options:
            known = [json.loads(test.cli('get', renumbered, f'objects/{number + 1}').out)
                     for number in range(json.loads(test.cli('get', renumbered, 'objects').out)['count'])]
            check_equal(sum(each['type'] == 'VkBuffer' and each['handle'] == '0x1' for each in known), 3,
                        'buffers 1 among the objects')
        traces = [renumbered]
        if options:
            trimmed = test.path('trimmed.gfxtrace')
            test.cli('trim', '-o', trimmed, renumbered)
            traces.append(trimmed)
        for number, path in enumerate(traces):
            for poison in ([], ['--poison']):
                folder = test.folder(f'replayed-{number}{"".join(poison)}')
                report = test.replay(path, '--frames-dir', folder, *poison).json()
                check(report['ok'], f'the replay failed: {report}')
                harness.compare_folders(test, folder, expected, n)
    return body


# All the others were compared by hand; these have most kinds of objects.
PICTURES = ('devices', 'sets', 'push', 'copies', 'queries', 'linear', 'passes')

if __name__ == '__main__':
    harness.main(('devices-frames', frames([])), ('devices-midrun', frames(['--at-frame', str(AT)])),
                 *((f'{name}-pictures', pictures(DEMOS[name])) for name in PICTURES))
