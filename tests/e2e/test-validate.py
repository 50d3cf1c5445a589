#!/usr/bin/env python3
"""Validated replays: each message belongs to the command that caused it, and a program that breaks
no rule has none."""

import glob

import harness
from harness import app, check, check_equal


def messages(test, trace):
    report = test.cli('report', '--replay', '--json', trace).json()
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
    result = test.cli('report', '--replay', trace)
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


harness.main(wrong, clean, not_installed)
