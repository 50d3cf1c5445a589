#!/usr/bin/env python3
"""The replayer is locked down: everything that a hostile driver tries is refused, and the replay continues undisturbed.

The driver is tests/intruder-driver: lavapipe, but it tries to read the home, to write, connect, run
programs and harm others, inside the very replayer. That each act is possible at all is seen with
the sandbox switched off.
"""

import collections
import fcntl
import json
import os
import resource
import shutil
import socket
import subprocess
import termios
import threading
import time

import harness
from harness import LAVAPIPE, app, check, check_equal

INTRUDER = os.path.join(harness.BUILD, 'tests', 'intruder-driver', 'intruder_icd.json')
INTRUDER_TOOL = os.path.join(harness.BUILD, 'tests', 'intruder-driver', 'libvtr-intruder-tool.so')
OLDER_KERNEL = os.path.join(harness.BUILD, 'tests', 'intruder-driver', 'vtr-older-kernel')
SHADER_TOOL = os.path.join(harness.BUILD, 'src', 'engine', 'shader', 'vitrine-shader-tool')
PLACES = ('instance', 'thread', 'submit')

# What Landlock refuses; without it only a filter for system calls is left.
OF_FILES = {'read_secret', 'read_secret_by_root', 'list_home', 'read_passwords', 'make_file',
            'overwrite_file', 'make_folder', 'make_temporary', 'make_shared_memory', 'unlink_file',
            'rename_file', 'write_to_system', 'read_victim', 'write_into_victim',
            'read_parent_environment', 'list_neighbours', 'write_beside_home', 'open_disks',
            'open_memory', 'open_machinery', 'open_input'}
# What the system itself may refuse, to everybody or to who is not root.
OFTEN_REFUSED = {'write_into_victim', 'poke_victim', 'take_descriptor', 'unmount_something',
                 'change_root', 'join_namespace', 'catch_faults', 'speak_to_kernel',
                 'trace_victim', 'read_victim', 'peek_victim', 'read_parent_environment',
                 'open_process', 'make_ring', 'load_bpf', 'count_events', 'look_for_keys',
                 'leave_namespaces', 'mount_something', 'open_by_handle', 'share_memory',
                 'write_to_system', 'make_shared_memory',
                 'hide_memory', 'add_key', 'watch_all_files', 'take_reboot', 'queue_messages',
                 'enlarge_pipe', 'signal_by_owner', 'hold_rights', 'raise_limits', 'load_module',
                 'load_module_file', 'remove_module', 'load_kernel', 'enter_ring', 'register_ring',
                 'advise_victim', 'release_victim', 'request_key', 'open_tree', 'move_mount',
                 'open_file_system', 'change_mount', 'turn_root', 'clone_by_structure', 'set_clock',
                 'name_host', 'read_kernel_log', 'account', 'set_quota', 'take_swap',
                 'handle_of_file', 'share_semaphores', 'open_queue', 'move_pages', 'migrate_pages',
                 'take_ports', 'make_device', 'make_hard_link', 'open_disks', 'open_memory',
                 'open_machinery', 'open_input', 'speak_to_host', 'speak_to_devices',
                 'speak_to_ciphers'}
# What a replayer lacks even then: it is started so, and only what it says is looked at.
NEVER = {'read_environment_secrets', 'hold_terminal', 'open_terminal', 'share_session', 'write_escapes'}

# What a session has in its environment, and no replay needs.
SECRETS = {'SSH_AUTH_SOCK': '/run/agent', 'AWS_SECRET_ACCESS_KEY': 'x', 'GITHUB_TOKEN': 'x',
           'NVIDIA_API_KEY': 'x', 'INNOCENT_VARIABLE': 'x'}


class Servers:
    """Who listens for what should not come: TCP, a UNIX socket with a path, and one without."""

    def __init__(self, path):
        self.n = 0
        self.sockets = [socket.create_server(('127.0.0.1', 0))]
        for name in (path, '\0' + path):
            server = socket.socket(socket.AF_UNIX)
            server.bind(name)
            server.listen()
            self.sockets.append(server)
        self.port = self.sockets[0].getsockname()[1]
        self.threads = [threading.Thread(target=self.work, args=(server,), daemon=True)
                        for server in self.sockets]
        for thread in self.threads:
            thread.start()

    def work(self, server):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            self.n += 1
            connection.close()

    def close(self):
        for server in self.sockets:
            server.shutdown(socket.SHUT_RDWR)
            server.close()
        for thread in self.threads:
            thread.join()


def attempts(result):
    """{act: [(place, outcome)]}, of what the driver said."""
    found = collections.defaultdict(list)
    for line in result.err.splitlines():
        if line.startswith('intruder '):
            _, place, act, outcome = line.split(' ', 3)
            found[act.rstrip(':')].append((place, outcome))
    return found


def intrude(test, trace, frames, **extra):
    """Replays on the driver. Returns: what it tried, the report, how many reached a server, and
    how the process that it may harm ended."""
    home, folder = test.folder('home'), test.folder('elsewhere')
    secret = os.path.join(home, 'secret')
    for path in (secret, *(os.path.join(folder, name) for name in ('there', 'unlinked', 'renamed'))):
        with open(path, 'w', encoding='ascii') as file:
            file.write('secret')
    # Started by somebody who has left the secret open.
    starter = test.path('starter')
    with open(starter, 'w', encoding='ascii') as file:
        file.write(f'#!/bin/sh\nexec 9<"$INTRUDER_SECRET"\nexec "{harness.REPLAYER}" "$@"\n')
    os.chmod(starter, 0o700)
    servers = Servers(test.path(f'socket{len(os.listdir(test.dir))}'))
    victim = subprocess.Popen(['sleep', '600'])
    try:
        result = test.replay(trace, '--frames-dir', test.folder(frames), VK_ICD_FILENAMES=INTRUDER,
                             HOME=home, INTRUDER_SECRET=secret, INTRUDER_FOLDER=folder,
                             INTRUDER_PORT=str(servers.port),
                             INTRUDER_SOCKET=servers.sockets[1].getsockname(),
                             INTRUDER_VICTIM=str(victim.pid), VITRINE_REPLAYER=starter,
                             INTRUDER_OPEN=str(os.stat(secret).st_ino), **SECRETS, **extra)
        # One that was traced is ended once its tracer is gone.
        end = time.monotonic() + (20 if 'VITRINE_SANDBOX' in extra else 0)
        while victim.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        alive = victim.poll() is None
    finally:
        victim.kill()
        victim.wait()
        servers.close()
    return attempts(result), result.json(), servers.n, alive


def present(test):
    test.need_display()
    live = test.folder('live')
    return test.capture(app('present'), frames=3, witness=live, timeout=120), live


def locked(test):
    trace, live = present(test)
    tried, report, connections, alive = intrude(test, trace, 'locked')
    check(report['ok'], f'the replay failed: {report}')
    harness.compare_folders(test, test.path('locked'), live, 3)

    state = report['sandbox']
    check(state in ('full', 'partial'), f'the replayer is locked: {state}')
    check(len(tried) > 40, f'the driver tried things: {sorted(tried)}')
    for act, outcomes in tried.items():
        check_equal(sorted({place for place, _ in outcomes}), sorted(PLACES), f'places of {act}')
        if state == 'partial' and act in OF_FILES:
            continue
        done = [place for place, outcome in outcomes if outcome == 'done']
        check(not done, f'{act} was possible ({", ".join(done)})')
    check_equal(connections, 0, 'connections')
    check(alive, 'nobody was harmed')
    if state == 'full':
        with open(test.path('elsewhere', 'there'), encoding='ascii') as file:
            check_equal(file.read(), 'secret', 'the file outside')
        check_equal(sorted(os.listdir(test.path('elsewhere'))), ['renamed', 'there', 'unlinked'],
                    'files outside')
    else:
        test.note('this system has no Landlock: files were not looked at')


def unlocked(test):
    """The same acts are possible, or they would show nothing."""
    trace, live = present(test)
    tried, report, connections, alive = intrude(test, trace, 'unlocked', VITRINE_SANDBOX='0')
    check(report['ok'], f'the replay failed: {report}')
    harness.compare_folders(test, test.path('unlocked'), live, 3)
    check_equal(report['sandbox'], 'off', 'sandbox')
    refused = {act for act, outcomes in tried.items() if outcomes[0][1] != 'done'}
    check(NEVER <= refused, f'a replayer of its own session, with pipes: {NEVER - refused}')
    refused -= NEVER
    check(not refused - OFTEN_REFUSED, f'refused without a sandbox: {refused - OFTEN_REFUSED}')
    if refused:
        test.note(f'refused by this system itself: {", ".join(sorted(refused))}')
    check(connections >= 3, f'the servers were reached: {connections}')
    check(not alive, 'the signal arrived')
    with open(test.path('elsewhere', 'there'), encoding='ascii') as file:
        check(file.read() != 'secret', 'the file outside was written to')


def in_terminal(argv, env, cwd):
    """Runs a program that has a terminal, its controlling one, for input, output and errors.
    Returns: its status, and what the terminal was sent."""
    ours, theirs = os.openpty()

    def take():
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(argv, env=env, cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs,
                               preexec_fn=take)
    os.close(theirs)
    sent = b''
    try:
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:  # EIO: nobody holds the other end
                break
            if not block:
                break
            sent += block
        return process.wait(60), sent
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def terminal(test):
    """Whoever replays in a terminal keeps it: the driver has pipes, and its words are made fit."""
    trace, _ = present(test)
    # The victim is somebody else: what harms none would slow the replay itself.
    env = {**test.env, 'VK_ICD_FILENAMES': INTRUDER, 'DISPLAY': '',
           'INTRUDER_VICTIM': str(os.getpid()), **SECRETS}
    status, sent = in_terminal([harness.CLI, 'replay', trace], env, test.dir)
    check_equal(status, 0, f'status of {sent[-2000:]}')
    lines = sent.decode('utf-8', 'replace').splitlines()
    tried = {line.split()[2].rstrip(':'): line for line in lines
             if line.startswith('intruder ') and len(line.split()) > 3}
    for act in NEVER:
        check(not tried[act].endswith('done'), tried[act])
    escapes = [line for line in lines if line.startswith('escapes of')]
    check(len(escapes) >= len(PLACES), f'lines with escapes: {lines}')
    bad = [line for line in escapes if any(ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0 for c in line)]
    check(not bad, f'control characters reach the terminal: {bad}')


def shader_tool(test):
    """What takes shaders apart is locked in the same way, and can open no file at all."""
    env = {**test.env, 'LD_PRELOAD': INTRUDER_TOOL, 'INTRUDER_FOLDER': test.folder('elsewhere'),
           'INTRUDER_SECRET': test.path('secret'), 'INTRUDER_SOCKET': test.path('socket')}
    module = test.path('module.spvasm')
    for path in (test.path('secret'), test.path('elsewhere', 'there')):
        with open(path, 'w', encoding='ascii') as file:
            file.write('secret')
    with open(module, 'w', encoding='ascii') as file:
        file.write('OpCapability Shader\nOpMemoryModel Logical GLSL450\n')
    victim = subprocess.Popen(['sleep', '600'])
    servers = Servers(test.path('socket'))
    try:
        env.update(INTRUDER_VICTIM=str(victim.pid), INTRUDER_PORT=str(servers.port))
        with open(module, 'rb') as text:
            result = subprocess.run([SHADER_TOOL, 'assemble'], stdin=text, capture_output=True,
                                    env=env, timeout=60 * harness.PATIENCE, start_new_session=True,
                                    check=False)
        check(victim.poll() is None, 'nobody was harmed')
    finally:
        victim.kill()
        victim.wait()
        servers.close()
    check(result.returncode == 0 and result.stdout[:4] == b'\x03\x02\x23\x07', f'it works: {result}')
    tried = [line.split(' ', 3) for line in result.stderr.decode('utf-8', 'replace').splitlines()
             if line.startswith('intruder ')]
    check(len(tried) > 60, f'the library tried things: {tried}')
    done = [act for _, _, act, outcome in tried if outcome == 'done']
    check(not done, f'possible in the tool: {done}')
    check_equal(servers.n, 0, 'connections')


def shader_cache(test):
    """What the driver compiles is kept in the one folder that it may write to, for the same trace."""
    trace, live = present(test)
    test.env['XDG_CACHE_HOME'] = test.folder('own-cache')
    for name in ('first', 'second'):
        check(test.replay(trace, '--frames-dir', test.folder(name)).json()['ok'], 'it replays')
        harness.compare_folders(test, test.path(name), live, 3)
    folder = os.path.join(test.env['XDG_CACHE_HOME'], 'vitrine', 'driver')
    files = [name for _, _, names in os.walk(folder) for name in names]
    check(files, f'the driver keeps shaders in {folder}')
    check_equal(len(os.listdir(folder)), 1, 'folders: one for the trace, none that is left')
    left = [path for path, _, names in os.walk(test.folder('home')) for name in names]
    check_equal(left, [], 'files in the home')


def planted(test):
    """Files that one trace makes a driver write are there when it is replayed again, and for no
    other trace; also not for what is in the same file later."""
    trace, _ = present(test)
    copy = test.path('copy.gfxtrace')
    shutil.copy(trace, copy)
    test.env['XDG_CACHE_HOME'] = test.folder('own-cache')
    limits = {'VK_ICD_FILENAMES': INTRUDER, 'INTRUDER_PLANT': 'seed'}

    def finds(path):
        result = test.cli('replay', path, **limits)
        said = [line.split(': ')[1] for line in result.err.splitlines()
                if line.startswith('intruder finds seed: ')]
        check(len(said) > 1, f'what it finds: {result}')
        return said[0]  # when it was loaded: it has planted since

    check_equal([finds(trace), finds(trace)], ['no', 'yes'], 'the same trace')
    check_equal([finds(copy), finds(copy)], ['no', 'yes'], 'another one')
    with open(trace, 'rb') as file:
        content = file.read()
    with open(trace, 'wb') as file:
        file.write(content)
    check_equal(finds(trace), 'no', 'another one in its place')
    # Nobody's trace: who asks for the devices.
    for _ in range(2):
        err = test.cli('devices', **limits).err
        check('intruder finds seed: no' in err and 'seed: yes' not in err, f'without a trace: {err}')


def greed(test):
    """Who takes more memory, disk or threads than a replay may have is ended, and that is said."""
    trace, _ = present(test)
    test.env['XDG_CACHE_HOME'] = test.folder('own-cache')
    folder = os.path.join(test.env['XDG_CACHE_HOME'], 'vitrine', 'driver')
    # The victim is somebody else: what harms none would slow the replay itself.
    limits = {'VITRINE_REPLAY_MEMORY': '512', 'VITRINE_REPLAY_DISK': '256',
              'VK_ICD_FILENAMES': INTRUDER, 'INTRUDER_VICTIM': str(os.getpid())}
    for what, word in (('memory', 'of memory'), ('shared', 'of memory'), ('both', 'of memory'),
                       ('tables', 'of memory'), ('disk', 'of files'), ('blind', 'of files'),
                       ('removed', 'of files'), ('mapped', 'of files'),
                       ('page', 'of files'), ('replaced', 'of files'),
                       ('threads', 'threads')):
        files = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, files[1]), files[1]))  # as usual
        result = test.cli('replay', trace, status=None, INTRUDER_GREED=what, **limits)
        resource.setrlimit(resource.RLIMIT_NOFILE, files)
        check(result.status not in (0, 2), f'{what}: the replay ends: {result}')
        check(word in result.err and 'was stopped while' in result.err, f'{what}: why: {result.err}')
        check(f'greed for {what}: done' not in result.err, f'{what}: it took all: {result.err}')
        held = sum(os.path.getsize(os.path.join(path, name))
                   for path, _, names in os.walk(folder) for name in names)
        check(held < 256 << 20, f'{what}: {held >> 20} MiB are left in {folder}')
    # Two GiB of files, but never more than one of them.
    err = test.replay(trace, INTRUDER_GREED='brief', **limits).err
    check('greed for brief: done' in err, f'files that are removed again: {err}')
    result = test.cli('replay', trace, status=None, INTRUDER_GREED='leader', **limits)
    check(result.status not in (0, 2), f'without its first thread the replay ends: {result}')
    check('greed for leader: done' not in result.err, f'without its first thread: {result.err}')
    # The next one is no worse for it.
    check(test.replay(trace).json()['ok'], 'a replay after them')


def told(test):
    """Where it is not whole, that is said."""
    devices = test.cli('devices', '--json', VK_ICD_FILENAMES=LAVAPIPE)
    state = devices.json()[0]['sandbox']
    check(state in ('full', 'partial'), f'it is locked: {state}')
    check_equal(state == 'full', 'locked down' not in devices.err, 'nothing is said when it is full')
    off = test.cli('devices', '--json', VK_ICD_FILENAMES=LAVAPIPE, VITRINE_SANDBOX='0')
    check_equal(off.json()[0]['sandbox'], 'off', 'sandbox')
    check('not locked down' in off.err, f'it says so: {off.err}')
    trace, live = present(test)
    report = test.cli('report', trace, VITRINE_SANDBOX='0').out
    check('not locked down' in report, f'the report says so: {report}')


def older(test):
    """On a kernel that lacks a part, replays work, and are said to be locked down in part."""
    trace, live = present(test)
    for lack, word in (('landlock', 'without Landlock'), ('notification', 'user notifications'),
                       ('gift', 'user notifications')):
        env = {**test.env, 'VK_ICD_FILENAMES': LAVAPIPE}
        frames = test.folder(lack)
        for command in (['replay', '--json', trace, '--frames-dir', frames], ['report', trace]):
            if command[0] == 'report' and lack == 'gift':
                continue  # only a replay finds out
            result = subprocess.run([OLDER_KERNEL, lack, harness.CLI, *command], env=env, cwd=test.dir,
                                    capture_output=True, encoding='utf-8', check=False,
                                    timeout=60 * harness.PATIENCE)
            check_equal(result.returncode, 0, f'{lack}: status of {result}')
            if command[0] == 'replay':
                check_equal(json.loads(result.stdout)['sandbox'], 'partial', f'sandbox without {lack}')
            else:
                check(word in result.stdout, f'{lack}: the report says so: {result.stdout}')
        harness.compare_folders(test, frames, live, 3)


harness.main(
    ('what a hostile driver tries is refused', locked),
    ('without the sandbox it is possible', unlocked),
    ('the terminal stays with whoever has it', terminal),
    ('so is what takes shaders apart', shader_tool),
    ('compiled shaders are kept in the folder of the trace', shader_cache),
    ('what one trace has written no other one reads', planted),
    ('what takes too much is ended', greed),
    ('what is not locked is said', told),
    ('what an older kernel lacks is said', older))
