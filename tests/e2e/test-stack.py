#!/usr/bin/env python3
"""The layer among others: nothing it does is invalid, and what people stack with it keeps working."""

import os

import harness
from harness import app, check, check_equal, need

MANIFESTS = ('/usr/share/vulkan/explicit_layer.d', '/usr/share/vulkan/implicit_layer.d')


def check_valid(text, what):
    for word in ('VUID', 'Validation Error', 'UNASSIGNED-'):
        check(word not in text, f'{what} is not valid:\n{text[-4000:]}')


def validated(*argv, frames=None, display=False):
    """A capture with the validation layer below ours: what reaches the driver is valid."""
    def body(test):
        if display:
            test.need_display()
        program = need(argv[0]) if '/' not in argv[0] else argv[0]
        arguments = [a.replace('@', test.dir) for a in argv[1:]]
        trace = test.capture(program, *arguments, frames=frames, timeout=120,
                             VK_INSTANCE_LAYERS=harness.VALIDATION_LAYER)
        check_valid(test.captured.out + test.captured.err, f'what {os.path.basename(program)} '
                    'does under capture')
        check(test.info(trace)['commands'] > 10, 'the capture is empty')
    return body


def among_filters(test):
    """Environments that name all layers there are to be, or that there are to be none."""
    for name, value in (('VK_LAYER_PATH', MANIFESTS[0]), ('VK_LOADER_LAYERS_DISABLE', '~all~'),
                        ('VK_LOADER_LAYERS_DISABLE', '*vitrine*'),
                        ('VK_LOADER_LAYERS_DISABLE', '~explicit~')):
        trace = test.capture(app('compute'), '--rounds', 2, **{name: value})
        check_equal(test.info(trace)['dispatches'], 4, f'dispatches with {name}={value}')
        trace = test.capture(app('compute'), '--rounds', 2, options=['--env', f'{name}={value}'])
        check_equal(test.info(trace)['dispatches'], 4, f'dispatches with --env {name}={value}')
    # What the environment asked for beside it is still there.
    test.capture(app('compute'), '--rounds', 2, VK_LAYER_PATH=MANIFESTS[0], VK_LOADER_DEBUG='layer',
                 VK_INSTANCE_LAYERS=harness.VALIDATION_LAYER)
    check(f'Insert instance layer "{harness.VALIDATION_LAYER}"' in test.captured.err,
          f'the other layer is missing: {test.captured.err[-2000:]}')


def replay_is_valid(test):
    """What the replayer does, the cuts and read-backs included. It starts behind a script that puts
    the validation layer into an environment that the engine has cleaned."""
    wrapper = test.path('replayer')
    log = test.path('validation.log')
    with open(wrapper, 'w', encoding='utf-8') as file:
        file.write(f'#!/bin/sh\nexec env VK_INSTANCE_LAYERS={harness.VALIDATION_LAYER} '
                   f'VK_LOADER_DEBUG=layer "{harness.REPLAYER}" "$@" >>"{log}" 2>&1\n')
    os.chmod(wrapper, 0o755)
    # The engine keeps what layers say to the log.
    env = {'VITRINE_REPLAYER': wrapper, 'G_MESSAGES_DEBUG': 'all'}
    results = []
    test.need_display()
    for name, program in (('vkcube', [need('vkcube'), '--c', '6']), ('present', [app('present')]),
                          ('compute', [app('compute')]), ('dynamic', [app('draws'), '--dynamic']),
                          ('draws', [app('draws')])):
        trace = test.capture(*program, output=test.path(f'{name}.gfxtrace'))
        results.append(test.replay(trace, '--frames-dir', test.dir, **env))
    draws = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
    for index in (draws[0], draws[-1]):
        for attachment in ('color0', 'depth'):
            results.append(test.cli('screenshot', trace, '--at', str(index), '--attachment',
                                    attachment, '-o', test.path('x.png'), **env))
    with open(log, encoding='utf-8', errors='replace') as file:
        text = file.read()
    check(f'Insert instance layer "{harness.VALIDATION_LAYER}"' in text, f'the layer was not loaded: {text[-2000:]}')
    for result in results:
        text += result.out + result.err
    check_valid(text, 'the replay')


def beside(manifest, **env):
    def body(test):
        if not any(os.path.exists(os.path.join(d, manifest)) for d in MANIFESTS):
            raise harness.Skip(f'{manifest} is not installed')
        test.need_display()
        trace = test.capture(need('vkcube'), frames=10, **env)
        check_equal(test.info(trace)['frames'], 10, 'frames')
        check(test.replay(trace).json()['ok'], 'the replay failed')
    return body


def unattached(test):
    """With the layer in the stack and no Vitrine to talk to, programs run as ever."""
    test.need_display()
    env = {'VK_ADD_LAYER_PATH': harness.LAYER_DIR, 'VK_INSTANCE_LAYERS': harness.CAPTURE_LAYER}
    folders = [test.folder('with'), test.folder('without')]
    with_layer = dict(env, VITRINE_WITNESS_DIR=folders[0])
    with_layer['VK_ADD_LAYER_PATH'] += ':' + harness.WITNESS_DIR
    with_layer['VK_INSTANCE_LAYERS'] += ':' + harness.WITNESS_LAYER
    test.run([need('vkcube'), '--c', 20], **with_layer).check()
    test.run([need('vkcube'), '--c', 20], **harness.witness_environment(folders[1])).check()
    harness.compare_folders(test, *folders, 20)
    for argv in ([app('compute')], [app('fork'), '--child'], [app('draws')],
                 [app('counter'), '--counters', test.path('c'), '--rounds', 20]):
        test.run(argv, **env).check()
    # A socket that nobody listens on any more.
    test.run([app('compute')], VITRINE_SOCKET=test.path('gone'), **env, timeout=20).check()


harness.main(
    unattached,
    ('valid-vkcube', validated('vkcube', frames=10, display=True)),
    ('valid-compute', validated(app('compute'), '--rounds', '5')),
    ('valid-draws', validated(app('draws'))),
    ('valid-counter', validated(app('counter'), '--counters', '@/c', '--rounds', '10')),
    ('valid-load', validated(app('load'), '--draws', '50', '--frames', '3', '--threads', '2')),
    replay_is_valid, among_filters,
    ('beside-renderdoc', beside('renderdoc_capture.json', ENABLE_VULKAN_RENDERDOC_CAPTURE='1')))
