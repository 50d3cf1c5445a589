#!/usr/bin/env python3
"""The window over D-Bus, on an X server of its own: it outlives its replayers, and what it was
recording when it dies is not lost."""

import os
import random
import signal
import subprocess
import time

import harness
import kills
from harness import app, check, check_equal, need

APPLICATION = 'io.github.vitrine.Vitrine'
OBJECT = '/io/github/vitrine/Vitrine'
WINDOW = os.environ.get('VITRINE_WINDOW', os.path.join(harness.BUILD, 'src', 'vitrine'))
GRACE = 20


class Window:
    """The application on a session bus and a display of its own."""

    def __init__(self, test, *arguments):
        test.need_display()
        self.test = test
        self.bus = harness.start([need('dbus-daemon'), '--session', '--print-address', '--nofork'],
                                 test.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        address = self.bus.stdout.readline().decode().strip()
        schemas = os.path.join(harness.BUILD, 'data')
        self.env = {**test.env, 'DBUS_SESSION_BUS_ADDRESS': address, 'GDK_BACKEND': 'x11',
                    'GSETTINGS_BACKEND': 'memory', 'GSETTINGS_SCHEMA_DIR': schemas,
                    'GSK_RENDERER': 'cairo', 'GTK_A11Y': 'none', 'NO_AT_BRIDGE': '1',
                    'G_MESSAGES_DEBUG': ''}
        self.log = open(test.path('window.log'), 'wb')
        self.process = harness.start([WINDOW, *arguments], self.env, cwd=test.dir,
                                     stdout=self.log, stderr=self.log)

    def close(self):
        for process in (self.process, self.bus):
            if process.poll() is None:
                harness.end_group(process)
            process.wait()
        self.bus.stdout.close()
        self.log.close()

    def messages(self):
        with open(self.test.path('window.log'), encoding='utf-8', errors='replace') as file:
            return file.read()[-3000:]

    def call(self, method, *arguments):
        """A D-Bus call on the application; its answer as gdbus prints it."""
        result = harness.run([need('gdbus'), 'call', '--session', '--timeout', '10', '--dest',
                              APPLICATION, '--object-path', OBJECT, '--method', method,
                              *arguments], self.env, timeout=15)
        return result

    def activate(self, action, value=None):
        parameters = [] if value is None else [f"<'{value}'>"]
        return self.call('org.gtk.Actions.Activate', action, f'[{", ".join(parameters)}]', '{}')

    def check_lives(self, what):
        check(self.process.poll() is None,
              f'the window is gone ({self.process.returncode}) {what}: {self.messages()}')
        answer = self.call('org.gtk.Actions.List')
        check_equal(answer.status, 0, f'status of a call {what}: {answer.err}')

    def wait_ready(self):
        end = time.monotonic() + GRACE
        while time.monotonic() < end:
            check(self.process.poll() is None, f'it ended at once: {self.messages()}')
            if self.call('org.gtk.Actions.List').status == 0:
                return
            time.sleep(0.1)
        raise harness.Failure(f'the window does not answer: {self.messages()}')


def replayers(pid):
    """Process ids of all living replayers below a process."""
    found = []
    for child in harness.descendants(pid):
        try:
            with open(f'/proc/{child}/cmdline', 'rb') as file:
                if b'vitrine-replayer' in file.read():
                    found.append(child)
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def wait_for(question, what):
    end = time.monotonic() + GRACE
    while time.monotonic() < end:
        answer = question()
        if answer:
            return answer
        time.sleep(0.05)
    raise harness.Failure(f'{what} did not come')


def replayer_killed(test):
    """The replayer dies under the window again and again; the window answers, and draws."""
    # As many draws as kills: what has been drawn once is remembered and needs no replayer.
    trace = test.capture(app('load'), '--draws', kills.KILLS + 5, '--frames', 1, '--visible')
    draws = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
    window = Window(test, trace)
    source = random.Random(f'{kills.SEED} window')
    killed = 0
    try:
        window.wait_ready()
        for number in range(kills.KILLS):
            window.activate('select', f'commands/{draws[number % len(draws)]}').check()
            # It starts again when something is asked of it.
            end = time.monotonic() + 2
            while not replayers(window.process.pid) and time.monotonic() < end:
                time.sleep(0.005)
            time.sleep(source.uniform(0, 0.15))
            for pid in replayers(window.process.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
            window.check_lives(f'after kill {number}')
        check(killed >= kills.KILLS // 2, f'only {killed} replayers to kill')

        # And it still shows what it should.
        picture = test.path('window.png')
        truth = test.path('cli.png')
        window.activate('select', f'commands/{draws[-1]}').check()
        test.cli('screenshot', trace, '--at', str(draws[-1]), '-o', truth)

        expected = harness.Png(truth).rgb()

        # It exports what it shows, which is the picture before until this one is there.
        def exported():
            if os.path.exists(picture):
                os.unlink(picture)
            window.activate('export-framebuffer', picture)
            time.sleep(0.5)
            return os.path.exists(picture) and harness.Png(picture).rgb() == expected

        wait_for(exported, f'the picture of the last draw ({window.messages()})')
        check('CRITICAL' not in window.messages(), window.messages())
        test.note(f'{killed} replayers killed')
    finally:
        window.close()


def window_killed(test):
    """The window dies while it records: the program runs on, and all it had committed is there."""
    n_kills = max(3, kills.KILLS // 4)
    source = random.Random(f'{kills.SEED} recording window')
    for number in range(n_kills):
        counters = kills.Counters(test.path(f'counters-{number}'))
        window = Window(test, '--capture', '--', app('counter'), '--counters', counters.path,
                        '--threads', kills.N_THREADS, '--rounds', 600)
        try:
            pid = counters.wait(window.process)
            time.sleep(source.uniform(0, 0.1))
            _, _, counts, serials = counters.read()
            os.kill(window.process.pid, signal.SIGKILL)
            window.process.wait()
            kills.wait_gone(pid, 'the program that was being captured')
        finally:
            window.close()
        paths = kills.recovered(test)
        check(paths, f'nothing was recovered after kill {number}')
        kills.check_complete(test, paths[0], counts, serials, False)
        for path in paths:
            os.unlink(path)
    test.note(f'{n_kills} kills')


harness.main(replayer_killed, window_killed)
