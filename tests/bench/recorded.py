"""Measures the frame time of real programs that are recorded from launch, compared with gfxreconstruct.

Part of bench.py.
"""

import os
import statistics
import struct

import harness
from harness import CLI
from hitch import CLIENTS
from views import spread

SECONDS = 4   # a run of each; vkcube would end by itself
BEGINNING = 30  # frames that make what the others use


def run_bare(bench, argv, env):
    bench.run_for(SECONDS, argv, **env)


def run_vitrine(bench, argv, env):
    """Ended by its time alone: killing vitrine-cli would leave the program running."""
    bench.run([CLI, 'capture', '--quiet', '-o', bench.path('recorded.gfxtrace'), '--',
               'timeout', '--signal=KILL', str(SECONDS), *argv], **env)


def run_gfxrecon(bench, argv, env):
    layers = f'{harness.GFXRECON_LAYER}:{env["VK_INSTANCE_LAYERS"]}'
    bench.run_for(SECONDS, argv, **{
        **env, 'VK_INSTANCE_LAYERS': layers, 'GFXRECON_CAPTURE_FILE': bench.path('recorded.gfxr'),
        'GFXRECON_LOG_LEVEL': 'error'})


WAYS = (('no capture', run_bare), ('Vitrine', run_vitrine), ('gfxreconstruct', run_gfxrecon))


def frame_time(path):
    """The median, in ms."""
    with open(path, 'rb') as file:
        stamps = [value[0] for value in struct.iter_unpack('<q', file.read())][BEGINNING:]
    os.unlink(path)
    harness.check(len(stamps) > BEGINNING, 'too few frames')
    return statistics.median((b - a) / 1e6 for a, b in zip(stamps, stamps[1:]))


def measure_recorded(bench, table):
    display = harness.Display()
    rows = []
    try:
        for client in CLIENTS[:4]:
            if bench.options.client not in (None, client.name):
                continue
            argv = client.argv(bench)
            found = {name: [] for name, _ in WAYS}
            for _ in range(bench.options.rounds):
                for name, run in WAYS:
                    times = bench.path('times')
                    run(bench, argv, {
                        'DISPLAY': display.name, 'VITRINE_WITNESS_TIMES': times,
                        'VK_ADD_LAYER_PATH': harness.WITNESS_DIR,
                        'VK_INSTANCE_LAYERS': harness.WITNESS_LAYER})
                    found[name].append(frame_time(times))
                    bench.remove_traces()
            for name, _ in WAYS:
                ratios = [value / bare for value, bare in zip(found[name], found['no capture'])]
                rows.append([client.name, name, spread(found[name]), spread(ratios)])
                bench.results[f'recorded: {client.name}, {name}'] = found[name]
    finally:
        display.close()
    print('### The whole run recorded: a usual frame, ms\n')
    table(['program', 'recorded by', 'ms a frame', 'ratio of its round'], rows)
