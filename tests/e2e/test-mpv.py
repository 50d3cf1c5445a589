#!/usr/bin/env python3
"""mpv, a real program that other people wrote: both of its Vulkan outputs play a clip, are captured from
the launch and in the middle of it, and replay to what the witness saw; plain and poisoned."""

import math
import os

import harness
from harness import check, check_equal, need

N_FRAMES = 4
AT = 12
WIDTH, HEIGHT = 160, 120


def write_clip(path, frames):
    """Y4M: a gradient that moves, with colour, so that no two frames are equal."""
    with open(path, 'wb') as file:
        file.write(b'YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n' % (WIDTH, HEIGHT))
        for frame in range(frames):
            file.write(b'FRAME\n')
            file.write(bytes((x + 2 * y + 5 * frame) % 256
                             for y in range(HEIGHT) for x in range(WIDTH)))
            for phase in (0, 2):
                value = int(128 + 90 * math.sin(frame / 5 + phase))
                file.write(bytes([value]) * (WIDTH // 2 * HEIGHT // 2))


def player(test, output, clip):
    """lavapipe is a processor: mpv takes it only when it is told to, and by its name."""
    device = test.cli('devices', '--json').json()[0]['name']
    return [need('mpv'), '--no-config', '--no-audio', '--no-terminal', '--osc=no', '--untimed',
            '--geometry=200x150', '--gpu-api=vulkan', '--gpu-context=x11vk', '--gpu-sw=yes',
            '--loop-file=inf', f'--vulkan-device={device}', f'--vo={output}', clip]


def mpv_test(output, at):
    def body(test):
        test.need_display()
        clip = test.path('clip.y4m')
        write_clip(clip, 50)
        live = test.folder('live')
        trace = test.capture(*player(test, output, clip), frames=N_FRAMES, witness=live, timeout=120,
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
                   for output in ('gpu', 'gpu-next') for name, at in (('launch', 0), ('middle', AT))))
