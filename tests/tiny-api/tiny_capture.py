"""Captures programs of the tiny API with vitrine-cli, for tests that need a trace of them.

    with Capture(cli, program) as capture:
        trace, windows = capture.take('window', 3)

@windows has the bytes of each window at each swap, by (number of the context, number of the swap), as libtiny itself wrote
them."""

import os
import pathlib
import re
import subprocess
import tempfile


class Capture:
    def __init__(self, cli, program):
        self.cli, self.program = [cli], program
        self.folder = None

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='tiny-')
        for variable in ('XDG_RUNTIME_DIR', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'):
            os.environ[variable] = self.path(variable.lower())
            os.mkdir(os.environ[variable], 0o700)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name):
        return str(pathlib.Path(self.folder.name) / name)

    def take(self, part, frames, *options, name=None, witness=True):
        """Runs a part of tiny-shapes under capture. Returns: the path of the trace, and its windows if libtiny is to write
        them."""
        trace, folder = self.path(f'{name or part}.gfxtrace'), pathlib.Path(self.path(f'{name or part}-windows'))
        folder.mkdir()
        wish = ['-e', f'TINY_WITNESS={folder}'] if witness else []
        subprocess.run([*self.cli, 'capture', '-q', *wish, '-o', trace, *options, '--',
                        self.program, part, str(frames)], check=True, timeout=120, env=dict(os.environ))
        windows = {}
        for path in folder.iterdir():
            context, swap = map(int, re.fullmatch(r'window-(\d+)-(\d+)\.rgba', path.name).groups())
            windows[context, swap] = path.read_bytes()
        return trace, windows
