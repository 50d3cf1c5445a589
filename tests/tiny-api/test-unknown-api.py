#!/usr/bin/env python3
"""A trace with commands of an API that a build lacks: vitrine-cli says which one, instead of calling the file damaged.

The build without the API is a copy of vitrine-cli in which the tiny API has another name.

Usage: test-unknown-api.py VITRINE_CLI TINY_SHAPES"""

import os
import pathlib
import subprocess
import sys

from tiny_capture import Capture


def main():
    with Capture(sys.argv[1], sys.argv[2]) as capture:
        path, _ = capture.take('window', 3)
        program = pathlib.Path(sys.argv[1]).read_bytes()
        assert b'\0tiny\0' in program
        other = pathlib.Path(capture.path('other-cli'))
        other.write_bytes(program.replace(b'\0tiny\0', b'\0nope\0'))
        other.chmod(0o755)
        for verb in ('info', 'commands'):
            said = subprocess.run([other, verb, path], capture_output=True, text=True, timeout=60,
                                  env=dict(os.environ, LC_ALL='C.UTF-8'))
            assert said.returncode == 3, said
            assert 'an API that this version of Vitrine does not know (tiny)' in said.stderr, said.stderr
            assert 'newer' not in said.stderr, said.stderr
        assert subprocess.run([sys.argv[1], 'info', path], capture_output=True, timeout=60).returncode == 0


main()
