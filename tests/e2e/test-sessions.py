#!/usr/bin/env python3
"""Tests on a desktop machine: a private session starts nothing that the machine has installed."""

import os
import re
import stat

import harness
import windows
from harness import check, check_equal, need

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.dirname(TESTS)
# What GTK and GIO ask for on a full desktop.
SERVICES = ('org.freedesktop.portal.Desktop', 'org.freedesktop.portal.Documents', 'org.gtk.vfs.Daemon',
            'org.gtk.vfs.UDisks2VolumeMonitor', 'ca.desrt.dconf')
BUS = 'org.freedesktop.DBus'


def install_desktop(test):
    """Services as a desktop's packages install them. Each one that is started leaves its name."""
    started = test.folder('started')
    services = test.folder('desktop/dbus-1/services')
    service = test.path('service')
    with open(service, 'w', encoding='utf-8') as file:
        file.write(f'#!/bin/sh\ntouch "{started}/$1"\n')
    os.chmod(service, stat.S_IRWXU)
    for name in SERVICES:
        with open(os.path.join(services, f'{name}.service'), 'w', encoding='utf-8') as file:
            file.write(f'[D-BUS Service]\nName={name}\nExec={service} {name}\n')
    test.env['XDG_DATA_DIRS'] = f'{test.path("desktop")}:/usr/share'
    return started


def ask_for_services(test, before, env):
    for name in SERVICES:
        answer = harness.run([*before, need('gdbus'), 'call', '--session', '--timeout', '20', '--dest',
                              BUS, '--object-path', '/', '--method', f'{BUS}.StartServiceByName',
                              name, '0'], env)
        check('ServiceUnknown' in answer.err, f'{name} can be started: {answer}')


def widgets_session(test):
    """tests/with-xvfb, which all widgets tests run under."""
    started = install_desktop(test)
    ask_for_services(test, [os.path.join(TESTS, 'with-xvfb')], test.env)
    check_equal(os.listdir(started), [], 'services that were started')


def window_session(test):
    """The session of windows.py, in which the real window runs."""
    started = install_desktop(test)
    window = windows.Window(test)
    try:
        window.wait_ready()
        ask_for_services(test, [], window.env)
        window.activate('quit')
        window.process.wait(windows.GRACE)
    finally:
        window.close()
    check_equal(os.listdir(started), [], 'services that were started')


def one_home(test):
    """Every harness that starts a bus starts this one."""
    starts = re.compile(r'dbus-(daemon|run-session)\b(?!.*session-bus\.conf)(?!.*\{BUS\})')
    wrong = []
    for place in ('tests', 'build-aux'):
        for folder, _, names in os.walk(os.path.join(SOURCE, place)):
            for name in names:
                path = os.path.join(folder, name)
                if path == os.path.abspath(__file__) or name.endswith(('.md', '.pyc')):
                    continue
                with open(path, encoding='utf-8', errors='replace') as file:
                    wrong += [f'{os.path.relpath(path, SOURCE)}:{number}: {line.strip()}'
                              for number, line in enumerate(file, 1)
                              if starts.search(line) and name != 'install-deps']
    check(not wrong, 'a bus that may start services:\n' + '\n'.join(wrong))


if __name__ == '__main__':
    harness.main(widgets_session, window_session, one_home)
