#!/usr/bin/env python3
"""Together with layers that people use, each above the capture layer and below it: programs run on, and
traces replay to what came out of the capture layer.

A layer above belongs to the program: what it draws is captured. What one below draws is not. The
loader takes implicit layers to be nearer to the program than explicit ones, so one that is to stand
above gets an implicit manifest here, one that is to stand below an explicit one."""

import glob
import json
import os

import harness
from harness import app, check, check_equal, need

N_FRAMES = 3
AT = 6

# By the name of its manifest: what it wants in the environment, and whether it draws.
LAYERS = {
    'validation': ('VkLayer_khronos_validation.json', {}, False),
    'gfxreconstruct': ('VkLayer_gfxreconstruct.json', {'GFXRECON_CAPTURE_FILE': '@/capture.gfxr'},
                       False),
    'mesa-overlay': ('VkLayer_MESA_overlay.json', {}, True),
    'mangohud': ('MangoHud.json', {'MANGOHUD': '1', 'MANGOHUD_CONFIG': 'full'}, True),
    'vkbasalt': ('vkBasalt.json', {}, True),
}


def find_manifest(name):
    for path in glob.glob(f'/usr/share/vulkan/*plicit_layer.d/{name}'):
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    raise harness.Failure(f'{name} is not installed (build-aux/install-deps)')


def place(test, manifest, above):
    """A manifest of our own. Returns: the environment that puts the layer there, witness last."""
    layer = manifest['layer']
    folder = (test.folder('data/vulkan/implicit_layer.d') if above else test.folder('below'))
    for key in ('enable_environment', 'disable_environment'):
        layer.pop(key, None)
    if above:
        layer['enable_environment'] = {'VITRINE_TEST_ABOVE': '1'}
        layer['disable_environment'] = {'VITRINE_TEST_NOT_ABOVE': '1'}
    with open(os.path.join(folder, 'layer.json'), 'w', encoding='utf-8') as file:
        json.dump(manifest, file)
    if above:
        return {'XDG_DATA_HOME': test.path('data'), 'VITRINE_TEST_ABOVE': '1'}
    # Without the system's folders, where some of them are, too: the order is that of the folders.
    return {'VK_LAYER_PATH': ':'.join((harness.LAYER_DIR, folder, harness.WITNESS_DIR)),
            'VK_INSTANCE_LAYERS': layer['name']}


def join(environment, other):
    """Both; of paths and names, what is in @other comes behind."""
    joined = {**environment, **other}
    for name in ('VK_ADD_LAYER_PATH', 'VK_INSTANCE_LAYERS'):
        if name in environment and name in other:
            joined[name] = environment[name] + ':' + other[name]
    return joined


def check_order(text, name, above):
    """The loader tells the stack from the program down."""
    lines = [line for line in text.splitlines() if 'Insert instance layer' in line]
    found = [(name in line, harness.CAPTURE_LAYER in line) for line in lines]
    theirs = [i for i, (is_theirs, _) in enumerate(found) if is_theirs]
    ours = [i for i, (_, is_ours) in enumerate(found) if is_ours]
    check(theirs and ours, f'not both layers were loaded: {lines}')
    # They are inserted from the driver up.
    check((theirs[0] > ours[0]) == above, f'the order is another: {lines}')


PROGRAMS = {
    'vkcube': lambda: [need('vkcube'), '--c', str(AT + N_FRAMES + 3)],
    'demo': lambda: [app('demo-sets'), '--window', '--frames', str(AT + N_FRAMES + 3)],
}


def beside(name, above):
    file, settings, draws = LAYERS[name]

    def run(test, program, at):
        manifest = find_manifest(file)
        live = test.folder(f'live-{program}-{at}')
        environment = {key: value.replace('@', test.dir) for key, value in settings.items()}
        environment.update(join(place(test, manifest, above), harness.witness_environment(live)))
        trace = test.capture(*PROGRAMS[program](), frames=N_FRAMES, timeout=120,
                             options=['--keep-running'] + (['--at-frame', AT] if at else []),
                             output=test.path(f'{program}-{at}.gfxtrace'),
                             VK_LOADER_DEBUG='layer', **environment)
        check_order(test.captured.err, manifest['layer']['name'], above)
        if name == 'validation':
            check('VUID' not in test.captured.out + test.captured.err,
                  f'not valid: {test.captured.err[-3000:]}')
        check_equal(test.info(trace)['frames'], N_FRAMES, 'frames')
        expected = live
        if draws and not above:
            # What it draws is behind us: what goes in is what the program draws alone.
            expected = test.folder(f'alone-{program}')
            test.run(PROGRAMS[program](), **harness.witness_environment(expected)).check()
        shifted = test.folder(f'expected-{program}-{at}')
        for number in range(N_FRAMES):
            harness.copy_frame(expected, f'frame-{at + number:06}.raw', shifted, number)
        for options in ([], ['--poison']):
            folder = test.folder(f'replayed-{program}-{at}')
            report = test.replay(trace, '--frames-dir', folder, *options).json()
            check(report['ok'], f'{program} from frame {at}: the replay failed: {report}')
            harness.compare_folders(test, folder, shifted, N_FRAMES)
        return live

    def body(test):
        test.need_display()
        run(test, 'vkcube', 0)
        run(test, 'vkcube', AT)
        live = run(test, 'demo', AT)
        if draws:
            alone = test.folder('alone')
            test.run(PROGRAMS['demo'](), **harness.witness_environment(alone)).check()
            frame = f'frame-{AT:06}.raw'
            check(harness.Frame.read(os.path.join(live, frame)).data !=
                  harness.Frame.read(os.path.join(alone, frame)).data,
                  'the layer has drawn nothing')
    return body


if __name__ == '__main__':
    harness.main(*((f'{name}-{where}', beside(name, where == 'above'))
                   for name in LAYERS for where in ('above', 'below')))
