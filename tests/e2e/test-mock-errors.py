#!/usr/bin/env python3
"""On the mock driver: calls that fail, devices that are lost, drivers that die or do not come
back, in the program and in the replay."""

import difflib
import json
import os
import shutil
import signal
import subprocess
import time

import harness
import mock
from harness import app, check, check_equal

# The driver does not let it fail; it has no errors; the layer makes it again in another way.
NO_ERROR = ('vkEndCommandBuffer', 'vkAcquireProfilingLockKHR', 'vkCreateBuffer')


# A replay has some of its own: what it reads and writes with.
OWN = ('vkAllocateMemory', 'vkCreateBuffer', 'vkCreateImage', 'vkCreateCommandPool',
       'vkAllocateCommandBuffers', 'vkCreateFence', 'vkCreateSemaphore')


def text(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def wait_until(condition, what):
    end = time.monotonic() + 20 * harness.PATIENCE
    while not condition():
        check(time.monotonic() < end, f'waited too long: {what}')
        time.sleep(0.01)


def sentence(result, what):
    """A replay that failed says why, in words; it did not crash."""
    check(0 < result.status < 128, f'{what}: {result}')
    check(not result.json()['ok'], f'{what}: {result}')
    said = [line for line in result.err.splitlines() if line.startswith('vitrine-cli: ')]
    check(said and len(said[-1]) > 35, f'{what}: no sentence: {result}')
    return said[-1]


def successes(names, calls):
    """How often each command that makes something was called and did not fail."""
    counts = {}
    for call in calls:
        about = names.commands[call['name']]
        failed = str(call['result']).startswith(('VK_ERROR', '-'))
        if about['level'] == 'device' and 'create' in about['classes'] and not failed:
            counts[about['canonical']] = counts.get(about['canonical'], 0) + 1
    return counts


def every_call(test):
    """Each command of a device fails once, as the registry says it may: the trace has these calls
    with their results, and the replay makes those that did not fail."""
    names = mock.Names()
    log = test.path('capture.log')
    trace = test.capture(mock.SWEEP, '--again', '1', *mock.DECLINED,
                         **mock.driver('strict', 'fail every odd own', f'log {log}'))
    calls, violations = mock.read_log(log)
    check_equal(violations, [], 'what the layer did wrong')
    commands = test.commands(trace)
    mock.compare(names, commands, calls)
    failed = {c['name'] for c in commands if str(c['result']).startswith('VK_ERROR')}
    missing = [name for name, command in names.commands.items()
               if command['returns'] and command['level'] == 'device' and name not in failed
               and name not in NO_ERROR + mock.DECLINED]
    check_equal(missing, [], 'commands that did not fail')
    test.note(f'{len(failed)} commands failed')
    result = test.replay(trace, **mock.driver('strict', 'log stderr'))
    check(result.json()['ok'], f'the replay failed: {result}')
    calls, violations = mock.read_replay(result)
    check_equal(violations, [], 'what the replay did wrong')
    expected, made = successes(names, commands), successes(names, calls)
    for name, n in made.items():
        check(n == expected.get(name, 0) or name in OWN,
              f'{name}: made {n} times, was {expected.get(name, 0)} times')


def some_handles(test):
    """A call that failed may have made some of what it was to make: that exists from then on."""
    rules = {'vkCreateGraphicsPipelines': 'VK_ERROR_OUT_OF_DEVICE_MEMORY',
             'vkCreateComputePipelines': 'VK_PIPELINE_COMPILE_REQUIRED',
             'vkCreateRayTracingPipelinesKHR': 'VK_ERROR_OUT_OF_HOST_MEMORY'}
    for seed in '12':
        trace = test.capture(mock.SWEEP, '--again', seed, *mock.DECLINED, **mock.driver(
            'strict', *(f'partly {command} * {result}' for command, result in rules.items())))
        made = [c for c in test.commands(trace) if c['name'] in rules]
        check(all(c['result'] == rules[c['name']] for c in made), f'{made}')
        test.cli('get', trace, f'commands/{made[-1]["index"]}/state')
        report = test.replay(trace, **mock.driver('strict', 'log stderr'))
        check(report.json()['ok'], f'the replay failed: {report}')
        calls, violations = mock.read_replay(report)
        check_equal(violations, [], 'what the replay did wrong')
        check(rules.keys() <= {call['name'] for call in calls}, f'not all are replayed: {report}')


def lost_program(test):
    """Whatever a program is told, the trace tells, and it replays."""
    test.need_display()
    present = ('fail vkQueuePresentKHR 3 VK_ERROR_DEVICE_LOST',
               'fail vkQueuePresentKHR 3 VK_ERROR_OUT_OF_DATE_KHR',
               'fail vkQueuePresentKHR 3 VK_ERROR_SURFACE_LOST_KHR',
               'fail vkQueuePresentKHR 3 VK_SUBOPTIMAL_KHR',
               'fail vkAcquireNextImageKHR 5 VK_ERROR_OUT_OF_DATE_KHR',
               'fail vkWaitForFences 3 VK_ERROR_DEVICE_LOST',
               'fail vkCreateSwapchainKHR 2 VK_ERROR_NATIVE_WINDOW_IN_USE_KHR',
               'fail vkResetFences 2 VK_ERROR_OUT_OF_DEVICE_MEMORY',
               'fail vkEndCommandBuffer 2 VK_ERROR_OUT_OF_HOST_MEMORY',
               'fail vkBeginCommandBuffer 2 VK_ERROR_OUT_OF_DEVICE_MEMORY',
               'fail vkMapMemory 2+ VK_ERROR_MEMORY_MAP_FAILED',
               'fail vkBindBufferMemory * VK_ERROR_OUT_OF_DEVICE_MEMORY',
               'fail vkAllocateCommandBuffers 1 VK_ERROR_OUT_OF_HOST_MEMORY')
    for rule in present:
        _, name, _, result = rule.split()
        trace = test.capture(app('present'), '--frames', '8', status=None, **mock.driver(rule))
        failed = [c['name'] for c in test.commands(trace) if c['result'] == result]
        check_equal(failed[:1], [name], f'{rule}: in the trace')
        check(not test.info(trace)['truncated'], f'{rule}: truncated')
        report = test.replay(trace, **mock.driver('strict')).json()
        check(report['ok'], f'{rule}: {report}')
    for rule, name in (('fail vkCreateInstance 1 VK_ERROR_OUT_OF_HOST_MEMORY', 'vkCreateInstance'),
                       ('fail vkCreateDevice 1 VK_ERROR_TOO_MANY_OBJECTS', 'vkCreateDevice')):
        result = test.cli('capture', '--json', '-o', test.path('none.gfxtrace'), '--',
                          app('present'), status=None, **mock.driver(rule))
        check(f'{name} failed' in result.err or 'VkResult' in result.err, f'{rule}: {result}')


def calls_at_trigger(test, names, program, *lines):
    """What the layer calls of its own when a recording begins in the middle of a run: names of
    commands that can fail, each with the number of the first such call."""
    logs = []
    for frame in ('1000', '3'):
        log = test.path(f'calls-{frame}.log')
        test.capture(*program, options=['--at-frame', frame], frames=1, status=None,
                     **mock.driver(f'log {log}', *lines))
        logs.append([call['name'] for call in mock.read_log(log)[0]])
    found = {}
    matcher = difflib.SequenceMatcher(None, *logs, autojunk=False)
    for kind, _, _, first, end in matcher.get_opcodes():
        if kind in ('insert', 'replace'):
            for place in range(first, end):
                name = logs[1][place]
                if names.commands[name]['returns']:
                    found.setdefault(name, logs[1][:place + 1].count(name))
    return found


def failing_trigger(test, *lines, demo='demo-contents'):
    """Whatever fails while a recording begins in the middle of a run, the program goes on; there
    is a recording that replays, or a sentence why there is none."""
    test.need_display()
    program = (app(demo), '--frames', '7', '--window')
    found = calls_at_trigger(test, mock.Names(), program, *lines)
    check(len(found) > 5, f'the layer called {found}')
    test.note(' '.join(f'{name} {n}' for name, n in found.items()))
    trace = test.path('failing.gfxtrace')
    whole, recorded = None, 0
    rules = ['', *(f'fail {name} {n} VK_ERROR_OUT_OF_DEVICE_MEMORY' for name, n in found.items()),
             *(f'lose {name} {found[name]}' for name in ('vkCreateCommandPool', 'vkQueueSubmit'))]
    for rule in rules:
        result = test.cli('capture', '--json', '-o', trace, '--frames', '1', '--at-frame', '3',
                          '--', *program, status=None, **mock.driver(rule, *lines))
        if result.status != 0:
            said = [line for line in result.err.splitlines() if line.startswith('vitrine-cli: ')]
            check(said and len(said[-1]) > 40, f'{rule}: no sentence: {result}')
            check(not os.path.exists(trace), f'{rule}: a file is left')
            continue
        info = test.info(trace)
        whole = whole or info
        check_equal(info['initial_commands'], whole['initial_commands'], f'{rule}: initial')
        check(info['observations'] == whole['observations'] or 'The contents of' in result.err,
              f'{rule}: contents are missing: {result}')
        check(test.replay(trace, **mock.driver('strict')).json()['ok'], rule)
        recorded += 1
        os.unlink(trace)
    test.note(f'{recorded} of {len(rules)} recorded')
    return found


def failing_queries(test):
    """The same where queries have results. The GPU copies them: drivers may wait for all of their work each time
    that the CPU asks for some."""
    found = failing_trigger(test, demo='demo-queries')
    check('vkGetQueryPoolResults' not in found, f'the CPU asked for results: {found}')


# The GPU has to copy contents, for the CPU sees none.
UNSEEN = ('memory-heap 1073741824 device', 'memory-type device 0', 'memory-type visible+coherent+cached 0')


def unreadable(test):
    """Contents that the GPU has copied and the CPU cannot be made to see are not recorded as if it had."""
    test.need_display()
    result = test.cli('capture', '-o', test.path('unreadable.gfxtrace'), '--frames', '1', '--at-frame', '3', '--',
                      app('demo-contents'), '--frames', '7', '--window', status=None,
                      **mock.driver('fail vkInvalidateMappedMemoryRanges * VK_ERROR_OUT_OF_HOST_MEMORY', *UNSEEN[:2],
                                    'memory-type visible+cached 0', 'memory-type visible+coherent 0'))
    check('could not be read (VkResult -1)' in result.err, f'nothing is told: {result}')


def failing_late(test):
    """The same with contents that are copied after the cut."""
    test.env['VITRINE_LATE'] = '0,0'
    failing_trigger(test, *UNSEEN)


def lost_late(test):
    """The device is lost before all contents are copied: the trace is kept, and says what is missing."""
    test.need_display()
    test.env['VITRINE_LATE'] = '0,60000'
    for nth in (16, 20, 24):
        trace = test.capture(app('demo-late'), '--frames', '9', '--window', frames=2, status=None,
                             options=['--at-frame', '2'], output=test.path(f'{nth}.gfxtrace'),
                             **mock.driver(f'lose vkQueueSubmit {nth}', *UNSEEN))
        check(os.path.exists(trace), f'no trace: {test.captured}')
        check('are not in the trace' in test.captured.err, f'nothing is told: {test.captured}')
        check(test.info(trace)['initial_commands'] > 0, f'no beginning: {test.captured}')


def failing_replay(test):
    """Whatever fails in a replay, there is a sentence and a status, and the next one is as ever."""
    names = mock.Names()
    trace = test.capture(app('draws'), **mock.driver())
    draws = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
    picture = ('screenshot', '--at', draws[-1], '-o', test.path('picture.png'), trace)
    log = test.cli(*picture, **mock.driver('log stderr'))
    counts = {}
    for call in mock.read_replay(log)[0]:
        about = names.commands[call['name']]
        if about['returns'] and 'query' not in about['classes']:
            counts[call['name']] = counts.get(call['name'], 0) + 1
    check(len(counts) > 15, f'the replay calls {counts}')
    failed = 0
    for name, n in counts.items():
        rules = [f'fail {name} {n} VK_ERROR_OUT_OF_DEVICE_MEMORY']
        if name in ('vkAllocateMemory', 'vkQueueSubmit', 'vkWaitForFences'):
            rules += [f'fail {name} 1 VK_ERROR_OUT_OF_DEVICE_MEMORY', f'lose {name} {n}']
        for rule in rules:
            result = test.cli(*picture, status=None, **mock.driver(rule))
            said = [line for line in result.err.splitlines() if line.startswith('vitrine-cli: ')]
            check(result.status == 0 or said and len(said[-1]) > 35,
                  f'{rule}: no sentence: {result}')
            failed += result.status != 0
    check(failed > 20, f'{failed} failures were noticed')
    test.note(f'{failed} failures, {len(counts)} commands')
    test.cli(*picture, **mock.driver())


def left_out(test):
    """Contents that a recording from the middle of a run could not take: whoever captures is told, and so is
    whoever looks at the trace later; the rest of it is there and replays."""
    test.need_display()
    unable = 'fail vkCreateComputePipelines * VK_ERROR_OUT_OF_DEVICE_MEMORY'
    for rules, missing in (([], False), ([unable], True)):
        trace = test.capture(app('demo-depths'), '--frames', '6', '--window', options=['--at-frame', '2'],
                             frames=2, output=test.path(f'{missing}.gfxtrace'), **mock.driver('strict', *rules))
        told = [line for line in test.captured.err.splitlines()
                if line.startswith('vitrine-cli: ') and 'are not in the trace' in line]
        kept = test.info(trace)['notices']
        shown = json.loads(test.cli('get', trace, 'report').out)
        items = [item for item in shown['entries'] if 'are not in the trace' in item['text']]
        check_equal([len(told), len(kept), len(items)], [1, 1, 1] if missing else [0, 0, 0],
                    f'what is said: {told}, {kept}, {items}')
        if missing:
            check('could not make what reads single samples' in kept[0], f'why: {kept}')
            check(kept[0] in told[0] and items[0]['text'] == kept[0], f'others: {told}, {items}')
        result = test.replay(trace, **mock.driver('strict', 'log stderr'))
        check(result.json()['ok'], f'the replay failed: {result}')
        check_equal(mock.read_replay(result)[1], [], 'what the replay did wrong')


def lost_and_found(test):
    """A device that is lost, or a driver that dies, takes the picture with it that was being made,
    not those that are asked for afterwards."""
    trace = test.capture(app('draws'), **mock.driver())
    draws = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
    paths = [word for draw in draws
             for word in ('--path', f'commands/{draw}/framebuffer/color0')]
    for rule, status in ((None, 0), ('lose vkQueueSubmit 4', 5), ('crash vkQueueSubmit 9', 5)):
        folder = test.folder('pictures')
        result = test.cli('screenshot', *paths, '-o', folder, trace, status=status,
                          **mock.driver(*([rule] if rule else [])))
        said = [line for line in result.err.splitlines()
                if line.startswith('vitrine-cli: ') and 'vkQueueSubmit' in line]
        made = len(os.listdir(folder))
        check_equal(made + len(said), len(draws), f'{rule}: pictures and sentences of {result}')
        check(made >= 3 and (rule is None) == (not said), f'{rule}: {made} pictures')
        shutil.rmtree(folder)


def lost_waits(test):
    """Whichever wait for the device finds it lost, the replay's own ones too: the replay ends there and then, and
    says which command it was."""
    test.need_display()
    trace = test.capture(app('present'), '--frames', '3', **mock.driver())
    waits = [c for c in test.commands(trace) if c['name'] in
             ('vkDeviceWaitIdle', 'vkDestroySwapchainKHR', 'vkDestroyDevice')]
    check(len(waits) > 4, f'the program waits: {waits}')
    for n, command in enumerate(waits, 1):
        result = test.replay(trace, status=5,
                             **mock.driver(f'fail vkDeviceWaitIdle {n} VK_ERROR_DEVICE_LOST'))
        check_equal(result.json()['error']['command'], command['index'], f'wait {n}: {result}')
        check('VK_ERROR_DEVICE_LOST' in sentence(result, f'wait {n}'), f'wait {n}: {result}')
        check(result.seconds < 20, f'wait {n}: at once: {result}')


def destroyed_twice(test):
    """What a trace destroys twice, or after its pool, the driver destroys once; the report names each."""
    for capture in ((), ('handles reuse',), ('handles equal',)):
        trace = test.capture(app('twice'), **mock.driver(*capture))
        result = test.replay(trace, **mock.driver('strict', 'log stderr'))
        check(result.json()['ok'], f'{capture}: {result}')
        calls, violations = mock.read_replay(result)
        check_equal(violations, [], f'{capture}: what the driver saw')
        names = [call['name'] for call in calls]
        for name, n in (('vkDestroyBuffer', 1), ('vkDestroyDescriptorPool', 1)):
            check_equal(names.count(name), n, f'{capture}: calls of {name}')
        dead = {}
        for entry in json.loads(test.cli('get', trace, 'report').out)['entries']:
            if entry.get('check') == 'invalid-handle':
                dead[entry['command']] = entry['text']
        late = [c for c in test.commands(trace) if c['index'] in dead]
        check_equal([c['name'] for c in late],
                    ['vkDestroyFence', 'vkDestroyBuffer', 'vkFreeMemory', 'vkFreeDescriptorSets',
                     'vkFreeDescriptorSets'], f'{capture}: {dead}')


def dying_replay(test):
    """A driver that crashes, or ends the process, is a sentence that names the command."""
    trace = test.capture(app('compute'), '--rounds', '2', **mock.driver())
    for rule in ('exit vkCreateDevice 1 0', 'crash vkCreateComputePipelines 1',
                 'exit vkCreateComputePipelines 1 0', 'exit vkQueueSubmit 1 3'):
        result = test.replay(trace, status=None, **mock.driver(rule))
        said = sentence(result, rule)
        check(rule.split()[1] in said, f'{rule}: {said}')
        check(result.seconds < 60, f'{rule}: took {result.seconds} s')
        test.note(said)


def lacking(test):
    """A device that has less than the trace needs: the report says what before anything runs, and
    the replay says why it fails."""
    trace = test.capture(app('draws'), '--dynamic', **mock.driver())
    for rule, what, word in (
            ('limit maxImageDimension2D 16', 'limit', 'does not support images'),
            ('limit maxPushConstantsSize 4', 'limit', 'maxPushConstantsSize'),
            ('limit maxColorAttachments 0', 'limit', 'maxColorAttachments'),
            ('queue-family compute+transfer 1', 'queues', 'no queues'),
            ('queue-family transfer 1;queue-family sparse 1', 'queues', 'no queues'),
            ('without dynamicRendering', 'feature', 'dynamicRendering'),
            ('without VK_KHR_dynamic_rendering', None, ''),
            ('memory-heap 4096 device;memory-type device+visible+coherent 0', None,
             'OUT_OF_DEVICE_MEMORY'),
            ('memory-heap 0x10000000 device;memory-type device 0', None, 'MEMORY'),
            ('memory-heap 0x10000000;memory-type visible+coherent 0', None, '')):
        env = mock.driver('device-name Less', 'device-id 1', 'strict', *rule.split(';'))
        report = test.cli('replay', '--check', '--json', trace, status=None, **env).json()
        errors = [f for f in report['findings'] if f['level'] == 'error']
        result = test.replay(trace, status=None, **env)
        check_equal(report['possible'], what is None, f'{rule}: possible: {report}')
        check(what in [f['what'] for f in errors] or what is None, f'{rule}: {report}')
        if word:
            check(word in sentence(result, rule), f'{rule}: {result}')
        else:
            check(result.json()['ok'], f'{rule}: {result}')
    result = test.replay(trace, status=None, **mock.driver('devices 0'))
    check('no' in sentence(result, 'no device').lower(), f'no device: {result}')


def interrupted_replay(test):
    """Ctrl+C ends a replay whose driver does not come back, and nothing is left of it."""
    trace = test.capture(app('compute'), '--rounds', '2', **mock.driver())
    log = test.path('err.log')
    with open(log, 'wb') as err:
        process = harness.start([harness.CLI, 'replay', trace],
                                {**test.env, **mock.driver('log stderr',
                                                           'latency vkQueueSubmit 1 900000000')},
                                cwd=test.dir, stdout=subprocess.DEVNULL, stderr=err)
    try:
        wait_until(lambda: '"name":"vkAllocateCommandBuffers"' in text(log), 'the replay begins')
        below = harness.descendants(process.pid)
        check(below, 'there is no replayer')
        process.send_signal(signal.SIGINT)
        check_equal(process.wait(harness.PATIENCE * 20), 130, 'status')
        wait_until(lambda: not any(os.path.exists(f'/proc/{pid}') for pid in below),
                   'the replayer ends')
    finally:
        harness.end_group(process)
        process.wait()


def interrupted_loading(test):
    """So does one whose driver is stuck while it loads, whoever asks first for a device."""
    trace = test.capture(app('compute'), '--rounds', '2', **mock.driver())
    stuck = mock.driver('latency vkCreateInstance * 900000000')
    for verb, number in ((('replay', trace), signal.SIGINT), (('devices',), signal.SIGTERM),
                         (('replay', '--check', trace), signal.SIGTERM)):
        process = harness.start([harness.CLI, *verb], {**test.env, **stuck}, cwd=test.dir,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: harness.descendants(process.pid), f'{verb[0]}: the replayer starts')
            time.sleep(0.5)
            below = harness.descendants(process.pid)
            process.send_signal(number)
            check_equal(process.wait(harness.PATIENCE * 10), 130, f'{verb[0]}: status')
            wait_until(lambda: not any(os.path.exists(f'/proc/{pid}') for pid in below),
                       f'{verb[0]}: the replayer ends')
        finally:
            harness.end_group(process)
            process.wait()


harness.main(every_call, some_handles, lost_program, failing_trigger, failing_queries, unreadable, failing_late, lost_late,
             failing_replay,
             left_out, lost_and_found, lost_waits, destroyed_twice, dying_replay, lacking, interrupted_replay,
             interrupted_loading)
