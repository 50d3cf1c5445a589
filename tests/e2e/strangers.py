"""Shared code for recordings among the files of other programs: the programs, and the files that must be left at the
end."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import time

import harness
from harness import CLI, app, check, check_equal
from kills import GRACE, N_THREADS, Counters, check_complete, wait_gone

PAUSE = 4000  # microseconds between the rounds of a thread: traces are to stay short
KILL_POINTS = os.path.join(harness.BUILD, 'tests', 'kill-points', 'libvtr-kill-points.so')


def kill_at(number):
    """The environment in which vitrine-cli dies right before its change of files with this number."""
    return {'LD_PRELOAD': KILL_POINTS, 'VTR_KILL_AT': str(number)}


class Strangers:
    """Files, links, pipes and sockets of others, in every folder that Vitrine uses."""

    def __init__(self):
        self.known = {}
        self.sockets = []

    def note(self, path):
        self.known[path] = self.look(path)
        return path

    @staticmethod
    def look(path):
        info = os.lstat(path)
        content = None
        if stat.S_ISREG(info.st_mode):
            with open(path, 'rb') as file:
                content = file.read()
        elif stat.S_ISLNK(info.st_mode):
            content = os.readlink(path)
        return info.st_ino, info.st_mode, info.st_mtime_ns, content

    def text(self, path, content=b'Words of somebody else.\n'):
        with open(path, 'wb') as file:
            file.write(content)
        return self.note(path)

    def link(self, path, target):
        os.symlink(target, path)
        return self.note(path)

    def pipe(self, path):
        os.mkfifo(path)
        return self.note(path)

    def socket(self, path, kind=socket.SOCK_STREAM):
        server = socket.socket(socket.AF_UNIX, kind)
        server.bind(path)
        self.sockets.append(server)
        return self.note(path)

    def move(self, path, to):
        os.rename(path, to)
        self.known[to] = self.known.pop(path)

    def check(self):
        for path, known in self.known.items():
            check(os.path.lexists(path), f'{path} of somebody else is gone')
            check_equal(self.look(path), known, f'{path} of somebody else')

    def close(self):
        for server in self.sockets:
            server.close()


def settle_in(strangers, test, trace):
    """One of each kind in the folders of traces, of rings and of the journal. `trace`: a complete one."""
    with open(trace, 'rb') as file:
        whole = file.read()
    strangers.text(test.path('letter.gfxtrace.part'))
    strangers.text(test.path('empty.gfxtrace.part'), b'')
    strangers.text(test.path('agi.gfxtrace.part'), b'ProtoPack\r\n2.0\n\0' + bytes(range(200)) * 20)
    strangers.text(test.path('whole.gfxtrace.part'), whole)
    strangers.text(test.path('cut.gfxtrace.part'), whole[:len(whole) * 2 // 3])
    strangers.link(test.path('link.gfxtrace.part'), test.path('letter.gfxtrace.part'))
    strangers.pipe(test.path('pipe.gfxtrace.part'))
    rings = os.path.join(test.runtime, 'vitrine')
    os.makedirs(rings, mode=0o700, exist_ok=True)
    strangers.text(os.path.join(rings, 'notes.ring'), b'not a ring\n' * 500)
    strangers.text(os.path.join(rings, '1-2-3.ring'), bytes(8192))
    strangers.text(os.path.join(rings, '1-2-3.lock'))
    strangers.text(os.path.join(rings, '77-0.socket.lock'), b'4711\n')
    strangers.text(os.path.join(rings, 'a.lock'), b'')
    strangers.socket(os.path.join(rings, '1-0.socket'))
    strangers.socket(os.path.join(rings, 'chat.socket'))
    strangers.socket(os.path.join(rings, '1.trigger'), socket.SOCK_DGRAM)
    journal = os.path.join(test.env['XDG_STATE_HOME'], 'vitrine', 'recordings')
    os.makedirs(journal, exist_ok=True)
    strangers.text(os.path.join(journal, '0123456789abcdef' * 2), b'VTRNOTE1 nonsense')
    strangers.text(os.path.join(journal, 'letter'))


class Recording:
    """A capture of vtr-app-counter, and what it has to leave."""

    number = 0

    def __init__(self, test, trace, env=None, options=(), rounds=None):
        Recording.number += 1
        self.test = test
        self.trace = trace
        self.counters = Counters(test.path(f'counters-{Recording.number}'))
        self.pid = None
        self.said = ''
        self.final = None
        self.ended = False  # the capture ended by itself
        arguments = ['--rounds', rounds] if rounds else []
        self.process = harness.start(
            [CLI, 'capture', '--json', '-o', trace, *options, '--', app('counter'), '--counters',
             self.counters.path, '--threads', N_THREADS, '--pause', PAUSE, *arguments],
            {**test.env, **(env or {})}, cwd=test.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for_program(self):
        """Returns whether the program came."""
        end = time.monotonic() + GRACE
        while time.monotonic() < end:
            state = self.counters.read()
            if state is not None and state[1] != 0 and sum(state[2].values()) > 0:
                self.pid = state[0]
                return True
            if self.process.poll() is not None:
                self.find_program()
                return False
            time.sleep(0.005)
        raise harness.Failure('the program did not start')

    def find_program(self):
        """Also one that has not told its number yet."""
        state = self.counters.read()
        self.pid = self.pid or (state[0] if state else None)
        for name in os.listdir('/proc') if not self.pid else ():
            try:
                with open(f'/proc/{name}/cmdline', 'rb') as file:
                    words = file.read().decode('utf-8', 'replace').split('\0')
            except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
                continue
            if words[0] == app('counter') and self.counters.path in words:
                self.pid = int(name)

    def is_live(self):
        return self.process.poll() is None

    def has_open(self, path):
        """Whether vitrine-cli has this very file open."""
        folder = f'/proc/{self.process.pid}/fd'
        try:
            wanted = os.stat(path)
            return any(os.path.samestat(wanted, os.stat(os.path.join(folder, name)))
                       for name in os.listdir(folder))
        except (FileNotFoundError, ProcessLookupError):
            return False

    def keep_counts(self):
        """Before the capture is ended: afterwards calls pass through and are not recorded."""
        if self.final is None and self.is_live():
            # Without counters, the program has not begun: all that it calls goes unrecorded.
            self.final = self.counters.read() or (0, 0, {}, {})

    def kill_host(self):
        self.keep_counts()
        self.process.kill()
        self.process.wait()

    def interrupt(self):
        self.keep_counts()
        if self.is_live():
            self.process.send_signal(signal.SIGINT)

    def kill_program(self):
        self.find_program()
        if self.pid:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def end(self):
        """Everything of it ends. Returns what was said."""
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            harness.end_group(self.process)
            raise harness.Failure('vitrine-cli hung')
        # It has the pipes of a host that is dead.
        self.kill_program()
        out, err = self.process.communicate()
        self.said = f'status {self.process.returncode}\n{out.decode()}\n{err.decode()}'
        if self.pid:
            wait_gone(self.pid, 'the recorded program')
        return out.decode(), err.decode()

    def is_in(self, info):
        return self.counters.path in info['command_line'].split()

    def check_in(self, trace, exact):
        _, _, counts, serials = self.final or self.counters.read()
        check_complete(self.test, trace, counts, serials, exact)

    def has_calls(self):
        state = self.final or self.counters.read()
        return state is not None and sum(state[2].values()) > 0


def find_traces(test, strangers):
    return [test.path(name) for name in sorted(os.listdir(test.dir))
            if name.endswith('.gfxtrace') and test.path(name) not in strangers.known]


def match(test, strangers, recordings):
    """Each recording is in one trace, with all its calls, and nothing else is."""
    found = {}
    for trace in find_traces(test, strangers):
        info = test.info(trace)
        owners = [r for r in recordings if r.is_in(info)]
        check_equal(len(owners), 1, f'recordings of {trace}')
        check(owners[0] not in found, f'{trace} and {found.get(owners[0])} are of one recording')
        found[owners[0]] = trace
        owners[0].check_in(trace, False)
    for recording in recordings:
        check(recording in found or not recording.has_calls(),
              f'the recording into {recording.trace} with {recording.counters.path} is lost')
    return found


def check_tidy(test, strangers):
    """Nothing of ours is left over but traces."""
    journal = os.path.join(test.env['XDG_STATE_HOME'], 'vitrine', 'recordings')
    # An entry without a file counts as that of a capture that begins just now, for a minute.
    for name in os.listdir(journal) if os.path.isdir(journal) else ():
        path = os.path.join(journal, name)
        if path not in strangers.known:
            os.utime(path, (0, 0))
    test.cli('recover')
    left = [test.path(name) for name in os.listdir(test.dir) if name.endswith('.part')]
    for folder in (os.path.join(test.runtime, 'vitrine'), journal):
        if os.path.isdir(folder):
            left += [os.path.join(folder, name) for name in os.listdir(folder)]
    left = [path for path in left if path not in strangers.known]
    check(not left, f'left over: {left}')


def clear(test):
    for name in os.listdir(test.dir):
        path = test.path(name)
        if os.path.isdir(path) and not os.path.islink(path):
            if path != test.runtime:
                shutil.rmtree(path)
        else:
            os.unlink(path)
    for folder in (os.path.join(test.runtime, 'vitrine'),
                   os.path.join(test.env['XDG_STATE_HOME'], 'vitrine')):
        shutil.rmtree(folder, ignore_errors=True)
