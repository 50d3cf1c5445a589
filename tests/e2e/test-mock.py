#!/usr/bin/env python3
"""On the mock driver, which answers every command of the registry, fails on request and notes what
it was asked: calls one by one, error paths, devices unlike each other."""

import os

import harness
import mock
from harness import app, check, check_equal

SEEDS = os.environ.get('VITRINE_TEST_SEEDS', '1 2 3').split()

# What a replay leaves out: nothing is shown, nobody else is told, the program's memory is mapped
# by the replayer, names are only names. Questions to the driver are known by the registry.
LEFT_OUT = {
    'vkAcquireNextImage2KHR', 'vkAcquireNextImageKHR', 'vkAcquirePerformanceConfigurationINTEL',
    'vkAcquireProfilingLockKHR', 'vkCmdBeginDebugUtilsLabelEXT', 'vkCmdDebugMarkerBeginEXT',
    'vkCmdDebugMarkerEndEXT', 'vkCmdDebugMarkerInsertEXT', 'vkCmdEndDebugUtilsLabelEXT',
    'vkCmdInsertDebugUtilsLabelEXT', 'vkCmdPreprocessGeneratedCommandsEXT',
    'vkCmdPreprocessGeneratedCommandsNV', 'vkCmdSetPerformanceMarkerINTEL',
    'vkCmdSetPerformanceOverrideINTEL', 'vkCmdSetPerformanceStreamMarkerINTEL',
    'vkCreateHeadlessSurfaceEXT', 'vkCreatePrivateDataSlot', 'vkCreateSwapchainKHR',
    'vkCreateValidationCacheEXT', 'vkDebugMarkerSetObjectNameEXT', 'vkDebugMarkerSetObjectTagEXT',
    'vkDestroyPrivateDataSlot', 'vkDestroySwapchainKHR', 'vkDestroyValidationCacheEXT',
    'vkDisplayPowerControlEXT', 'vkFlushMappedMemoryRanges', 'vkGetEventStatus', 'vkGetFenceFdKHR',
    'vkGetFenceStatus', 'vkGetMemoryFdKHR', 'vkGetQueryPoolResults', 'vkGetSemaphoreCounterValue',
    'vkGetSemaphoreFdKHR', 'vkGetSwapchainImagesKHR', 'vkGetSwapchainStatusKHR',
    'vkInitializePerformanceApiINTEL', 'vkInvalidateMappedMemoryRanges', 'vkLatencySleepNV',
    'vkMapMemory', 'vkMapMemory2KHR', 'vkMergeValidationCachesEXT',
    'vkQueueBeginDebugUtilsLabelEXT', 'vkQueueEndDebugUtilsLabelEXT',
    'vkQueueInsertDebugUtilsLabelEXT', 'vkQueuePresentKHR',
    'vkQueueSetPerformanceConfigurationINTEL', 'vkRegisterDeviceEventEXT',
    'vkRegisterDisplayEventEXT', 'vkReleasePerformanceConfigurationINTEL',
    'vkReleaseProfilingLockKHR', 'vkReleaseSwapchainImagesEXT', 'vkSetDebugUtilsObjectNameEXT',
    'vkSetDebugUtilsObjectTagEXT', 'vkSetHdrMetadataEXT', 'vkSetLatencyMarkerNV',
    'vkSetLatencySleepModeNV', 'vkSetLocalDimmingAMD', 'vkSetPrivateData',
    'vkSetSwapchainPresentTimingQueueSizeEXT', 'vkUninitializePerformanceApiINTEL', 'vkUnmapMemory',
    'vkUnmapMemory2KHR', 'vkWaitForFences', 'vkWaitForPresent2KHR', 'vkWaitForPresentKHR',
}


def swept(test, names, seed, *left_out):
    """The trace of a sweep, its commands; it holds each call of the program once, as made."""
    log = test.path('capture.log')
    trace = test.capture(mock.SWEEP, seed, *left_out, **mock.driver('strict', f'log {log}'))
    calls, violations = mock.read_log(log)
    check_equal(violations, [], 'what the layer did wrong')
    commands = test.commands(trace)
    extra = mock.compare(names, commands, calls)
    odd = {call['name'] for call in extra
           if 'query' not in names.commands[call['name']]['classes']}
    # The trial of the memory trackers, and calls of the loader: since 1.4 it destroys the surfaces that
    # are left when the instance ends.
    check(odd <= {'vkAllocateMemory', 'vkFreeMemory', 'vkMapMemory', 'vkUnmapMemory', 'vkDestroySurfaceKHR',
                  'vkEnumeratePhysicalDevices', 'vkGetDeviceProcAddr'}, f'calls of the layer: {odd}')
    return trace, commands


def recorded(seed):
    """Every command that a device offers is in the trace with its arguments."""
    def body(test):
        names = mock.Names()
        trace, commands = swept(test, names, seed)
        found = {command['name'] for command in commands}
        missing = sorted(name for name, command in names.commands.items()
                         if command['level'] == 'device' and name not in found
                         and name != 'vkGetDeviceProcAddr')
        check_equal(missing, [], 'commands that the trace does not have')
        check_equal(test.info(trace)['commands'], len(commands), 'commands')
        for place in (len(commands) // 2, len(commands) - 1):
            test.cli('get', trace, f'commands/{place}/state')
        report = test.cli('replay', '--check', '--json', trace, status=None,
                          **mock.driver()).json()
        errors = [f['text'] for f in report['findings'] if f['level'] == 'error']
        check_equal(sorted(error.split()[0] for error in errors), sorted(mock.DECLINED), 'declined')
        result = test.replay(trace, status=None, **mock.driver())
        check(result.status != 0 and 'cannot be replayed' in result.err, f'a sentence: {result}')
    return body


def replayed(seed):
    """The replay makes the calls of the trace in their order, and no wrong ones of its own."""
    def body(test):
        names = mock.Names()
        trace, commands = swept(test, names, seed, *mock.DECLINED)
        result = test.replay(trace, **mock.driver('strict', 'log stderr'))
        check(result.json()['ok'], f'the replay failed: {result}')
        calls, violations = mock.read_replay(result)
        check_equal(violations, [], 'what the replay did wrong')
        pairs, left = mock.align(names, commands, calls)
        left = {names.commands[c['name']]['canonical'] for c in left
                if 'query' not in names.commands[c['name']]['classes']}
        check(left <= LEFT_OUT, f'not replayed: {sorted(left - LEFT_OUT)}')
        handles = {}
        for command, call in pairs:
            comparison = mock.Replayed(names, handles)
            if (command['name'] not in mock.LOADERS_CALLS
                    and 'query' not in names.commands[command['name']]['classes']):
                comparison.value(command['parameters'], call['args'], command['name'], '')
            check(comparison.difference is None,
                  f'command {command["index"]}: {comparison.difference}')
        test.note(f'{len(commands)} commands, {len(pairs)} replayed')
    return body


def failing_capture(test):
    """A call that fails in the program is in the trace with its result, as is all before it; what
    failed is not made again, so the trace replays."""
    for rule, name, result in (
            ('fail vkCreateBuffer 1+ VK_ERROR_OUT_OF_HOST_MEMORY', 'vkCreateBuffer',
             'VK_ERROR_OUT_OF_HOST_MEMORY'),
            ('fail vkCreateComputePipelines 1 VK_ERROR_OUT_OF_DEVICE_MEMORY',
             'vkCreateComputePipelines', 'VK_ERROR_OUT_OF_DEVICE_MEMORY'),
            ('fail vkQueueSubmit 1 VK_ERROR_DEVICE_LOST', 'vkQueueSubmit', 'VK_ERROR_DEVICE_LOST'),
            ('lose vkQueueSubmit 1', 'vkQueueSubmit', 'VK_ERROR_DEVICE_LOST')):
        trace = test.capture(app('compute'), '--rounds', '2', status=None, **mock.driver(rule))
        commands = [c for c in test.commands(trace) if c['name'] == name]
        check(commands, f'{rule}: {name} is not in the trace')
        check_equal(commands[0]['result'], result, rule)
        report = test.replay(trace, **mock.driver('strict')).json()
        check(report['ok'], f'{rule}: the replay failed: {report}')


def failing_replay(test):
    """A driver that fails is a sentence that names the command; the next replay is as ever."""
    trace = test.capture(app('compute'), '--rounds', '2', **mock.driver())
    for rule, name in (('fail vkCreateBuffer 1 VK_ERROR_OUT_OF_HOST_MEMORY', 'vkCreateBuffer'),
                       ('fail vkAllocateMemory 1+ VK_ERROR_OUT_OF_DEVICE_MEMORY',
                        'vkAllocateMemory'),
                       ('fail vkCreateComputePipelines 1 VK_ERROR_OUT_OF_DEVICE_MEMORY',
                        'vkCreateComputePipelines'),
                       ('lose vkQueueSubmit 1', 'vkQueueSubmit'),
                       ('fail vkWaitForFences 1+ VK_ERROR_DEVICE_LOST', 'vkWaitForFences'),
                       ('fail vkCreateDevice 1+ VK_ERROR_INITIALIZATION_FAILED',
                        'vkCreateDevice')):
        result = test.replay(trace, status=None, **mock.driver(rule))
        check(result.status != 0 and name in result.err, f'{rule}: {result}')
        check(not result.json()['ok'], f'{rule}: {result}')
    check(test.replay(trace, **mock.driver()).json()['ok'], 'and without failures it replays')


def slow_replay(test):
    """A driver that does not come back ends with a sentence."""
    trace = test.capture(app('compute'), '--rounds', '2', **mock.driver())
    slow = mock.driver('latency vkQueueSubmit 1 100000000')
    result = test.replay(trace, status=None, VITRINE_REPLAY_TIMEOUT='2', **slow)
    check(result.status != 0 and len(result.err.strip()) > 20, f'no sentence: {result}')
    check(result.seconds < 60, f'it took {result.seconds} s')
    check(test.replay(trace, **mock.driver('latency vkQueueSubmit * 20000')).json()['ok'],
          'a driver that is merely slow replays')


def elsewhere(test):
    """Other memory types, alignments and families: the replay keeps to them, or says why not."""
    trace = test.capture(app('memory'), **mock.driver())
    other = ('strict', 'device-name Another mock', 'memory-heap 0x40000000 device',
             'memory-heap 0x40000000', 'memory-type device 0', 'memory-type visible+coherent 1',
             'memory-type visible+cached 1', 'queue-family transfer 1',
             'queue-family graphics+compute+transfer 2', 'alignment 4096',
             'limit bufferImageGranularity 4096')
    report = test.cli('replay', '--check', '--json', trace, **mock.driver(*other)).json()
    check(report['possible'] and not report['same'], f'another device: {report}')
    check_equal(report['device'], 'Another mock', 'device')
    check(any(f['what'] == 'queues' for f in report['findings']), f'queues move: {report}')
    result = test.replay(trace, **mock.driver(*other, 'log stderr'))
    check(result.json()['ok'], 'it replays')
    check_equal(mock.read_replay(result)[1], [], 'what the replay did wrong')
    small = test.replay(trace, status=None, **mock.driver(
        'strict', 'device-name Small', 'memory-heap 65536 device', 'memory-type device+visible 0'))
    check(small.status != 0 and len(small.err.strip()) > 20, f'too small a device: {small}')


def reused_handles(test):
    """Handle values that are given out again at once are other objects."""
    names = mock.Names()
    for way in ('reuse', 'equal', 'reuse+equal'):
        log = test.path(f'{way}.log')
        trace = test.capture(mock.SWEEP, '1', *mock.DECLINED,
                             **mock.driver('strict', f'handles {way}', f'log {log}'))
        calls, violations = mock.read_log(log)
        check_equal(violations, [], f'{way}: what the layer did wrong')
        mock.compare(names, test.commands(trace), calls)
        result = test.replay(trace, **mock.driver('strict', f'handles {way}', 'log stderr'))
        check(result.json()['ok'], way)
        check_equal(mock.read_replay(result)[1], [], f'{way}: what the replay did wrong')


def several(test):
    """Instances and devices side by side, whose handles are used again at once."""
    program = os.path.join(harness.BUILD, 'tests', 'layer', 'several')
    trace = test.capture(program, timeout=120, **mock.driver('handles reuse'))
    result = test.replay(trace, **mock.driver('strict', 'handles reuse', 'log stderr'))
    check(result.json()['ok'], f'the replay failed: {result}')
    check_equal(mock.read_replay(result)[1], [], 'what the replay did wrong')


def newer(test):
    """What a driver has of versions after the registry's is not offered: calls of it would be missing."""
    def check_offered(*lines, **env):
        test.capture(harness.app('offers'), 'vkCmdDraw', 'vkCmdNewer', **mock.driver('newer', **env))
        for line in lines:
            check(line in test.captured.err.splitlines(), f'{env}: {test.captured.err}')

    check_offered('vkCmdDraw is there', 'vkCmdNewer is not there', VITRINE_PASS_UNKNOWN='0')
    # As far as the registry of the build goes.
    check({'version 1.3', 'version 1.4'} & set(test.captured.err.splitlines()), test.captured.err)
    check_offered('version 1.12', 'vkCmdDraw is there', 'vkCmdNewer is there')


def descriptors(test):
    """A replay finds descriptors that programs keep in buffers by their bytes: where those are too
    few, programs do not find the extension, and the trace names it. Those of acceleration structures may
    be addresses."""
    name = 'VK_EXT_descriptor_buffer'
    for case, (size, passes, found) in enumerate(((0, '0', False), (8, '0', False), (0, '1', True),
                                                  (8, '1', True), (16, '0', True),
                                                  ('16 8', '0', True), ('16 4', '0', False))):
        lines = [f'descriptors {size}'] if size else []
        trace = test.capture(harness.app('offers'), name, 'VK_EXT_transform_feedback',
                             output=test.path(f'{case}.gfxtrace'),
                             **mock.driver(*lines, VITRINE_PASS_UNKNOWN=passes))
        for line in (f'{name} is {"" if found else "not "}there', 'VK_EXT_transform_feedback is there'):
            check(line in test.captured.err.splitlines(), f'{size}, {passes}: {test.captured.err}')
        check_equal(name in test.info(trace)['hidden_extensions'], not found, f'{size}: the trace names it')


def withheld(test):
    """A program that misses what the layer withholds: everybody who is asked names it, and an option
    lets it through."""
    name = 'VK_VITRINE_newer'
    driver = mock.driver('newer', VITRINE_PASS_UNKNOWN='0')
    trace = test.path('capture.gfxtrace')

    def run(*options, anyway=False):
        test.capture(harness.app('needs'), name, *(['--anyway'] if anyway else []), options=options,
                     **driver)
        return test.captured.err

    said = run()
    check(f'there is no {name}' in said, f'the program got it: {said}')
    check('vitrine-cli: “vtr-app-needs” created no device. ' in said and name in said and
          '--pass-extension' in said, f'not said: {said}')
    check('Vulkan 1.12' in test.captured.json()['withheld'] and
          name in test.captured.json()['withheld'], f'not listed: {test.captured.out}')
    check(name in test.info(trace)['hidden_extensions'], f'not in info: {test.info(trace)}')
    check(name in test.cli('info', trace).out, 'not in the text of info')

    said = run('--pass-extension', name)
    check('vkCreateDevice returned 0' in said, f'not passed: {said}')
    check(f'vitrine-cli: The program uses {name}, which Vitrine cannot record.' in said, said)
    check('created no device' not in said, said)
    info = test.info(trace)
    check(any(name in notice for notice in info['notices']), f'not in the trace: {info}')
    check(name not in info['hidden_extensions'], f'still hidden: {info}')
    report = test.cli('report', '--json', trace).out
    check(f'uses {name}' in report, f'not in the report: {report}')
    check('vkCreateDevice returned 0' in run('--pass-extension', 'all'), 'not all is passed')
    check('there is no' in run('--pass-extension', 'VK_VITRINE_new'), 'a part of a name is enough')
    # Asked for although it was not offered: the loader knows what the layer has said.
    said = run(anyway=True)
    check('vkCreateDevice returned -7' in said and 'created no device. ' in said and name in said, said)


harness.main(*((f'recorded-{seed}', recorded(seed)) for seed in SEEDS),
             *((f'replayed-{seed}', replayed(seed)) for seed in SEEDS),
             failing_capture, failing_replay, slow_replay, elsewhere, reused_handles, several,
             newer, descriptors, withheld)
