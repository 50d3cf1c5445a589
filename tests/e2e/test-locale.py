#!/usr/bin/env python3
"""Output for programs does not depend on the user's language: JSON and paths are the same where a dot is a comma
(German) and where it is two bytes (Pashto)."""

import os
import re

import harness
from harness import app, check, check_equal

LANGUAGES = ('de_DE', 'ps_AF')


def make_locales(test):
    """Few machines have these; what they are made from is in Debian's package `locales`."""
    folder = test.folder('locales')
    for language in LANGUAGES:
        test.run(['localedef', '-i', language, '-f', 'UTF-8', os.path.join(folder, f'{language}.UTF-8')],
                 timeout=240)
    return folder


def check_locales(test, folder):
    """That a test which finds no difference could have found one."""
    for language in LANGUAGES:
        said = test.run(['/usr/bin/printf', '%.1f', '1'], LOCPATH=folder, LC_ALL=f'{language}.UTF-8').out
        check('.' not in said, f'{language} writes {said}: the locale is not used')


def find_draw(test, trace):
    """A draw, and memory that it touches."""
    draw = [command['index'] for command in test.commands(trace)
            if command['name'].startswith('vkCmdDraw')][-1]
    entries = test.cli('get', '--json', trace, f'commands/{draw}/memory').json()
    pools = [entry['pool'] for entry in entries if entry['pool'] != 0 and entry['size'] >= 16]
    check(pools, f'nothing is read by {draw}')
    return draw, pools[0]


def numbers(test):
    """Every verb that prints numbers which are no integers, in all of the languages."""
    folder = make_locales(test)
    check_locales(test, folder)
    trace = test.capture(app('draws'), frames=2)
    draw, pool = find_draw(test, trace)
    memory = f'commands/{draw}/memory/{pool}/0x0+16'
    fractions = 0
    for verb, *arguments in (['info'], ['commands'], ['report'],
                             ['get', f'commands/{draw}/state'], ['get', memory + '?type=float'],
                             ['get', memory + '?type=unorm8']):
        expected = test.cli(verb, '--json', trace, *arguments).out
        fractions += re.search(r'[0-9]\.[0-9]', expected) is not None
        for language in LANGUAGES:
            # Labels and sentences in JSON are for people: where Vitrine is installed, German.
            result = test.cli(verb, '--json', trace, *arguments, LOCPATH=folder,
                              LC_ALL=f'{language}.UTF-8', LANGUAGE='en')
            result.json()
            check_equal(result.out, expected, f'{language}: {verb} {arguments}')
    check(fractions >= 3, f'{fractions} answers have a number with a fraction')


if __name__ == '__main__':
    harness.main(numbers)
