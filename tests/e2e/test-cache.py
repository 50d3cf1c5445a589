#!/usr/bin/env python3
"""Results that are cached on disk: found by the contents of a trace, never wrong, and checked before use."""

import glob
import os
import shutil

from harness import BUILD, app, check, check_equal, main, need


def question(test, trace, cache, *options):
    """The picture after the first draw; returns its bytes."""
    picture = test.path('picture.raw')
    draw = next(c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDraw')
    test.cli('screenshot', trace, '--at', str(draw), '-o', picture, *options,
             VITRINE_NO_CACHE='', XDG_CACHE_HOME=cache)
    with open(picture, 'rb') as file:
        return file.read()


def entries(cache):
    return sorted(glob.glob(os.path.join(cache, 'vitrine', 'results', '*')))


def kept(test):
    trace, cache = test.capture(app('draws')), test.folder('cache')
    first = question(test, trace, cache)
    files = entries(cache)
    check(files, 'nothing was kept')
    times = [os.stat(file).st_mtime_ns for file in files]
    check_equal(question(test, trace, cache), first, 'the picture, from disk')
    check_equal(entries(cache), files, 'the files')
    check([os.stat(file).st_mtime_ns for file in files] != times, 'no file was asked for')
    # Its place does not matter, what is in it does.
    moved = test.path('moved.gfxtrace')
    shutil.copy(trace, moved)
    check_equal(question(test, moved, cache), first, 'the picture of the copy')
    check_equal(entries(cache), files, 'the files of the copy')
    other = test.capture(app('msaa'), output=test.path('other.gfxtrace'))
    question(test, other, cache)
    check(len(entries(cache)) > len(files), 'another trace has the same results')


def damaged(test):
    trace, cache = test.capture(app('draws')), test.folder('cache')
    first = question(test, trace, cache)
    for change in ('cut', 'flip', 'swap'):
        files = entries(cache)
        for file in files:
            with open(file, 'rb') as source:
                data = bytearray(source.read())
            if change == 'cut':
                data = data[:len(data) // 2]
            elif change == 'flip':
                data[-1] ^= 0x55
            with open(file, 'wb') as target:
                target.write(data)
        if change == 'swap' and len(files) > 1:
            os.rename(files[0], test.path('held'))
            os.rename(files[1], files[0])
            os.rename(test.path('held'), files[1])
        check_equal(question(test, trace, cache), first, f'the picture after {change}')


def said(test):
    """What the status bar says of pictures from the cache, and of what nothing was drawn to."""
    test.need_display()
    # Of three images, two frames leave one as it is.
    trace = test.capture(need('vkcube'), frames=2, timeout=120)
    test.run([os.path.join(BUILD, 'tests', 'engine', 'resolve', 'check-said'), trace], VITRINE_NO_CACHE='',
             XDG_CACHE_HOME=test.folder('cache'), timeout=120).check()


def off(test):
    trace, cache = test.capture(app('draws')), test.folder('cache')
    first = question(test, trace, cache, '--no-cache')
    check_equal(entries(cache), [], 'kept all the same')
    check_equal(question(test, trace, cache), first, 'the picture')


main(kept, damaged, said, off)
