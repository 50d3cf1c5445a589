#!/usr/bin/env python3
"""Validated replays: each message belongs to the command that caused it, and a program that breaks
no rule has none."""

import glob
import re

import harness
from demos import DEMOS
from harness import VALIDATION_LAYER, app, check, check_equal
from programs import PROGRAMS, exposed

RULE = re.compile(r'(?:VUID|UNASSIGNED|SYNC)-[\w-]+')
SETTINGS = '''khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn
khronos_validation.log_filename = %s
'''
# What a structure was built with is in its serialised bytes, where the layer does not look: it takes one
# that was made from them for one that was never built.
UNSEEN = {f'VUID-vkCmdBuildAccelerationStructuresKHR-pInfos-0{n}' for n in (3667, 3758, 3759, 3760)}


def messages(test, trace):
    report = test.cli('report', '--replay', '--json', trace, status=None).json()
    check_equal(report['replayed'], True, 'replayed')
    return [entry for entry in report['entries'] if 'rule' in entry]


def wrong(test):
    trace = test.capture(app('wrong'))
    found = {entry['name']: entry for entry in messages(test, trace)}
    check('VUID-vkCmdCopyBuffer-size-00116' == found['vkCmdCopyBuffer']['rule'],
          f'the copy past the end: {found}')
    check('VkFenceCreateInfo-flags' in found['vkCreateFence']['rule'], f'the fence: {found}')
    check('Layout' in found['vkQueueSubmit']['rule'], f'the layout: {found}')
    kinds = [thing['type'] for thing in found['vkCmdCopyBuffer']['objects']]
    check('VkBuffer' in kinds or 'VkCommandBuffer' in kinds, f'objects: {found}')
    check('image ' in found['vkQueueSubmit']['text'], f'no name of the trace: {found}')
    calls = test.commands(trace)
    for entry in found.values():
        call = next(c for c in calls if c['index'] == entry['command'])
        check_equal(call['name'], entry['name'], 'the command at the index')
    result = test.cli('report', '--replay', trace, status=7)
    check('[VUID-vkCmdCopyBuffer-size-00116]' in result.out, f'as text: {result}')


def clean(test):
    for name in ('draws', 'compute'):
        trace = test.capture(app(name), output=test.path(f'{name}.gfxtrace'))
        check_equal(messages(test, trace), [], f'messages about {name}')


def driver():
    """The software driver's manifest: the folders in which layers are looked for hide it, too."""
    found = glob.glob('/usr/share/vulkan/icd.d/lvp_icd.*.json')
    check(found, 'the software driver is not installed')
    return found[0]


def not_installed(test):
    trace = test.capture(app('draws'))
    result = test.cli('report', '--replay', trace, status=6,
                      XDG_DATA_DIRS=test.folder('no-layers'), VK_ICD_FILENAMES=driver())
    check('VK_LAYER_KHRONOS_validation is not installed' in result.err, f'{result}')


def validation(test, log):
    path = test.path('settings.txt')
    with open(path, 'w', encoding='ascii') as file:
        file.write(SETTINGS % log)
    return {'VK_INSTANCE_LAYERS': VALIDATION_LAYER, 'VK_LAYER_SETTINGS_PATH': path}


def rules_of_live_run(test, program):
    return set(RULE.findall(test.run(program, **validation(test, 'stdout')).check().out))


def compare_with_live(test, found, rules):
    new = [f'{name}: {entry}' for rule, (name, entry) in found.items() if rule not in rules]
    check(not new, '\n'.join(new))
    test.note(f'as in the live run: {", ".join(sorted(found))}')


def program_test(program):
    """The same for a program that does not end, or not by itself: the live run is a recording, too."""
    def body(test):
        test.need_display()
        found = {}
        late = ['--at-frame', str(program.late)]
        with exposed(test, program):
            argv = program.argv(test)
            for name, options in (('launch', []), ('midrun', late)):
                trace = test.capture(*argv, frames=2, options=options, timeout=120,
                                     output=test.path(f'{name}.gfxtrace'))
                for entry in messages(test, trace):
                    found.setdefault(entry['rule'], (name, entry))
            if found:
                log = test.path('validation.txt')
                test.capture(*argv, frames=2, options=late, timeout=240, output=test.path('live'),
                             **validation(test, log))
                with open(log, encoding='utf-8', errors='replace') as file:
                    compare_with_live(test, found, set(RULE.findall(file.read())))
    return body


def demo_test(demo):
    """No message that the live run does not have, from launch and from the middle."""
    def body(test):
        demo.drive(test)
        test.need_display()
        program = [*demo.argv(app), *demo.valid, '--window', '--frames', '4']
        found = {}
        for name, options in (('launch', {}), ('midrun', {'frames': 2,
                                                          'options': ['--at-frame', '2']})):
            trace = test.capture(*program, output=test.path(f'{name}.gfxtrace'), **options)
            for entry in messages(test, trace):
                if name == 'launch' or entry['rule'] not in UNSEEN:
                    found.setdefault(entry['rule'], (name, entry))
        if found:
            compare_with_live(test, found, rules_of_live_run(test, program))
    return body


if __name__ == '__main__':
    harness.main(wrong, clean, not_installed,
                 *((name, program_test(program)) for name, program in PROGRAMS.items()),
                 *((name, demo_test(demo)) for name, demo in DEMOS.items()
                   if demo.valid is not None))
