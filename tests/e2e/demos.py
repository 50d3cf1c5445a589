"""The table of the demos of tests/apps, with what is expected of each; every test that runs them uses it."""

import json
import os
import shutil

import harness
from harness import SWIFTSHADER

BACKPORTS = harness.BACKPORTS
SKIPPED = 77  # how a demo ends that cannot run here
OTHER = os.path.join(harness.BUILD, 'tests', 'other-driver', 'other_icd.json')


def newer_elsewhere(test):
    """Returns: the environment of another device that offers what the newer lavapipe does. A replayer
    may only read drivers' own folders."""
    folder = test.folder('other')
    for path in (OTHER, os.path.join(os.path.dirname(OTHER), 'libvtr-other-driver.so'),
                 os.path.join(os.path.dirname(BACKPORTS), 'libvulkan_lvp.so')):
        shutil.copy(path, folder)
    icd = os.path.join(folder, os.path.basename(OTHER))
    with open(icd, encoding='utf-8') as file:
        text = json.load(file)
    text['ICD']['library_path'] = './libvtr-other-driver.so'
    with open(icd, 'w', encoding='utf-8') as file:
        json.dump(text, file)
    return {'VK_ICD_FILENAMES': icd,
            'OTHER_DRIVER_LIBRARY': os.path.join(folder, 'libvulkan_lvp.so')}


class Demo:
    """`program`: if it is not the name; `checks`: checkpoints of two frames; `options`: beyond the common ones; `driver`: the one that
    offers what the demo needs where the default one does not; `truth`: options of a run that can read
    back what the demo cannot; `same`: every run draws the same; `valid`: options of a run that
    Debian's validation layer survives; None: it knows nothing of what the demo does, or crashes;
    `newer`: Debian's Vulkan headers do not know what the demo is about."""

    def __init__(self, checks, *options, program=None, driver=None, truth=(), same=True, valid=(),
                 newer=False):
        self.program = program
        self.checks = checks
        self.options = options
        self.driver = driver
        self.truth = truth
        self.same = same
        self.valid = valid
        self.newer = newer

    def drive(self, test):
        """Chooses the driver."""
        if self.driver == BACKPORTS:
            harness.need_newer_lavapipe()
        if self.driver is not None:
            test.env['VK_ICD_FILENAMES'] = self.driver
        if self.newer:
            trial = test.run([*self.argv(harness.app), '--frames', 1])
            if trial.status == SKIPPED:
                raise harness.Skip((trial.out + trial.err).strip())

    def argv(self, app):
        return [app(f'demo-{self.program}'), *self.options]


DEMOS = {
    'address': Demo(4),
    'churn': Demo(4),
    'blends': Demo(6),
    'chain': Demo(2),
    'clears': Demo(4),
    'conditional': Demo(8),
    'copies': Demo(6),
    'contents': Demo(4),
    'coverage': Demo(4),
    'dangling': Demo(4, valid=None),
    'depths': Demo(4),
    'descriptors': Demo(6, driver=BACKPORTS),
    'descriptors-copied': Demo(6, '--copied', program='descriptors', driver=BACKPORTS),
    'devices': Demo(2),
    'dynamic': Demo(6),
    'events': Demo(6),
    'feedback': Demo(5),
    'flight': Demo(4),
    'flight-gated': Demo(4, '--gated', program='flight'),
    'flight-whole': Demo(4, '--whole', program='flight'),
    'generated': Demo(8, driver=BACKPORTS, newer=True, valid=None),
    'generated-counts': Demo(8, '--counts', program='generated', driver=BACKPORTS, newer=True,
                             valid=None),
    'group': Demo(4),
    'half': Demo(4),
    'host': Demo(4, driver=BACKPORTS, newer=True, valid=None),
    'host-core': Demo(4, '--core', program='host', driver=BACKPORTS, newer=True, valid=None),
    'imageless': Demo(4),
    'indexing': Demo(4, driver=SWIFTSHADER),
    'indirect': Demo(6),
    'latest': Demo(8, driver=BACKPORTS, newer=True, valid=None),
    'later': Demo(6, driver=BACKPORTS, newer=True, valid=None),
    'layouts': Demo(4),
    'library': Demo(4),
    'linear': Demo(4),
    'local': Demo(6, driver=BACKPORTS, newer=True, valid=None),
    'maintenance': Demo(6, driver=BACKPORTS, newer=True, valid=None),
    'mapped': Demo(4),
    'mesh': Demo(4, driver=BACKPORTS),
    'multidraw': Demo(6),
    'multiview': Demo(4),
    'nested': Demo(6, driver=BACKPORTS, newer=True, valid=None),
    'objects': Demo(6, driver=BACKPORTS, newer=True, valid=None),
    'offsets': Demo(4),
    'parents': Demo(4),
    'passes': Demo(4),
    'passes-second': Demo(4, '--second', program='passes'),
    'pointers': Demo(4),
    'prebuilt': Demo(4),
    'push': Demo(6),
    'rays': Demo(4, driver=BACKPORTS, valid=('--whole',)),
    'rays-positions': Demo(4, '--positions', program='rays', driver=BACKPORTS, newer=True,
                           valid=None),
    'rays-generated': Demo(4, '--generated', program='rays', driver=BACKPORTS, newer=True, valid=None),
    'queries': Demo(4),
    'queues': Demo(2, driver=OTHER),
    'recordings': Demo(4),
    'regions': Demo(4),
    'resolves': Demo(8),
    'resolves-first': Demo(8, '--first', program='resolves'),
    'results': Demo(4),
    'results-times': Demo(4, '--times', program='results', same=False),
    'reuse': Demo(4),
    'robust': Demo(4),
    'samples': Demo(4),
    'sets': Demo(4),
    'sets-inline': Demo(4, '--inline', program='sets'),
    'shapes': Demo(6),
    'sparse': Demo(4, driver=BACKPORTS),
    'stages': Demo(4),
    'states-one': Demo(4, '--one', program='states'),
    'states-two': Demo(4, '--two', program='states'),
    'states-three': Demo(4, '--three', program='states'),
    'states-vertices': Demo(4, '--vertices', program='states'),
    'states-writes': Demo(4, '--writes', program='states'),
    'stored': Demo(4, '--push'),
    'stored-after-bind': Demo(4, '--push', '--after-bind', program='stored', driver=BACKPORTS),
    'stored-buffers': Demo(4, '--buffers', program='stored', driver=BACKPORTS),
    'sync': Demo(4),
    'timeline': Demo(4),
    'transient': Demo(6, truth=('--kept',)),
    'unused': Demo(4),
    'views': Demo(4),
    'windows': Demo(2),
    'ycbcr': Demo(4, driver=SWIFTSHADER),
    'ycbcr-two': Demo(4, '--two-planes', program='ycbcr', driver=SWIFTSHADER),
}

for name, demo in DEMOS.items():
    demo.program = demo.program or name
