#!/usr/bin/env python3
"""On the mock driver: device addresses that a driver gives back, as those of GPUs do. The driver's
addresses begin elsewhere in each run, and have nothing to do with where bytes lie in the process."""

import harness
import mock
from harness import app, check, check_equal

CAPTURED, REPLAYED = 'opaque 0x300000000000', 'opaque 0x510000000000'
FEATURE = 'without bufferDeviceAddressCaptureReplay'
# The structures that give addresses back.
GIVEN = {'vkAllocateMemory': 1000257003, 'vkCreateBuffer': 1000257002}
IMPORT = 1000178000
WANTED = {'vkAllocateMemory': 0x4, 'vkCreateBuffer': 0x10}   # their flags
N_TOLD = 4   # demo-address asks for so many


def capture(test, at, *lines, allowed=()):
    """The trace of a program, and what the driver was called for. `allowed`: violations."""
    test.need_display()
    log = test.path('capture.log')
    trace = test.capture(app('demo-address'), '--window', '--frames', '6',
                         options=['--at-frame', '2'] if at else [], frames=2,
                         **mock.driver('strict', f'log {log}', CAPTURED, *lines))
    calls, violations = mock.read_log(log)
    wrong = {violation['text'] for violation in violations} - set(allowed)
    check_equal(wrong, set(), 'what the layer did wrong')
    return trace, calls


def links(call):
    """What is chained to what the call is given, by type."""
    info = call['args'].get('pAllocateInfo') or call['args']['pCreateInfo']
    info = info[0] if isinstance(info, list) else info
    return info, {link['sType']: link for link in info['pNext'] or []}


def count_given(calls, name):
    """How many of these calls gave an address back, and did it succeed."""
    return [call['result'] for call in calls
            if call['name'] == name and GIVEN[name] in links(call)[1]]


def addresses(calls):
    """What was pushed: addresses are the first numbers of it."""
    return [call['args']['pValues'] for call in calls if call['name'] == 'vkCmdPushConstants']


def replay(test, trace, *lines, options=(), status=0, allowed=()):
    result = test.replay(trace, *options, status=status, **mock.driver('strict', 'log stderr', *lines))
    calls, violations = mock.read_replay(result)
    wrong = {violation['text'] for violation in violations} - set(allowed)
    check_equal(wrong, set(), 'what the replay did wrong')
    return result, calls


def pushed(test, trace):
    """What the program pushed, as the driver's log has it."""
    return [c['parameters']['pValues'] for c in test.commands(trace)
            if c['name'] == 'vkCmdPushConstants']


def check_exact(test, trace, *lines):
    """The replay's objects are where they were, and the report says so."""
    result, calls = replay(test, trace, *lines)
    report = result.json()
    check(report['ok'], f'the replay failed: {result}')
    check_equal(report.get('addresses'), {'guaranteed': True, 'kept': N_TOLD}, 'addresses')
    for name in GIVEN:
        given = count_given(calls, name)
        check(given and set(given) == {0}, f'{name} was given {given}')
    comparison = mock.Comparison(mock.Names())
    comparison.value(pushed(test, trace), addresses(calls), 'pushed', '')
    check_equal(comparison.difference, None, 'pushed constants')
    imports = [c for c in calls if c['name'] == 'vkAllocateMemory' and IMPORT in links(c)[1]]
    check(len(imports) <= 1, f'more than once is tried to import memory: {imports}')


def check_guessed(test, trace, *lines):
    """They lie elsewhere; what points to them is changed, and nothing is promised."""
    result, calls = replay(test, trace, *lines)
    report = result.json()
    check(report['ok'], f'the replay failed: {result}')
    said = report.get('addresses')
    check(said is not None and said['guaranteed'] is False and said['changed'] > 0, f'{report}')
    comparison = mock.Comparison(mock.Names())
    values = addresses(calls)
    comparison.value(pushed(test, trace), values[-len(pushed(test, trace)):], 'pushed', '')
    check(comparison.difference is not None, 'addresses were not changed')
    refused, _ = replay(test, trace, *lines, options=['--addresses', 'exact'], status=5)
    check('cannot be there' in refused.err, f'no sentence: {refused}')


def kept(at):
    """Another process of the same driver gives the addresses back."""
    def body(test):
        trace, calls = capture(test, at)
        for name, flag in WANTED.items():
            asked = [c for c in calls if c['name'] == name]
            check(asked and not count_given(asked, name), f'{name}: addresses are given in the capture')
            info = [links(c) for c in asked]
            flags = [i['flags'] if name == 'vkCreateBuffer' else
                     next((link['flags'] for t, link in chain.items() if t == 1000060000), 0)
                     for i, chain in info]
            check(any(mock.Names().number(str(f)) & flag for f in flags), f'{name}: {flags}')
        check_exact(test, trace, REPLAYED)
    return body


def refused(at):
    """A driver that gives no address back, or not this one: they are guessed, and that is said."""
    def body(test):
        trace, _ = capture(test, at)
        check_guessed(test, trace, REPLAYED + ' refuse')
        check_guessed(test, trace, REPLAYED, FEATURE)
    return body


def not_offered(test):
    """A capture without the feature has nothing to give back; the next driver would take it."""
    trace, calls = capture(test, False, FEATURE)
    check(not [c for c in calls if c['name'] == 'vkGetBufferOpaqueCaptureAddress'], 'it was asked')
    check_guessed(test, trace, REPLAYED)


def unable(test):
    """A driver that fails where it is asked for more than the program asks: the program sees nothing."""
    for rule, allowed in (
            ('fail vkCreateDevice 1 VK_ERROR_INITIALIZATION_FAILED', ()),
            ('fail vkCreateBuffer odd VK_ERROR_OUT_OF_DEVICE_MEMORY', ()),
            # The buffers are there when the memory turns out to be what it is.
            ('fail vkAllocateMemory odd VK_ERROR_OUT_OF_DEVICE_MEMORY',
             ['a buffer that can be asked for again in memory that cannot'])):
        trace, _ = capture(test, False, rule, allowed=allowed)
        results = {c['result'] for c in test.commands(trace)
                   if c['name'] in ('vkCreateDevice', 'vkCreateBuffer', 'vkAllocateMemory')}
        check_equal(results, {'VK_SUCCESS'}, f'{rule}: results')
        report = replay(test, trace, REPLAYED, allowed=allowed)[0].json()
        check_equal(report['addresses']['guaranteed'], 'vkCreateBuffer' in rule, f'{rule}: {report}')


def imported(test):
    """Where addresses are those of the bytes, memory is put there as ever."""
    test.need_display()
    trace = test.capture(app('demo-address'), '--window', '--frames', '6', frames=2,
                         **mock.driver('strict'))
    result, calls = replay(test, trace)
    check_equal(result.json().get('addresses'), {'guaranteed': True, 'kept': N_TOLD}, 'addresses')
    check(not any(count_given(calls, name) for name in GIVEN), 'opaque addresses are given back')


# --- Ray tracing: acceleration structures and shader groups ---

STRUCTURE, PIPELINES = 'vkCreateAccelerationStructureKHR', 'vkCreateRayTracingPipelinesKHR'
STRUCTURE_FLAG, GROUP_FLAG = 0x1, 0x80000
TELL = {'vkGetAccelerationStructureDeviceAddressKHR': 'structures',
        'vkGetRayTracingShaderGroupHandlesKHR': 'groups'}
STRUCTURES_MISSING = 'without accelerationStructureCaptureReplay'
GROUPS_MISSING = 'without rayTracingPipelineShaderGroupHandleCaptureReplay'
MIXED_MISSING = GROUPS_MISSING + 'Mixed'
N_GROUPS = 4   # of the pipeline that the program asks for handles


def everything(test, trace):
    return test.commands(trace, '--initial') + test.commands(trace)


def capture_rays(test, at, *lines):
    """The trace of a program with a library and a structure that is older than its memory."""
    test.need_display()
    log = test.path('capture.log')
    trace = test.capture(app('demo-rays'), '--window', '--frames', '6',
                         options=['--at-frame', '2'] if at else [], frames=2,
                         **mock.driver('strict', f'log {log}', CAPTURED, *lines))
    calls, violations = mock.read_log(log)
    check_equal([v['text'] for v in violations], [], 'what the layer did wrong')
    deferred = {c['args']['deferredOperation'] for c in calls if c['name'] == PIPELINES}
    check_equal(deferred, {'0x0'}, 'operations that pipelines are deferred to')
    results = {c['result'] for c in everything(test, trace) if c['name'] == PIPELINES}
    check_equal(results, {'VK_OPERATION_NOT_DEFERRED_KHR'}, 'what the program is told of that')
    return trace, calls


def structures(calls):
    """What structures are made with: their flags, and the addresses that are asked for."""
    infos = [c['args']['pCreateInfo'] for c in calls if c['name'] == STRUCTURE]
    infos = [info[0] if isinstance(info, list) else info for info in infos]
    return [(mock.Names().number(str(info['createFlags'])), info['deviceAddress']) for info in infos]


def groups(calls):
    """The same of pipelines: their flags, and for each group whether its handle is asked for."""
    infos = [info for c in calls if c['name'] == PIPELINES for info in c['args']['pCreateInfos']]
    return [(mock.Names().number(str(info['flags'])),
             [group['pShaderGroupCaptureReplayHandle'] != {'address': '0x0'} for group in info['pGroups']])
            for info in infos]


def told(calls):
    """What the driver says when it is asked for addresses and handles."""
    return {kind: [c['args']['pData'] if 'pData' in c['args'] else c['result'] for c in calls
                   if c['name'] == name] for name, kind in TELL.items()}


def replay_rays(test, trace, *lines, options=(), status=0):
    result, calls = replay(test, trace, *lines, options=options, status=status)
    return result, calls


def check_rays(test, trace, calls, *lines, kept=True):
    """Replayed, handles are those of the capture, or are said not to be. The addresses are, too."""
    result, replayed = replay_rays(test, trace, *lines)
    report = result.json()
    check(report['ok'], f'the replay failed: {result}')
    check_equal(report['addresses']['guaranteed'], True, 'addresses')
    n = len([c for c in everything(test, trace) if c['name'] == 'vkGetRayTracingShaderGroupHandlesKHR'])
    check(n > 0, 'nobody asks for handles')
    check_equal(report['groups'], {'guaranteed': kept, 'kept': n * N_GROUPS * kept,
                                   'changed': n * N_GROUPS * (not kept)}, 'groups')
    here, there = told(replayed), told(calls)
    check(set(here['structures']) <= set(there['structures']), 'structures lie elsewhere')
    check(bool(set(map(str, here['groups'])) & set(map(str, there['groups']))) == kept,
          f'handles are {here["groups"]}, were {there["groups"]}')
    return result, replayed


def rays_kept(at):
    """Another process of the same driver gives addresses and handles back, those of a library, too."""
    def body(test):
        trace, calls = capture_rays(test, at)
        check(all(flags & STRUCTURE_FLAG and not address for flags, address in structures(calls)),
              f'structures in the capture: {structures(calls)}')
        check(all(flags & GROUP_FLAG and not any(given) for flags, given in groups(calls)),
              f'groups in the capture: {groups(calls)}')
        for lines in (), (MIXED_MISSING,):
            result, replayed = check_rays(test, trace, calls, REPLAYED, *lines)
            check(all(flags & STRUCTURE_FLAG for flags, _ in structures(replayed)), 'flags of structures')
            # But for the one that is never built, and nobody asks for: its address is known as well.
            check(all(address for _, address in structures(replayed)),
                  f'structures: {structures(replayed)}')
            made = groups(replayed)
            # The first pipeline of the program is gone when the recording begins in its run.
            check_equal(len(made), 2 if at else 3, 'pipelines')
            check(all(flags & GROUP_FLAG and all(given) for flags, given in made), f'groups: {made}')
        check('group handles match the capture' in
              test.cli('replay', trace, **mock.driver(REPLAYED)).out, 'nothing is said of groups')
    return body


def rays_refused(at):
    """A driver that gives one of them back and not the other, or that cannot."""
    def body(test):
        trace, calls = capture_rays(test, at)
        for lines in (REPLAYED + ' refuse-structures',), (REPLAYED, STRUCTURES_MISSING):
            result, _ = replay_rays(test, trace, *lines)
            report = result.json()
            check(report['ok'] and not report['addresses']['guaranteed'], f'{lines}: {report}')
            refusal, _ = replay_rays(test, trace, *lines, options=['--addresses', 'exact'], status=5)
            check('of an acceleration structure' in refusal.err, f'no sentence: {refusal}')
        for lines in ((REPLAYED + ' refuse-groups',), (REPLAYED + ' refuse-groups', MIXED_MISSING),
                      (REPLAYED, GROUPS_MISSING)):
            check_rays(test, trace, calls, *lines, kept=False)
            out = test.cli('replay', trace, **mock.driver(*lines)).out
            check('shader group handles differ' in out, f'nothing is said of groups: {out}')
    return body


def rays_not_offered(test):
    """A capture without the features has nothing to give back."""
    trace, calls = capture_rays(test, False, STRUCTURES_MISSING, GROUPS_MISSING)
    check_equal({flags & STRUCTURE_FLAG for flags, _ in structures(calls)}, {0}, 'flags of structures')
    check_equal({flags & GROUP_FLAG for flags, _ in groups(calls)}, {0}, 'flags of groups')
    result, replayed = replay_rays(test, trace, REPLAYED)
    report = result.json()
    check(report['ok'], f'the replay failed: {result}')
    check_equal((report['addresses']['guaranteed'], report['groups']['guaranteed']), (False, False),
                'guarantees')
    check(not any(any(given) for _, given in groups(replayed)), 'handles are given back')


def rays_unable(test):
    """A driver that fails where it is asked for more than the program asks: the program sees nothing."""
    for command in STRUCTURE, PIPELINES:
        # The first of each is asked for without; libraries and what they become part of agree.
        trace, calls = capture_rays(test, False, f'fail {command} 1 VK_ERROR_OUT_OF_DEVICE_MEMORY',
                                    f'fail {command} 4 VK_ERROR_OUT_OF_DEVICE_MEMORY')
        made = [c['result'] for c in everything(test, trace) if c['name'] == command]
        check(all(result in ('VK_SUCCESS', 'VK_OPERATION_NOT_DEFERRED_KHR') for result in made),
              f'the program sees {made}')
        report = replay_rays(test, trace, REPLAYED)[0].json()
        check(report['ok'], f'the replay failed: {report}')
        check_equal(report['groups']['guaranteed'], command != PIPELINES, f'{command}: groups')
        check_equal(report['addresses']['guaranteed'], command != STRUCTURE, f'{command}: addresses')


if __name__ == '__main__':
    harness.main(('launch', kept(False)), ('midrun', kept(True)),
                 ('refused', refused(False)), ('refused-midrun', refused(True)),
                 ('not-offered', not_offered), ('unable', unable), ('imported', imported),
                 ('rays', rays_kept(False)), ('rays-midrun', rays_kept(True)),
                 ('rays-refused', rays_refused(False)), ('rays-refused-midrun', rays_refused(True)),
                 ('rays-not-offered', rays_not_offered), ('rays-unable', rays_unable))
