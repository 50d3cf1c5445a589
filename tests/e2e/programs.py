"""Real programs, for the tests that each of them must pass."""

import collections
import contextlib
import math

import harness
from harness import need

WIDTH, HEIGHT = 160, 120

# `argv`: a function of the test; `expose`: the name of the window of a program that draws only when
# it is uncovered; `late`: a frame in the middle of its run.
Program = collections.namedtuple('Program', 'argv expose late', defaults=[None, 30])


def write_clip(path, frames, width=WIDTH, height=HEIGHT):
    """Y4M: a gradient that moves, with colour, so that no two frames are equal."""
    with open(path, 'wb') as file:
        file.write(b'YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n' % (width, height))
        for frame in range(frames):
            file.write(b'FRAME\n')
            file.write(bytes((x + 2 * y + 5 * frame) % 256
                             for y in range(height) for x in range(width)))
            for phase in (0, 2):
                value = int(128 + 90 * math.sin(frame / 5 + phase))
                file.write(bytes([value]) * (width // 2 * height // 2))


def mpv(output):
    """lavapipe is a processor: mpv takes it only when it is told to, and by its name."""
    def argv(test):
        clip = test.path('clip.y4m')
        write_clip(clip, 50)
        device = test.cli('devices', '--json').json()[0]['name']
        return [need('mpv'), '--no-config', '--no-audio', '--no-terminal', '--osc=no', '--untimed',
                '--geometry=200x150', '--gpu-api=vulkan', '--gpu-context=x11vk', '--gpu-sw=yes',
                '--loop-file=inf', f'--vulkan-device={device}', f'--vo={output}', clip]
    return argv


PROGRAMS = {
    'vkcube': Program(lambda test: [need('vkcube'), '--c', '40']),
    'vkcubepp': Program(lambda test: [need('vkcubepp'), '--c', '40']),
    'gears': Program(lambda test: [need('vkd3d-gears')]),
    'triangle': Program(lambda test: [need('vkd3d-triangle')], 'riangle', 3),
    'mpv-gpu': Program(mpv('gpu'), None, 12),
    'mpv-gpu-next': Program(mpv('gpu-next'), None, 12),
}


@contextlib.contextmanager
def exposed(test, program):
    """While a program runs that wants to be uncovered."""
    if program.expose is None:
        yield
        return
    exposer = harness.Exposer(test.env, program.expose)
    try:
        yield
    finally:
        exposer.close()
