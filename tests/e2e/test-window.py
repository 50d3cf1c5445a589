#!/usr/bin/env python3
"""The window over D-Bus, on an X server of its own: it outlives its replayers, and what it was
recording when it dies is not lost."""

import os
import random
import signal
import threading
import time

import harness
import kills
import windows
from harness import app, check

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
    end = time.monotonic() + windows.GRACE
    while time.monotonic() < end:
        answer = question()
        if answer:
            return answer
        time.sleep(0.05)
    raise harness.Failure(f'{what} did not come')


def replayer_killed(test):
    """The replayer dies under the window again and again; the window answers, and draws."""
    # Far from each other: what has been drawn once, and what is fetched ahead, needs no replayer.
    trace = test.capture(app('load'), '--draws', 40 * (kills.KILLS + 1), '--frames', 1, '--visible')
    draws = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
    window = windows.Window(test, trace)
    source = random.Random(f'{kills.SEED} window')
    dead = set()
    try:
        window.wait_ready()
        for number in range(kills.KILLS):
            window.activate('select', f'commands/{draws[40 * number]}').check()
            # It starts again when something is asked of it.
            end = time.monotonic() + 2 * harness.PATIENCE
            while dead.issuperset(replayers(window.process.pid)) and time.monotonic() < end:
                time.sleep(0.005)
            time.sleep(source.uniform(0, 0.15))
            for pid in replayers(window.process.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                    dead.add(pid)
                except ProcessLookupError:
                    pass
            window.check_lives(f'after kill {number}')
        check(len(dead) >= kills.KILLS // 2, f'only {len(dead)} replayers to kill')

        # And it still shows what it should.
        picture = test.path('window.png')
        truth = test.path('cli.png')
        window.activate('select', f'commands/{draws[-1]}').check()
        test.cli('screenshot', trace, '--at', str(draws[-1]), '-o', truth)

        expected = harness.Png(truth).rgb()

        window.activate('export-framebuffer', picture)
        wait_for(lambda: os.path.exists(picture), f'a picture ({window.messages()})')
        check(harness.Png(picture).rgb() == expected, 'not the picture of the last draw')
        check('CRITICAL' not in window.messages(), window.messages())
        test.note(f'{len(dead)} replayers killed')
    finally:
        window.close()


def kill_all(pids):
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def replayer_killed_idle(test):
    """A replayer that dies while nobody waits for it is nobody's loss: the next picture comes."""
    trace = test.capture(app('load'), '--draws', 400, '--frames', 2, '--visible')
    draws = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        for part in (0.95, 0.8, 0.6):
            # The first is of no use: the second goes on from the state that was kept for it.
            for draw in draws[int(part * len(draws)):][:2]:
                window.get('GetImage', f'commands/{draw}/framebuffer/color0')
            time.sleep(1)  # what the window fetches ahead
            dead = replayers(window.process.pid)
            check(dead, 'no replayer to kill')
            draw = draws[int(part * len(draws)) + 7]
            if part == 0.8:
                # One that is being killed takes its time: it is still there when it is asked.
                for pid in dead:
                    os.kill(pid, signal.SIGSTOP)
                end = threading.Timer(0.5, kill_all, [dead])
                end.start()
                window.get('GetImage', f'commands/{draw}/framebuffer/color0')
                end.join()
            else:
                kill_all(dead)
                window.get('GetImage', f'commands/{draw}/framebuffer/color0')
        check('has ended' not in window.messages(), window.messages())
    finally:
        window.close()


def window_killed(test):
    """The window dies while it records: the program runs on, and all it had committed is there."""
    n_kills = max(3, kills.KILLS // 4)
    source = random.Random(f'{kills.SEED} recording window')
    for number in range(n_kills):
        counters = kills.Counters(test.path(f'counters-{number}'))
        window = windows.Window(test, '--capture', '--', app('counter'), '--counters', counters.path,
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


class Pulse(threading.Thread):
    """Asks the window's main loop for something small, again and again, and keeps the longest wait."""

    def __init__(self, window):
        super().__init__(daemon=True)
        self.window, self.longest, self.answers, self.over = window, 0, 0, False
        self.start()

    def run(self):
        while not self.over:
            begun = time.monotonic()
            if self.window.call('org.gtk.Actions.List').status == 0:
                self.answers += 1
            self.longest = max(self.longest, time.monotonic() - begun)

    def stop(self):
        self.over = True
        self.join()


def never_hangs(test):
    """Whatever is selected, with replays of all lengths under way, the main loop answers; a trace is
    closed and the window quits in the middle of one."""
    trace = test.capture(app('load'), '--draws', 2500, '--frames', 40, '--visible')
    calls = 2500 * 4 * 40
    window = windows.Window(test, trace)
    pulse = None
    try:
        window.wait_ready()
        pulse = Pulse(window)
        for path in ('commands/{}', 'commands/{}/state', 'commands/{}/state/queues', 'textures',
                     'commands/{}/memory', 'commands/{}/memory/0/0x0-0xffffffffffffffff',
                     'commands/{}/shaders', 'shaders', 'report', 'frames/999999999', 'initial/0',
                     'commands/99999999999999999999', 'commands/{}' + '/parameters' * 2000,
                     'objects/4294967295', 'commands/{}/framebuffer/color7', '/', ''):
            for part in (0.99, 0.5, 0.01):
                window.activate('select', path.format(int(calls * part)))
        window.activate('open', trace)
        window.activate('select', f'commands/{calls - 1}')
        pulse.stop()
        check(pulse.answers > 0, 'no answer at all')
        check(pulse.longest < windows.GRACE / 2, f'no answer for {pulse.longest:.1f} s')
        window.check_lives('after all selections')
        window.activate('select', f'commands/{calls - 5}')
        begun = time.monotonic()
        window.activate('quit')
        wait_for(lambda: window.process.poll() is not None, 'the end of the window')
        print(f'# the longest wait: {pulse.longest * 1000:.0f} ms of {pulse.answers} answers; '
              f'it quit in {time.monotonic() - begun:.2f} s')
    finally:
        if pulse is not None:
            pulse.over = True
        window.close()


harness.main(never_hangs, replayer_killed, replayer_killed_idle, window_killed)
