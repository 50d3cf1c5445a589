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


if __name__ == '__main__':
    harness.main(('launch', kept(False)), ('midrun', kept(True)),
                 ('refused', refused(False)), ('refused-midrun', refused(True)),
                 ('not-offered', not_offered), ('unable', unable), ('imported', imported))
