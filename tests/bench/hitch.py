"""Measures the hitch of one frame that is captured in the middle of a run, compared with gfxreconstruct and RenderDoc.

Part of bench.py.
"""

import collections
import json
import os
import statistics
import struct
import sys

import harness
import programs
from harness import CLI, app
from views import spread

NEAR = 6        # frames before and behind the captured one
AFTER_MS = 100  # the second look: so long after it

# `argv`: a function of the bench; `frame`: the one that is captured; `seconds`: when a program that does not end
# by itself is ended.
Client = collections.namedtuple('Client', 'name argv frame seconds')


def mpv(bench):
    clip = bench.path('clip.y4m')
    if not os.path.exists(clip):
        programs.write_clip(clip, 50, 640, 360)
    device = json.loads(bench.run([CLI, 'devices', '--json']).out)[0]['name']
    return [harness.need('mpv'), '--no-config', '--no-audio', '--no-terminal', '--osc=no', '--untimed',
            '--geometry=640x360', '--gpu-api=vulkan', '--gpu-context=x11vk', '--gpu-sw=yes',
            '--loop-file=inf', f'--vulkan-device={device}', '--vo=gpu', clip]


def load(*arguments):
    return lambda bench: [app('load'), '--window', *map(str, arguments)]


CLIENTS = (
    Client('vkcube', lambda bench: ['vkcube', '--c', '600'], 300, None),
    Client('vkcubepp', lambda bench: ['vkcubepp', '--c', '600'], 300, None),
    Client('vkd3d-gears', lambda bench: ['vkd3d-gears'], 300, 3),
    Client('mpv', mpv, 60, 6),
    Client('5000 draws', load('--draws', 5000, '--frames', 40), 20, None),
    *(Client(f'1 GiB of {name}', load('--draws', 100, '--frames', 100, *options), 40, None) for name, options in (
        ('buffers', ('--buffers', 1024)),
        ('images', ('--images', 1024)),
        ('buffers of 1 MiB in one memory', ('--buffers', 1024, '--piece', 1024, '--together')),
        ('images of 4 MiB', ('--images', 1024, '--piece', 4096)),
        ('storage buffers', ('--buffers', 1024, '--use', 'storage')),
        ('addressed buffers', ('--buffers', 1024, '--use', 'address')),
        ('mapped buffers', ('--buffers', 1024, '--use', 'mapped')),
        ('render targets', ('--images', 1024, '--use', 'target')),
        ('storage images', ('--images', 1024, '--use', 'storage')),
    )),
    *(Client(name, load('--draws', 100, '--frames', 100, *options), 40, None) for name, options in (
        ('4096 images of 256 KiB', ('--images', 1024, '--piece', 256)),
        ('4096 images of 16 KiB in one memory', ('--images', 64, '--piece', 16, '--together')),
        ('16384 buffers of 64 KiB', ('--buffers', 1024, '--piece', 64)),
        ('100000 views', ('--views', 100000)),
        ('2000 sets of 256 descriptors', ('--sets', 2000)),
        ('2000 pipelines', ('--pipelines', 2000)),
        ('2000 command buffers', ('--recorded', 2000)),
    )),
)


def run_bare(bench, client, argv, env):
    bench.run_for(client.seconds, argv, **env)


def run_vitrine(bench, client, argv, env):
    bench.run([CLI, 'capture', '--quiet', '--at-frame', client.frame, '--frames', 1, '-o',
               bench.path('hitch.gfxtrace'), '--', *argv], **env)


def run_gfxrecon(bench, client, argv, env):
    layers = f'{harness.GFXRECON_LAYER}:{env["VK_INSTANCE_LAYERS"]}'
    bench.run_for(client.seconds, argv, **{
        **env, 'VK_INSTANCE_LAYERS': layers,
        'GFXRECON_CAPTURE_FRAMES': f'{client.frame + 1}-{client.frame + 1}',
        'GFXRECON_CAPTURE_FILE': bench.path('hitch.gfxr'), 'GFXRECON_LOG_LEVEL': 'error'})


def run_renderdoc(bench, client, argv, env):
    bench.run_for(client.seconds, argv, ENABLE_VULKAN_RENDERDOC_CAPTURE='1',
                  VITRINE_WITNESS_RENDERDOC=f'{client.frame}:{bench.path("hitch")}', **env)


WAYS = (('no capture', run_bare), ('Vitrine', run_vitrine), ('gfxreconstruct', run_gfxrecon),
        ('RenderDoc', run_renderdoc))


def longest_frames(stamps, frame):
    """(a usual frame, the longest near `frame`, by how much that is longer, the longest in the time after it), in ms."""
    frames = [(b - a) / 1e6 for a, b in zip(stamps, stamps[1:])]
    first = frame - NEAR
    after = [time for time, stamp in zip(frames[frame:], stamps[frame:])
             if stamp < stamps[frame] + AFTER_MS * 1e6]
    usual, longest = statistics.median(frames[first // 4:first]), max(frames[first:frame + NEAR])
    return usual, longest, longest - usual, max(after)


def measure_hitch(bench, table):
    display = harness.Display()
    rows = []
    try:
        for client in CLIENTS:
            if bench.options.client not in (None, client.name):
                continue
            argv = client.argv(bench)
            found = {name: ([], [], [], []) for name, _ in WAYS}
            for _ in range(bench.options.rounds):
                for name, run in WAYS:
                    times = bench.path('times')
                    try:
                        run(bench, client, argv, {
                            'DISPLAY': display.name, 'VITRINE_WITNESS_TIMES': times,
                            'VK_ADD_LAYER_PATH': harness.WITNESS_DIR,
                            'VK_INSTANCE_LAYERS': harness.WITNESS_LAYER})
                    except harness.Failure as why:
                        # As RenderDoc does with device addresses: the program finds no device.
                        harness.check(name in ('gfxreconstruct', 'RenderDoc'), str(why))
                        print(f'{client.name}, {name}: a run left out: {str(why).splitlines()[-1]}\n')
                        continue
                    with open(times, 'rb') as file:
                        stamps = [value[0] for value in struct.iter_unpack('<q', file.read())]
                    os.unlink(times)
                    if len(stamps) <= client.frame + 1:
                        print(f'{client.name}, {name}: a run left out: only {len(stamps)} frames\n')
                        bench.remove_traces()
                        continue
                    made = any(entry.startswith('hitch') for entry in os.listdir(bench.dir))
                    if name == 'RenderDoc' and not made:
                        print(f'{client.name}, {name}: a run left out: no frame was captured\n')
                        continue
                    harness.check(made == (name != 'no capture'), f'{name}: no frame was captured')
                    for values, value in zip(found[name], longest_frames(stamps, client.frame)):
                        values.append(value)
                    bench.remove_traces()
            for name, _ in WAYS:
                print(client.name, name, *map(spread, found[name]), file=sys.stderr, flush=True)
                rows.append([client.name, name, *map(spread, found[name])])
                bench.results[f'hitch: {client.name}, {name}'] = dict(
                    zip(('usual', 'longest', 'longer', 'after'), found[name]))
    finally:
        display.close()
    print('### Hitch: one frame captured in the middle of a run, ms\n')
    table(['program', 'capture by', 'a usual frame', f'the longest of {2 * NEAR} around it', 'longer than usual by',
           f'the longest of {AFTER_MS} ms after'], rows)
