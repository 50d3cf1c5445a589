#!/usr/bin/env python3
"""A trace with commands of an API that a build lacks: vitrine-cli lists them by name with what the trace says of them, and
says which API is missing and what does not work.

The build without the API is a copy of vitrine-cli in which the tiny API has another name.

Usage: test-unknown-api.py VITRINE_CLI TINY_SHAPES"""

import json
import os
import pathlib
import subprocess
import sys

from tiny_capture import Capture

SENTENCE = 'an API that this version of Vitrine does not know (tiny)'


class Builds:
    """Two builds: one has the API, one lacks it."""

    def __init__(self, cli, copy):
        self.cli = cli
        program = pathlib.Path(cli).read_bytes()
        assert b'\0tiny\0' in program
        self.other = pathlib.Path(copy)
        self.other.write_bytes(program.replace(b'\0tiny\0', b'\0nope\0'))
        self.other.chmod(0o755)

    @staticmethod
    def ask(program, *arguments, status=0):
        result = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60,
                                env=dict(os.environ, LC_ALL='C.UTF-8'))
        assert status is None or result.returncode == status, result
        return result

    def both(self, *arguments):
        return [self.ask(program, *arguments).stdout for program in (self.cli, self.other)]


def number(value):
    """The lacking build shows 64 bits as they are, whatever they mean."""
    return int(value, 0) if isinstance(value, str) and value.startswith('0x') else value


def check_commands(builds, path):
    known, foreign = [[json.loads(line) for line in text.splitlines()] for text in builds.both('commands', '--json', path)]
    assert [c['name'] for c in known] == [c['name'] for c in foreign] and len(known) > 10
    for ours, theirs in zip(known, foreign):
        assert list(ours['parameters']) == list(theirs['parameters']), (ours, theirs)
        assert (ours['index'], ours['thread']) == (theirs['index'], theirs['thread'])
        for name, value in ours['parameters'].items():
            if isinstance(value, int):
                assert number(theirs['parameters'][name]) == value, (ours, theirs)
    made = next(c for c in foreign if c['name'] == 'tnCreateContext')
    assert number(made['result']) == number(next(c for c in known if c['name'] == 'tnCreateContext')['result'])
    # Text has the words of the API where its tables are.
    known, foreign = builds.both('commands', path)
    assert ' = TN_TRUE\n' in known and 'share=TN_NONE' in known and 'VK_' not in known, known
    assert 'tnMakeCurrent(context=0x' in foreign and ' = 1\n' in foreign, foreign


def check_answers(builds, path):
    info = json.loads(builds.ask(builds.other, 'info', '--json', path).stdout)
    assert SENTENCE in info['warning'] and info['apis'] == 'Tiny' and info['frames'] == 1, info
    assert json.loads(builds.ask(builds.cli, 'info', '--json', path).stdout)['warning'] is None
    whole = json.loads(builds.ask(builds.other, 'get', '--json', path, 'commands/3').stdout)
    assert whole['namespaces'] and whole['name'].startswith('tn'), whole
    for arguments, words in ((('replay', path), 'cannot be replayed as a whole'),
                             (('screenshot', path, '-o', path + '.png'), ''),
                             (('trim', path, '-o', path + '.trimmed'), 'without losing data'),
                             (('get', path, 'commands/3/bound'), 'unknown')):
        result = builds.ask(builds.other, *arguments, status=None)
        assert 0 < result.returncode < 10 and words in result.stderr and 'newer' not in result.stderr, result


def main():
    with Capture(sys.argv[1], sys.argv[2]) as capture:
        builds = Builds(sys.argv[1], capture.path('other-cli'))
        for part in ('window', 'threads'):
            path, _ = capture.take(part, 3)
            check_commands(builds, path)
            check_answers(builds, path)


main()
