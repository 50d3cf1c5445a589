"""Runs programs of OpenGL with a witness of what they call and show, for tests.

    with Runs(program, witness) as runs:
        shown = runs.witness('name')
        runs.run('turning', shown)
        frames = runs.frames('name')"""

import json
import os
import pathlib
import subprocess
import tempfile

FRAMES = 4
SKIPPED = 77


class Runs:
    def __init__(self, program, witness):
        self.program, self.witness = os.path.abspath(program), os.path.abspath(witness)

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix='gl-')
        self.folder = pathlib.Path(self.temporary.name)
        self.manifest = self.write_manifest('witness', self.witness)
        self.environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE='1', VITRINE_CAPTURE_APIS='gl')
        self.environment.pop('DISPLAY', None)
        for variable in ('XDG_RUNTIME_DIR', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'):
            self.environment[variable] = str(self.folder / variable.lower())
            os.mkdir(self.environment[variable], 0o700)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def write_manifest(self, name, library):
        path = self.folder / f'{name}.json'
        path.write_text(json.dumps({'file_format_version': '1.0.0', 'ICD': {'library_path': str(library)}}))
        return path

    def run(self, part, variables=None):
        """Returns: the exit status."""
        return subprocess.run([self.program, part, str(FRAMES)], env={**self.environment, **(variables or {})}, timeout=60,
                              check=False).returncode

    def witness_variables(self, name):
        """Variables that have the witness, where it is loaded, write what each swap shows."""
        (self.folder / name).mkdir()
        return {'WITNESS_FRAMES': str(self.folder / name)}

    def frames(self, name):
        return {path.name: path.read_bytes() for path in (self.folder / name).iterdir()}
