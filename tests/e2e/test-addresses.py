#!/usr/bin/env python3
"""Programs that use device addresses, replayed where their buffers lie elsewhere: values in their data
that look like addresses are changed, counted, and said not to be guaranteed.

The other device is tests/other-driver, which can be told not to import memory, so that nothing can be
put back to its place, and to put everything further on than where lavapipe would.

Arguments choose among the tests: `test-addresses.py pointers`."""

import os

import harness
from demos import DEMOS, Demo
from harness import Frame, LAVAPIPE, SWIFTSHADER, app, check, check_equal
from pictures import compare_all

OTHER = os.path.join(harness.BUILD, 'tests', 'other-driver', 'other_icd.json')
SHIFTED = {'VK_ICD_FILENAMES': OTHER, 'OTHER_DRIVER_SHIFT': '0x12340'}
# It does not say that it imports memory; or it does, and it is not true.
ELSEWHERE = {**SHIFTED, 'OTHER_DRIVER_HIDES': 'VK_EXT_external_memory_host'}
UNABLE = {**SHIFTED, 'OTHER_DRIVER_IMPORTS': '0'}
N_FRAMES = 2
AT = 2
CHANNEL, TEXELS = 3, 0.02  # as of test-second-driver.py

PROGRAMS = {**DEMOS, 'address-update': Demo(4, '--update', program='address'),
            'address-inline': Demo(4, '--inline', program='address')}

# What the GPU wrote to mapped memory is in the trace if it was seen there.
SEEN_ONE, SEEN_TWO = (0, 1), (0, 2)

# Values in a trace of two frames, from launch and from the middle of a run.
COUNTS = {
    'address': ({'memory': 2, 'vkCmdPushConstants': 4}, {'memory': 2, 'vkCmdPushConstants': 4}),
    'address-update': ({'vkCmdUpdateBuffer': 4, 'vkCmdPushConstants': 4, 'memory': SEEN_TWO},
                       {'vkCmdUpdateBuffer': 4, 'vkCmdPushConstants': 4, 'memory': 2}),
    'address-inline': ({'memory': 2, 'vkCmdPushConstants': 2, 'VkWriteDescriptorSetInlineUniformBlock': 1},
                       {'memory': 2, 'vkCmdPushConstants': 2, 'VkWriteDescriptorSetInlineUniformBlock': 1}),
    # Three dispatches and two draws, and the place in mapped memory that the GPU puts the list's head
    # to; then two of each, and eight pointers that the GPU has stored.
    'pointers': ({'VkSpecializationInfo': 2, 'vkCmdPushConstants': 8, 'memory': SEEN_ONE},
                 {'VkSpecializationInfo': 2, 'vkCmdPushConstants': 6, 'memory': 8}),
}


def capture(test, name, at, driver=LAVAPIPE, **extra):
    """Returns: the trace, and the folder with the frames of its part of the run."""
    test.need_display()
    live = test.folder('all')
    program = [*PROGRAMS[name].argv(app), '--window', '--frames', str(AT + N_FRAMES + 1)]
    trace = test.capture(*program, frames=N_FRAMES, witness=live,
                         options=['--at-frame', str(at)] if at is not None else [],
                         VK_ICD_FILENAMES=driver, **extra)
    names = harness.frame_names(live)
    first = test.folder('live')
    check(len(names) >= (at or 0) + N_FRAMES, f'the witness saw {len(names)} frames')
    for i in range(N_FRAMES):
        harness.copy_frame(live, names[(at or 0) + i], first, i)
    return trace, first


def check_counts(said, counts):
    check_equal(said['guaranteed'], False, 'guaranteed')
    check_equal(said['changed'], sum(said['places'].values()), 'the sum of changed values')
    for place in {*counts, *said['places']}:
        expected, got = counts.get(place, 0), said['places'].get(place, 0)
        check(got in expected if isinstance(expected, tuple) else got == expected,
              f'{got} values in {place}, not {expected}: {said}')


def check_report(report, counts):
    check(report['ok'], f'the replay failed: {report}')
    said = report.get('addresses')
    check(said is not None, f'nothing is said of addresses: {report}')
    check_counts(said, counts)


def check_findings(test, trace, env, counts):
    """The compatibility report says it before anything runs."""
    report = test.cli('replay', '--check', '--json', trace, **env).json()
    check(report['possible'], f'it is not possible: {report}')
    check_counts(report['addresses'], counts)
    texts = [f['text'] for f in report['findings'] if f['what'] == 'address']
    total = str(report['addresses']['changed'])
    check(any('not guaranteed' in text and total in text for text in texts),
          f'no sentence says so: {report}')


def check_wrong(test, trace, live, env):
    """Without the changes nothing good comes of it: the addresses do differ."""
    folder = test.folder('unchanged')
    result = test.cli('replay', '--json', trace, '--frames-dir', folder, status=None,
                      VITRINE_REPLAY_PATCHES='0', **env)
    if result.status == 0:
        equal = [Frame.read(harness.frame_path(folder, i)).data
                 == Frame.read(harness.frame_path(live, i)).data
                 for i in range(len(harness.frame_names(folder)))]
        check(not all(equal), 'unchanged addresses give the right pictures')


def replay_frames(test, trace, live, env, counts, *options):
    folder = test.folder('frames')
    check_report(test.replay(trace, '--frames-dir', folder, *options, **env).json(), counts)
    harness.compare_folders(test, folder, live, N_FRAMES)


def moved(name, at):
    def body(test):
        trace, live = capture(test, name, at)
        counts = COUNTS[name][at is not None]
        check_findings(test, trace, ELSEWHERE, counts)
        replay_frames(test, trace, live, ELSEWHERE, counts)
        replay_frames(test, trace, live, ELSEWHERE, counts, '--poison')
        check_wrong(test, trace, live, ELSEWHERE)
        # Nobody could tell beforehand.
        replay_frames(test, trace, live, UNABLE, counts)
        # Where it was captured, too, on request.
        replay_frames(test, trace, live, {'VK_ICD_FILENAMES': LAVAPIPE}, counts,
                      '--addresses', 'guess')
    return body


def part_that_differs(got, expected):
    size = got.texel_size()
    far = {i // size for i, (a, b) in enumerate(zip(got.data, expected.data))
           if abs(a - b) > CHANNEL}
    return len(far) / (got.width * got.height)


def compare_close(got, expected):
    for i in range(N_FRAMES):
        a, b = (Frame.read(harness.frame_path(f, i)) for f in (got, expected))
        part = part_that_differs(a, b)
        check(part <= TEXELS, f'frame {i}: {part:.2%} of the texels differ')


def exact(test):
    """What can be exact is, and on request nothing else will do."""
    harness.need_swiftshader()
    for driver in (LAVAPIPE, SWIFTSHADER):
        trace, live = capture(test, 'address', None, driver=driver)
        folder = test.folder('exact')
        report = test.replay(trace, '--frames-dir', folder, VK_ICD_FILENAMES=LAVAPIPE).json()
        check(report['ok'] and report['addresses']['guaranteed'] and report['addresses']['kept'] > 0,
              f'addresses are guessed: {report}')
        compare_close(folder, live)
    refused = test.replay(trace, '--addresses', 'exact', status=None, **ELSEWHERE)
    check_equal(refused.status, 5, 'status')
    check('mean nothing on another device' in refused.err, f'{refused}')
    check_equal(refused.json()['calls'], 0, 'calls that ran')
    refused = test.replay(trace, '--addresses', 'exact', status=None, **UNABLE)
    check_equal(refused.status, 5, 'status')
    check('cannot be there' in refused.err, f'{refused}')
    wrong = test.cli('replay', '--addresses', 'perhaps', trace, status=None)
    check_equal(wrong.status, 2, 'status of a wrong mode')


def pictures(name, at, env):
    """Images in the middle of frames, from states that are kept and marks inside submissions."""
    def body(test):
        trace, _ = capture(test, name, at)
        test.env.update(env)
        program = [*DEMOS[name].argv(app), '--frames', str(AT + N_FRAMES + 1)]
        total, checks = compare_all(test, trace, program, first_and_last=True)
        test.note(f'{total} pictures at {checks} checkpoints')
    return body


def second_driver(captured, replayed, at):
    def body(test):
        harness.need_swiftshader()
        trace, live = capture(test, 'address', at, driver=captured)
        counts = COUNTS['address'][at is not None]
        folder = test.folder('frames')
        report = test.replay(trace, '--frames-dir', folder, '--addresses', 'guess',
                             VK_ICD_FILENAMES=replayed).json()
        check_report(report, counts)
        compare_close(folder, live)
        check_wrong(test, trace, live,
                    {'VK_ICD_FILENAMES': replayed, 'VITRINE_REPLAY_ADDRESSES': 'guess'})
    return body


GUESS = {'VK_ICD_FILENAMES': LAVAPIPE, 'VITRINE_REPLAY_ADDRESSES': 'guess'}

if __name__ == '__main__':
    harness.main(
        *((f'{name}-launch', moved(name, None)) for name in COUNTS),
        *((f'{name}-midrun', moved(name, AT)) for name in COUNTS),
        ('exact', exact),
        ('pictures-kept', pictures('pointers', AT, GUESS)),
        ('pictures-elsewhere', pictures('pointers', None, ELSEWHERE)),
        ('swiftshader', second_driver(LAVAPIPE, SWIFTSHADER, AT)),
        ('lavapipe', second_driver(SWIFTSHADER, LAVAPIPE, None)),
    )
