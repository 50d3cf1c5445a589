#!/usr/bin/env python3
"""mpv, a real program that other people wrote: both of its Vulkan outputs play a clip, are captured from
the launch and in the middle of it, and replay to what the witness saw; plain and poisoned."""

import os

import harness
from harness import check, check_equal
from programs import PROGRAMS

N_FRAMES = 4


def mpv_test(output, at):
    def body(test):
        test.need_display()
        live = test.folder('live')
        trace = test.capture(*PROGRAMS[f'mpv-{output}'].argv(test), frames=N_FRAMES, witness=live, timeout=120,
                             options=['--at-frame', str(at)] if at else [])
        info = test.info(trace)
        check_equal(info['frames'], N_FRAMES, 'frames in the trace')
        check_equal(info['truncated'], False, 'the trace is truncated')
        check_equal(info['initial_commands'] > 0, at > 0, 'there are initial commands')
        names = harness.frame_names(live)
        check(len(names) >= at + N_FRAMES, f'the witness saw {len(names)} frames')
        expected = test.folder('expected')
        for i in range(N_FRAMES):
            harness.copy_frame(live, names[at + i], expected, i)
        if at:
            pictures = {harness.Frame.read(os.path.join(live, name)).rgb()
                        for name in names[at:at + N_FRAMES]}
            check(len(pictures) > 1, 'mpv shows a still: the clip does not move')
        for kind, options in (('plain', []), ('poison', ['--poison'])):
            folder = test.folder(kind)
            report = test.replay(trace, '--frames-dir', folder, *options).json()
            check(report['ok'], f'the replay failed: {report}')
            harness.compare_folders(test, folder, expected, N_FRAMES)
    return body


if __name__ == '__main__':
    harness.main(*((f'{output}-{name}', mpv_test(output, at))
                   for output in ('gpu', 'gpu-next')
                   for name, at in (('launch', 0), ('middle', PROGRAMS[f'mpv-{output}'].late))))
