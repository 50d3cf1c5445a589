"""Runs the window on a session bus and a display of its own."""

import ast
import os
import subprocess
import time

import harness
from harness import check, check_equal, need

APPLICATION = 'io.github.vitrine.Vitrine'
OBJECT = '/io/github/vitrine/Vitrine'
WINDOW = os.environ.get('VITRINE_WINDOW', os.path.join(harness.BUILD, 'src', 'vitrine'))
GRACE = 20 * harness.PATIENCE
BUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'session-bus.conf')


class Session:
    """A session bus of its own that starts nothing, and what a GTK program needs to run on it."""

    def __init__(self, env):
        self.bus = harness.start([need('dbus-daemon'), f'--config-file={BUS}', '--print-address',
                                  '--nofork'], env, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
        self.env = {'DBUS_SESSION_BUS_ADDRESS': self.bus.stdout.readline().decode().strip(),
                    'GDK_BACKEND': 'x11', 'GIO_USE_VFS': 'local', 'GIO_USE_VOLUME_MONITOR': 'unix',
                    'GSETTINGS_BACKEND': 'memory',
                    'GSETTINGS_SCHEMA_DIR': os.path.join(harness.BUILD, 'data'),
                    'GSK_RENDERER': 'cairo', 'GTK_A11Y': 'none', 'GTK_USE_PORTAL': '0',
                    'NO_AT_BRIDGE': '1'}

    def close(self):
        harness.end_group(self.bus)
        self.bus.wait()
        self.bus.stdout.close()


class Window:
    """The application on a session bus and a display of its own."""

    def __init__(self, test, *arguments):
        test.need_display()
        self.test = test
        self.session = Session(test.env)
        self.env = {**test.env, **self.session.env, 'G_MESSAGES_DEBUG': ''}
        self.log = open(test.path('window.log'), 'wb')
        self.process = harness.start([WINDOW, *arguments], self.env, cwd=test.dir,
                                     stdout=self.log, stderr=self.log)

    def close(self):
        if self.process.poll() is None:
            harness.end_group(self.process)
        self.process.wait()
        self.session.close()
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

    def get(self, method, *arguments, timeout=30):
        """A call of the Data interface; its one answer."""
        result = self.ask(method, *arguments, timeout=timeout).check()
        return ast.literal_eval(result.out.strip().replace('[byte ', '[', 1).replace('(@as ', '('))[0]

    def ask(self, method, *arguments, timeout=30):
        return harness.run([need('gdbus'), 'call', '--session', '--timeout',
                            str(timeout * harness.PATIENCE), '--dest', APPLICATION,
                            '--object-path', OBJECT, '--method',
                            f'{APPLICATION}.Data.{method}', *arguments], self.env,
                           timeout=timeout + 5)

    def check_error(self, name, method, *arguments):
        """A call that is answered with an error of that name, and a sentence."""
        result = self.ask(method, *arguments)
        check(result.status != 0, f'{method} {arguments} has an answer: {result}')
        error = f'{APPLICATION}.Error.{name}: '
        check(error in result.err and len(result.err.split(error)[1].strip()) > 10, str(result))

    def selected(self):
        result = self.call('org.gtk.Actions.Describe', 'selected').check()
        return result.out.split("<'")[1].split("'>")[0] if "<'" in result.out else ''
