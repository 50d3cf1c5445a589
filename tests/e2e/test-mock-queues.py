#!/usr/bin/env python3
"""On the mock driver: several queue families, queues and devices at once, recorded from the launch
and in the middle of a run, replayed on the same device and on one whose families are others."""

import harness
import mock
from harness import app, check, check_equal
from trigger import Capture, wait_until

FAMILIES = ('queue-family graphics+compute+transfer 2', 'queue-family transfer 2',
            'queue-family compute+transfer 1')
OTHER = ('device-id 1', 'device-name Other', 'queue-family transfer 1',
         'queue-family compute+transfer 2', 'queue-family graphics+compute+transfer 4')
ONE = ('device-id 2', 'device-name One', 'queue-family graphics+compute+transfer 1')


def family_of(lines, family):
    """What the line of a family says it can do."""
    return lines[family].split()[1] if family < len(lines) else None


def submissions(calls, lines):
    """What the families of the queues can do, in the order of their submissions."""
    queues, found = {}, []
    families = [line for line in lines if line.startswith('queue-family')]
    for call in calls:
        args = call['args']
        if call['name'] == 'vkGetDeviceQueue':
            queues[args['pQueue']] = family_of(families, args['queueFamilyIndex'])
        elif call['name'] in ('vkQueueSubmit', 'vkQueueSubmit2', 'vkQueueSubmit2KHR'):
            found.append(queues.get(args['queue']))
    return found


def replays(test, trace, lines):
    result = test.replay(trace, **mock.driver('strict', 'log stderr', *lines))
    check(result.json()['ok'], f'the replay failed: {result}')
    calls, violations = mock.read_replay(result)
    check_equal(violations, [], 'what the replay did wrong')
    return submissions(calls, lines)


def queues(options):
    def body(test):
        test.need_display()
        log = test.path('capture.log')
        trace = test.capture(app('demo-queues'), '--frames', '6', '--window', options=options,
                             frames=2 if options else None,
                             **mock.driver('strict', f'log {log}', *FAMILIES))
        calls, violations = mock.read_log(log)
        check_equal(violations, [], 'what the layer did wrong')
        live = submissions(calls, FAMILIES)
        check(len(set(live)) > 1, f'the program used one family: {live}')
        if not options:
            mock.compare(mock.Names(), test.commands(trace), calls)
        same = replays(test, trace, FAMILIES)
        check(len(set(same)) > 1, f'the replay used one family: {same}')
        other = replays(test, trace, OTHER)
        check(other.count('graphics+compute+transfer') >= same.count('graphics+compute+transfer'),
              f'work of graphics went elsewhere: {same} became {other}')
        result = test.replay(trace, status=None, **mock.driver('strict', *ONE))
        check(result.json()['ok'] or 'queue' in result.err, f'one queue: {result}')
    return body


def devices(options):
    def body(test):
        test.need_display()
        log = test.path('capture.log')
        lines = ('devices 2', 'handles reuse')
        trace = test.capture(app('demo-devices'), '--frames', '6', '--window', options=options,
                             frames=2 if options else None,
                             **mock.driver('strict', f'log {log}', *lines))
        calls, violations = mock.read_log(log)
        check_equal(violations, [], 'what the layer did wrong')
        if not options:
            mock.compare(mock.Names(), test.commands(trace), calls)
        replays(test, trace, lines)
    return body


def twins(options):
    """A driver that counts the handles of each device from the same number: what is recorded and shown is
    right, and the replay gives each device its own."""
    def body(test):
        test.need_display()
        log = test.path('capture.log')
        lines = ('devices 2', 'handles equal')
        trace = test.capture(app('demo-devices'), '--frames', '6', '--window', options=options,
                             frames=2 if options else None, **mock.driver('strict', f'log {log}', *lines))
        calls, violations = mock.read_log(log)
        check_equal(violations, [], 'what the layer did wrong')
        if not options:
            mock.compare(mock.Names(), test.commands(trace), calls)
        test.cli('get', trace, 'objects')
        live = submissions(calls, lines)
        for driver in (lines, lines[:1]):
            same = replays(test, trace, driver)
            check(len(same) >= len(live) if not options else len(same) > 0, f'{len(live)} became {len(same)}')
    return body


def rings(n_queues):
    """Queues that wait on each other with work always outstanding: every capture is made, with the state of
    all semaphores, and the program comes to its end."""
    def body(test):
        until = test.path('until')
        capture = Capture(test, '--idle', '--frames', '6', '--', app('rings'), '--queues', str(n_queues),
                          '--until', until, display=False, **mock.driver('strict', *RINGS))
        try:
            capture.wait_ready()
            # On a busy machine half a second may be too short for all threads to have their turn.
            declined = 'vitrine-cli: No capture could be made here'
            for number in range(1, 13):
                test.cli('trigger', str(capture.process.pid))
                wait_until(lambda: len(capture.traces()) + capture.errors().count(declined) >= number,
                           'an answer', capture.process)
                if len(capture.traces()) == 3:
                    break
            traces = capture.traces()
            check(len(traces) == 3, f'{len(traces)} traces: {capture.errors()}')
            with open(until, 'w', encoding='ascii'):
                pass
            capture.wait_end()
        finally:
            capture.close()
        check('{"rounds": ' in capture.errors(), f'the program did not come to its end: {capture.errors()}')
        check('violation' not in capture.errors(), f'what the layer did wrong: {capture.errors()}')
        for trace in traces:
            recorded = [command['name'] for command in test.commands(trace['path'])].count('vkQueueSubmit')
            check(recorded >= 6, f'{trace}: {recorded} submissions')
            check(len(replays(test, trace['path'], RINGS)) >= recorded, f'{trace}: submissions are missing')
    return f'rings-{n_queues}', body


def copied_on(calls, read):
    """Families on which the layer copied the images of app-families at the cut, in the order of these images; None: it did
    not. `read`: the program copied them before."""
    images = [call['args']['pImage'] for call in calls if call['name'] == 'vkCreateImage'][:2]
    queues, recorded, found, own = {}, {}, {}, None
    for call in calls:
        name, args = call['name'], call['args']
        if name == 'vkGetDeviceQueue':
            queues[args['pQueue']] = args['queueFamilyIndex']
        elif name == 'vkBeginCommandBuffer':
            recorded[args['commandBuffer']] = []
        elif name == 'vkCmdCopyImageToBuffer':
            own = own or (args['dstBuffer'] if read else 'none')
            if args['dstBuffer'] != own:
                recorded[args['commandBuffer']].append(args['srcImage'])
        elif name == 'vkQueueSubmit':
            for commands in [each for info in args['pSubmits'] or [] for each in info['pCommandBuffers'] or []]:
                found.update({image: queues[args['queue']] for image in recorded.get(commands, ())})
    return [found.get(image) for image in images]


def families(masks, expected, *options):
    """Images are copied on a queue of the family that has them, or of one that the driver gives them to and takes them from
    as they are, whoever of those that may have got them without a transfer has them. `masks`: of families that may go on
    with an image of each; `expected`: a family for each image, None: no queue can copy it as it is."""
    def body(test):
        if test.run([app('families'), '--frames', '1'], **mock.driver(*FAMILIES)).status == 77:
            raise harness.Skip('the headers know no VK_KHR_maintenance9')
        log = test.path('capture.log')
        lines = mock.driver('strict', f'log {log}',
                            *(f'{line} {mask}' for line, mask in zip(FAMILIES, masks)))
        lines['VITRINE_PASS_UNKNOWN'] = '0'
        trace = test.capture(app('families'), *options, '--frames', '5', frames=2, options=MIDRUN, **lines)
        calls, violations = mock.read_log(log)
        check_equal(violations, [], 'what the layer did wrong')
        check_equal(copied_on(calls, '--depth' not in options), expected, 'families that the layer copied on')
        check_equal('the queues that own it cannot copy it' in test.captured.err, None in expected,
                    f'what is missing is told: {test.captured}')
        replays(test, trace, FAMILIES)
    return body


RINGS = ('queue-family graphics+compute+transfer 2', 'queue-family compute+transfer 2')
MIDRUN = ['--at-frame', '2']
harness.main(('queues', queues([])), ('queues-midrun', queues(MIDRUN)),
             ('devices', devices([])), ('devices-midrun', devices(MIDRUN)), rings(2), rings(4),
             ('twins', twins([])), ('twins-midrun', twins(MIDRUN)),
             # The second family has the first image, which it moved, and may only read the other one.
             ('families-apart', families((0, 0, 0), [1, 0])),
             ('families-together', families((7, 7, 7), [1, 0])),
             # The first gives images to the second, but not the other way; the third takes all and gives them back.
             ('families-one-way', families((6, 4, 3), [2, 2])),
             # The second family cannot copy depth, the first can.
             ('families-depth-apart', families((0, 0, 0), [None, 0], '--depth')),
             ('families-depth-together', families((7, 7, 7), [0, 0], '--depth')))
