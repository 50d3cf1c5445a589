#!/usr/bin/env python3
"""Images that the host itself writes, copies and moves to other layouts: their state and contents. That
they replay is in test-demos.py and test-midrun.py."""

import base64

import harness
from demos import DEMOS, newer_elsewhere
from harness import app, check, check_equal


def capture(test):
    demo = DEMOS['host']
    demo.drive(test)
    return test.capture(*demo.argv(app))


def calls(test, trace, name):
    return [c for c in test.commands(trace) if c['name'] == name]


def labels_at(test, trace, index):
    ranges = test.cli('get', '--json', trace, f'commands/{index}/memory').json()
    return {r['label']: r['access'] for r in ranges if r['label'] in ('source', 'destination')}


def shown(test):
    """Each copy has the bytes that the driver reads, no more, and says which images it touches."""
    trace = capture(test)
    writes = calls(test, trace, 'vkCopyMemoryToImageEXT')
    sizes = []
    for write in writes[:4]:
        region = write['parameters']['pCopyMemoryToImageInfo']['pRegions'][0]
        data = region['pHostPointer']
        check_equal(len(base64.b64decode(data['base64'])), data['size'], 'bytes')
        sizes.append(data['size'])
    # Rows of 5 texels more than needed, one row more, two layers or one; 4 × 4 blocks of 8 bytes.
    check_equal(sizes, [4 * (21 * 17 + 15 * 21 + 16), 4 * (13 * 9 + 7 * 13 + 8),
                        4 * (7 * 13 + 8), 128], 'sizes')
    check_equal(labels_at(test, trace, writes[0]['index']), {'destination': 'write'}, 'a write')
    copy = calls(test, trace, 'vkCopyImageToImageEXT')[0]['index']
    check_equal(labels_at(test, trace, copy), {'source': 'read', 'destination': 'write'}, 'a copy')
    read = calls(test, trace, 'vkCopyImageToMemoryEXT')[0]['index']
    check_equal(labels_at(test, trace, read), {'source': 'read'}, 'a read')


def counted(test):
    """Copies by the host count as uses, and as first writes."""
    trace = capture(test)
    uses = {t['name']: t['uses'] for t in test.cli('get', '--json', trace, 'textures').json()}
    first = calls(test, trace, 'vkCopyMemoryToImageEXT')[3]['index']
    check_equal((uses['blocks']['writtenBy']['copies'], uses['blocks']['firstWrite']),
                (1, f'commands/{first}'), 'writes of the compressed image')
    # Made by the host: all of it, then a part in each of two frames; by the device: a part in each.
    check_equal(uses['copied']['writtenBy']['copies'], 5, 'writes of the image that is copied to')


def layouts(test):
    """The host moves images to other layouts at once."""
    trace = capture(test)
    moves = calls(test, trace, 'vkTransitionImageLayoutEXT')

    def layout_at(index):
        state = test.cli('get', '--json', trace, f'commands/{index}/state').json()
        found = [image for device in state['devices'].values()
                 for image in device['images'].values() if image.get('name') == 'packed']
        return [part['layout'] for part in found[0]['layouts']]

    check_equal([layout_at(moves[i]['index']) for i in (3, 4, 5)],
                [['VK_IMAGE_LAYOUT_GENERAL'], ['VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL'],
                 ['VK_IMAGE_LAYOUT_GENERAL']], 'layouts')
    check_equal(test.cli('report', '--json', trace).json()['entries'], [], 'report')


def elsewhere(test):
    """Texels in a driver's own order are declined on another device."""
    trace = capture(test)
    other = newer_elsewhere(test)
    report = test.cli('replay', '--check', '--json', trace, status=None, **other).json()
    texts = [f['text'] for f in report['findings'] if f['what'] == 'command']
    check(not report['possible'] and len(texts) == 1 and 'own memory layout' in texts[0],
          f'findings: {report}')
    result = test.cli('replay', '--json', trace, status=None, **other)
    check(result.status != 0 and 'own memory layout' in result.out + result.err, f'not declined: {result}')


if __name__ == '__main__':
    harness.main(shown, counted, layouts, elsewhere)
