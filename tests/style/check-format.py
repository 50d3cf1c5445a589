#!/usr/bin/env python3
"""build-aux/format in a repository of three files, one of which is saved while it runs."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

UGLY = b'int  add(int a,int b){return a+b;}\n'
SAVED = b'int  sub(int a,int b){return a-b;}\n'
# Stands in for clang-format: an editor saves a file once copies of it are being formatted.
SAVING = '''#!/bin/sh
cp "{source}/saved" "{source}/b.c"
rm -f "{source}/c.c"
exec "{clang_format}" "$@"
'''


def run(folder, environment, *arguments):
    return subprocess.run([folder / 'build-aux' / 'format', *arguments], env=environment, text=True,
                          capture_output=True, check=False)


def main(source):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in ('build-aux/format', 'tests/style/lineup.py', '.clang-format'):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / path, folder / path)
        for path in ('a.c', 'b.c', 'c.c'):
            (folder / path).write_bytes(UGLY)
        (folder / 'saved').write_bytes(SAVED)
        (folder / 'bin').mkdir()
        saving = folder / 'bin' / 'clang-format'
        saving.write_text(SAVING.format(source=folder, clang_format=shutil.which('clang-format')))
        saving.chmod(0o755)
        for command in (['init', '-q'], ['add', '-A']):
            subprocess.run(['git', *command], cwd=folder, check=True)
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith('GIT_')}
        result = run(folder, environment, '--check')
        assert result.returncode == 1 and result.stdout.count('not formatted') == 3, result
        assert (folder / 'a.c').read_bytes() == UGLY, '--check changed a file'

        path = f'{folder / "bin"}:{environment["PATH"]}'
        result = run(folder, environment | {'PATH': path})
        assert (folder / 'b.c').read_bytes() == SAVED, 'what was saved during the run is lost'
        assert not (folder / 'c.c').exists(), 'a removed file is back'
        assert (folder / 'a.c').read_bytes() not in (UGLY, b''), 'a.c is not formatted'
        assert result.returncode == 1 and result.stderr.count('changed meanwhile') == 2, result
        left = {path.name for path in folder.iterdir() if path.name[:1] in 'abc'}
        assert left == {'a.c', 'b.c', 'bin', 'build-aux'}, left

        result = run(folder, environment)
        assert result.returncode == 0, result
        assert run(folder, environment, '--check').returncode == 0


main(pathlib.Path(sys.argv[1]))
