#!/usr/bin/env python3
"""Calls counted per function equal gfxreconstruct's count of the same run."""

import collections
import glob
import json
import os

import harness
from harness import app, check, need

# Answered by the loader, or passed on by gfxreconstruct without a record in its file; the loader makes
# some of these itself.
ONLY_OURS = {
    'vkEnumerateDeviceExtensionProperties',
    'vkEnumerateDeviceLayerProperties',
    'vkEnumerateInstanceExtensionProperties',
    'vkEnumerateInstanceLayerProperties',
    'vkEnumerateInstanceVersion',
    'vkGetDeviceProcAddr',
    'vkGetInstanceProcAddr',
}
# What gfxreconstruct asks the layers below it for itself, once for each device that is created.
GFXRECON_ASKS = ('vkGetPhysicalDeviceMemoryProperties', 'vkGetPhysicalDeviceProperties')
GFXRECON_MANIFESTS = '/usr/share/vulkan/explicit_layer.d'


def gfxrecon_counts(test, folder):
    files = glob.glob(os.path.join(folder, '*.gfxr'))
    check(len(files) == 1, f'{len(files)} files of gfxreconstruct')
    text = test.path('gfxr.jsonl')
    test.run([need('gfxrecon-convert'), '--output', text, files[0]]).check()
    counts = collections.Counter()
    with open(text, encoding='utf-8') as file:
        for line in file:
            line = line.strip().rstrip(',')
            if not line.startswith('{'):
                continue
            entry = json.loads(line)
            if 'vkFunc' in entry:
                counts[entry['vkFunc']['name']] += 1
            elif 'function' in entry:
                counts[entry['function']['name']] += 1
    check(counts, 'gfxreconstruct counted nothing')
    return counts


def compare(test, *argv, slack=0):
    """`slack`: how far counts may be apart, for a run that ends by a signal amid a call."""
    folder = test.folder('gfxr')
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    # Its page guard makes mapped memory unreadable for system calls, as for a program's write().
    env = {'VK_INSTANCE_LAYERS': harness.GFXRECON_LAYER,
           'GFXRECON_CAPTURE_FILE': os.path.join(folder, 'run.gfxr'),
           'GFXRECON_MEMORY_TRACKING_MODE': 'unassisted',
           'GFXRECON_CAPTURE_FILE_FLUSH': 'true'}
    # gfxreconstruct stands above: below, it would also count what our layer asks the driver on its
    # own account. The loader of Debian 12 stacks layers in the order of the folders, so the program
    # gets another than vitrine-cli gave.
    folders = f'{GFXRECON_MANIFESTS}:{harness.LAYER_DIR}'
    trace = test.capture(need('env'), f'VK_ADD_LAYER_PATH={folders}', *argv, **env, timeout=120)
    expected = gfxrecon_counts(test, folder)
    got = collections.Counter(command['name'] for command in test.commands(trace))
    for name in GFXRECON_ASKS:
        expected[name] += expected['vkCreateDevice']
    wrong = {name: f'{got[name]} (gfxreconstruct: {expected[name]})'
             for name in sorted(set(got) | set(expected))
             if abs(got[name] - expected[name]) > slack and not (name in ONLY_OURS and expected[name] == 0)}
    check(not wrong, f'counts differ: {json.dumps(wrong, indent=1)}')
    test.note(f'{sum(got.values())} calls of {len(got)} functions')


def vkcube(test):
    test.need_display()
    compare(test, need('vkcube'), '--c', 60)


def vkcubepp(test):
    test.need_display()
    compare(test, need('vkcubepp'), '--c', 60)


def vkd3d_gears(test):
    """It runs until it is killed, at any moment."""
    test.need_display()
    compare(test, need('timeout'), '3', need('vkd3d-gears'), slack=3)


def compute(test):
    compare(test, app('compute'))


def counter(test):
    compare(test, app('counter'), '--counters', test.path('counters'), '--rounds', 30,
            '--threads', 3)


def load(test):
    compare(test, app('load'), '--draws', 500, '--frames', 5, '--threads', 2)


def draws(test):
    compare(test, app('draws'), '--output', test.dir)
    compare(test, app('draws'), '--output', test.dir, '--dynamic')


harness.main(vkcube, vkcubepp, vkd3d_gears, compute, counter, load, draws)
