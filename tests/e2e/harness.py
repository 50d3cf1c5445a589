"""Shared code of the end-to-end tests: a display, programs, vitrine-cli, images, and TAP.

Standard library only, and no code of the product: the tests know Vitrine by its command line and
by the files it writes.
"""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zlib

CAPTURE_LAYER = 'VK_LAYER_VITRINE_capture'
WITNESS_LAYER = 'VK_LAYER_VITRINE_witness'
GFXRECON_LAYER = 'VK_LAYER_LUNARG_gfxreconstruct'
VALIDATION_LAYER = 'VK_LAYER_KHRONOS_validation'

FORMAT_D32 = 126
FORMAT_S8 = 127
BGRA_FORMATS = (44, 50)
RGBA_FORMATS = (37, 43)


class Failure(AssertionError):
    """What a check says; its text is shown without a backtrace."""


class Skip(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failure(message)


def check_equal(got, expected, what):
    check(got == expected, f'{what}: got {got!r}, expected {expected!r}')


# Programs

class Result:
    def __init__(self, argv, status, out, err, seconds):
        self.argv = argv
        self.status = status  # negative: the signal that ended it
        self.out = out
        self.err = err
        self.seconds = seconds

    def __str__(self):
        return (f'{" ".join(map(str, self.argv))}\n'
                f'status {self.status} after {self.seconds:.1f} s\n'
                f'--- out\n{self.out[-4000:]}\n--- err\n{self.err[-4000:]}')

    def check(self, status=0):
        check(self.status == status, f'expected status {status} of {self}')
        return self

    def json(self):
        """The last line of the output that is JSON."""
        for line in reversed(self.out.splitlines()):
            if line.startswith(('{', '[')):
                return json.loads(line)
        raise Failure(f'no JSON from {self}')


def children(pid):
    found = []
    try:
        for task in os.listdir(f'/proc/{pid}/task'):
            with open(f'/proc/{pid}/task/{task}/children', encoding='ascii') as file:
                found += [int(child) for child in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def descendants(pid):
    found = children(pid)
    return found + [below for child in found for below in descendants(child)]


def end_group(process, number=signal.SIGKILL):
    """Ends a program started by start() and whatever it started, in its process group or not."""
    below = descendants(process.pid)
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
    for pid in below:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


# The niceness of the scheduler's group that each new session is; None leaves it. For measuring.
AUTOGROUP_NICE = None


def start(argv, env=None, **options):
    process = subprocess.Popen([str(a) for a in argv], env=env, start_new_session=True,
                               stdin=subprocess.DEVNULL, **options)
    if AUTOGROUP_NICE is not None:
        try:
            with open(f'/proc/{process.pid}/autogroup', 'w', encoding='ascii') as file:
                file.write(str(AUTOGROUP_NICE))
        except OSError:
            pass
    return process


# Limits are what a quiet machine needs, with room. They are for what hangs: a busy one gets more.
PATIENCE = 3


def run(argv, env=None, timeout=60, cwd=None):
    """Runs a program to its end. One that takes longer than PATIENCE times `timeout` seconds is a
    failure: that nothing hangs is part of what every test here tests."""
    timeout *= PATIENCE
    begun = time.monotonic()
    process = start(argv, env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=timeout)
        late = False
    except subprocess.TimeoutExpired:
        end_group(process)
        out, err = process.communicate()
        late = True
    result = Result(argv, process.returncode, out.decode('utf-8', 'replace'),
                    err.decode('utf-8', 'replace'), time.monotonic() - begun)
    check(not late, f'still running after {timeout} s: {result}')
    return result


def need(program):
    path = shutil.which(program)
    check(path is not None, f'{program} is not installed (build-aux/install-deps)')
    return path


def need_swiftshader():
    """The second rendering driver; build-aux/install-deps puts it there."""
    check(os.path.exists(SWIFTSHADER),
          f'SwiftShader is not in {os.path.dirname(SWIFTSHADER)} (build-aux/install-deps)')
    return SWIFTSHADER


def need_newer_lavapipe():
    """A lavapipe that has what Debian 12's has not (ray tracing, sparse resources, …).
    build-aux/install-deps takes it from Debian's backports, if they can be reached."""
    if not os.path.exists(BACKPORTS):
        raise Skip(f'no newer lavapipe is in {os.path.dirname(BACKPORTS)} (build-aux/install-deps)')
    return BACKPORTS


class Display:
    """A private X server, on whatever display number is free."""

    def __init__(self, size='1280x1024x24'):
        read_end, write_end = os.pipe()
        self.process = start([need('Xvfb'), '-displayfd', write_end, '-screen', '0', size,
                              '-noreset', '-nolisten', 'tcp'],
                             pass_fds=[write_end], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        check(number != '', 'Xvfb did not start')
        self.name = f':{number}'

    def close(self):
        end_group(self.process, signal.SIGTERM)
        self.process.wait()


class Exposer:
    """Uncovers a program's windows again and again, for one that draws only when told to."""

    def __init__(self, env, pattern):
        self.env = env
        self.pattern = pattern
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        xdotool = need('xdotool')
        while not self.done.wait(0.02):
            for window in run([xdotool, 'search', '--name', self.pattern], self.env).out.split():
                run([xdotool, 'windowunmap', window, 'windowmap', window], self.env)

    def close(self):
        self.done.set()
        self.thread.join()


# Environment: set by meson; the defaults serve a run by hand from the build folder.

BUILD = os.environ.get('VITRINE_BUILD_DIR', os.getcwd())
APPS = os.path.join(BUILD, 'tests', 'apps')
WITNESS_DIR = os.path.join(BUILD, 'tests', 'witness-layer')
LAYER_DIR = os.environ.get('VITRINE_LAYER_DIR', os.path.join(BUILD, 'capture-layer'))
REPLAYER = os.environ.get('VITRINE_REPLAYER', os.path.join(BUILD, 'replayer', 'vitrine-replayer'))
CLI = os.environ.get('VITRINE_CLI', os.path.join(BUILD, 'src', 'cli', 'vitrine-cli'))
SHADERS = os.path.join(BUILD, 'tests', 'e2e', 'shaders')
LAVAPIPE = '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json'
FONTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'fonts.conf')
DRIVERS = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'),
                       'vitrine-tests')
SWIFTSHADER = os.path.join(DRIVERS, 'swiftshader', 'vk_swiftshader_icd.json')
BACKPORTS = os.path.join(DRIVERS, 'backports', 'lvp_icd.json')


def app(name):
    return os.path.join(APPS, f'vtr-app-{name}')


def base_environment(runtime_dir):
    """A small environment of our own, so that nobody's settings change a test."""
    env = {name: os.environ[name] for name in ('PATH', 'HOME', 'LD_LIBRARY_PATH', 'ASAN_OPTIONS',
                                               'UBSAN_OPTIONS', 'LSAN_OPTIONS')
           if name in os.environ}
    env.update({
        'LC_ALL': 'C.UTF-8',
        'XDG_RUNTIME_DIR': runtime_dir,
        'XDG_CACHE_HOME': os.path.join(runtime_dir, 'cache'),
        'XDG_CONFIG_HOME': os.path.join(runtime_dir, 'config'),
        'XDG_DATA_HOME': os.path.join(runtime_dir, 'data'),
        'XDG_STATE_HOME': os.path.join(runtime_dir, 'state'),
        'VITRINE_NO_CACHE': '1',  # what is tested is the replay
        'VK_ICD_FILENAMES': os.environ.get('VK_ICD_FILENAMES', LAVAPIPE),
        'VITRINE_LAYER_DIR': LAYER_DIR,
        'VITRINE_REPLAYER': REPLAYER,
        # What the tests' drivers are told.
        'VITRINE_REPLAY_ENVIRONMENT': 'VTR_MOCK*,OTHER_DRIVER_*,INTRUDER_*',
        # Measured and compared programs must not differ by what the allocator gives back.
        'NODEVICE_SELECT': '1',
        'FONTCONFIG_FILE': FONTS,
    })
    return env


def share_shaders(env):
    """What the driver compiles for programs is kept in the build folder for all tests: compiling it anew
    for each was most of what they took. Replays have a folder for each trace, and remove what is none."""
    os.makedirs(SHADERS, exist_ok=True)
    env['MESA_SHADER_CACHE_DIR'] = SHADERS


class Test:
    """One test's surroundings: a folder, an environment, a display on demand, the command line."""

    def __init__(self, name):
        self.name = name
        self.dir = tempfile.mkdtemp(prefix='vtr-')
        self.runtime = os.path.join(self.dir, 'run')
        os.mkdir(self.runtime, 0o700)
        self.env = base_environment(self.runtime)
        share_shaders(self.env)
        self.display = None
        self.notes = []

    def close(self, keep):
        if self.display is not None:
            self.display.close()
        if keep:
            self.note(f'files kept in {self.dir}')
        else:
            shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def folder(self, name):
        path = self.path(name)
        os.makedirs(path, exist_ok=True)
        return path

    def note(self, text):
        self.notes.append(text)

    def need_display(self):
        if self.display is None:
            self.display = Display()
            self.env['DISPLAY'] = self.display.name

    def run(self, argv, timeout=60, **extra):
        return run(argv, {**self.env, **extra}, timeout, cwd=self.dir)

    def cli(self, *arguments, timeout=60, status=0, **extra):
        """vitrine-cli; `status` None accepts any that is no signal."""
        result = self.run([CLI, *arguments], timeout, **extra)
        if status is None:
            check(0 <= result.status < 128, f'it crashed: {result}')
            return result
        return result.check(status)

    def capture(self, *program, frames=None, output=None, timeout=60, status=0, witness=None,
                options=(), **extra):
        """Captures a program; returns the path of the trace. `witness`: a folder for the frames."""
        output = output or self.path('capture.gfxtrace')
        arguments = ['capture', '--json', '-o', output, *options]
        if frames is not None:
            arguments += ['--frames', str(frames)]
        if witness is not None:
            extra = {**extra, **witness_environment(witness)}
        self.captured = self.cli(*arguments, '--', *program, timeout=timeout, status=status,
                                 **extra)
        return output

    def info(self, trace):
        return self.cli('info', '--json', trace).json()

    def commands(self, trace, *arguments):
        result = self.cli('commands', '--json', *arguments, trace, timeout=120)
        return [json.loads(line) for line in result.out.splitlines() if line]

    def replay(self, trace, *arguments, timeout=120, status=0, **extra):
        """Replays without a display: a replay needs no window."""
        env = dict(extra)
        env.setdefault('DISPLAY', '')
        return self.cli('replay', '--json', *arguments, trace, timeout=timeout, status=status, **env)


def witness_environment(folder):
    """Debian 12's loader stacks explicit layers in the order in which it finds them: the capture
    layer's folder, which vitrine-cli puts in front, then this one, then the system's."""
    return {'VK_ADD_LAYER_PATH': WITNESS_DIR, 'VK_INSTANCE_LAYERS': WITNESS_LAYER,
            'VITRINE_WITNESS_DIR': folder}


# Images

class Frame:
    HEADER = struct.Struct('<8sIIIIQ')
    KTX2 = b'\xabKTX 20\xbb\r\n\x1a\n'

    def __init__(self, width, height, format, data):
        self.width = width
        self.height = height
        self.format = format
        self.data = data

    @classmethod
    def read(cls, path):
        """A KTX2 file of Vitrine's, or a frame as the witness and the programs of the tests write it."""
        with open(path, 'rb') as file:
            contents = file.read()
        if contents.startswith(cls.KTX2):
            format, _, width, height, depth, layers, faces, levels = struct.unpack_from(
                '<8I', contents, len(cls.KTX2))
            check_equal((depth, layers, faces, levels), (0, 0, 1, 1), f'shape of {path}')
            offset, size = struct.unpack_from('<QQ', contents, 80)
            check_equal(offset + size, len(contents), f'size of {path}')
            return cls(width, height, format, contents[offset:])
        check(len(contents) >= cls.HEADER.size, f'{path} is too short for a frame')
        magic, version, width, height, format, size = cls.HEADER.unpack_from(contents)
        check(magic == b'VTRFRAME' and version == 1, f'{path} is no frame')
        check(len(contents) == cls.HEADER.size + size, f'{path} does not have the size it says')
        return cls(width, height, format, contents[cls.HEADER.size:])

    @classmethod
    def read_raw(cls, image):
        """Plain texels, with their size from the JSON that `screenshot` prints of them."""
        with open(image['raw'] or image['path'], 'rb') as file:
            data = file.read()
        check_equal(len(data), image['bytes'], f'bytes of {image["image"]}')
        return cls(image['width'], image['height'], image['format'], data)

    def texel_size(self):
        return len(self.data) // max(1, self.width * self.height)

    def rgb(self):
        """Rows of RGB bytes, of the 8-bit formats."""
        check(self.format in BGRA_FORMATS + RGBA_FORMATS, f'format {self.format} has no 8-bit RGB')
        out = bytearray(self.width * self.height * 3)
        blue = 0 if self.format in BGRA_FORMATS else 2
        out[0::3] = self.data[2 - blue::4]
        out[1::3] = self.data[1::4]
        out[2::3] = self.data[blue::4]
        return bytes(out)

    def describe_difference(self, other):
        """None if equal, else a sentence."""
        if (self.width, self.height, self.format) != (other.width, other.height, other.format):
            return (f'{self.width}x{self.height} format {self.format} is not '
                    f'{other.width}x{other.height} format {other.format}')
        if self.data == other.data:
            return None
        size = self.texel_size()
        texels = [i for i in range(self.width * self.height)
                  if self.data[i * size:(i + 1) * size] != other.data[i * size:(i + 1) * size]]
        if not texels:
            return f'{len(self.data)} bytes are not {len(other.data)}'
        first = texels[0]
        return (f'{len(texels)} of {self.width * self.height} texels differ, the first at '
                f'({first % self.width}, {first // self.width}): '
                f'{self.data[first * size:(first + 1) * size].hex()} is not '
                f'{other.data[first * size:(first + 1) * size].hex()}')


def write_png(path, width, height, rgb):
    rows = b''.join(b'\0' + rgb[y * width * 3:(y + 1) * width * 3] for y in range(height))

    def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data +
                struct.pack('>I', zlib.crc32(kind + data)))

    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' +
                   chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) +
                   chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def unfilter(kind, row, above, step):
    if kind == 1:
        for i in range(step, len(row)):
            row[i] = (row[i] + row[i - step]) & 255
    elif kind == 2:
        for i in range(len(row)):
            row[i] = (row[i] + above[i]) & 255
    elif kind == 3:
        for i in range(len(row)):
            left = row[i - step] if i >= step else 0
            row[i] = (row[i] + (left + above[i]) // 2) & 255
    elif kind == 4:
        for i in range(len(row)):
            a = row[i - step] if i >= step else 0
            b = above[i]
            c = above[i - step] if i >= step else 0
            p = a + b - c
            pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
            row[i] = (row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255


class Png:
    """A decoded PNG of 8 or 16 bits a channel; `data` is rows of `channels` samples."""

    def __init__(self, path):
        with open(path, 'rb') as file:
            contents = file.read()
        check(contents[:8] == b'\x89PNG\r\n\x1a\n', f'{path} is no PNG')
        offset, packed = 8, b''
        while offset < len(contents):
            length, kind = struct.unpack_from('>I4s', contents, offset)
            data = contents[offset + 8:offset + 8 + length]
            if kind == b'IHDR':
                self.width, self.height, self.bits, color = struct.unpack_from('>IIBB', data)
            elif kind == b'IDAT':
                packed += data
            offset += 12 + length
        self.channels = {0: 1, 2: 3, 4: 2, 6: 4}[color]
        step = self.channels * self.bits // 8
        stride = self.width * step
        raw = zlib.decompress(packed)
        above = bytearray(stride)
        rows = []
        for y in range(self.height):
            start_of_row = y * (stride + 1)
            row = bytearray(raw[start_of_row + 1:start_of_row + 1 + stride])
            unfilter(raw[start_of_row], row, above, step)
            rows.append(bytes(row))
            above = row
        self.data = b''.join(rows)

    def rgb(self):
        """8 bits a channel: of 16 the upper ones."""
        check(self.bits in (8, 16) and self.channels in (3, 4), 'the PNG is not in colour')
        data = self.data[::2] if self.bits == 16 else self.data
        if self.channels == 3:
            return data
        out = bytearray(self.width * self.height * 3)
        for channel in range(3):
            out[channel::3] = data[channel::4]
        return bytes(out)


def frame_names(folder):
    return sorted(n for n in os.listdir(folder) if re.fullmatch(r'frame-\d{6,}\.(raw|ktx2)', n))


def frame_path(folder, number):
    """Presented image `number` in a folder of the witness (.raw) or of a replay (.ktx2)."""
    path = os.path.join(folder, f'frame-{number:06}')
    return path + ('.ktx2' if os.path.exists(path + '.ktx2') else '.raw')


def raw_images(result):
    """Number of the file in the folder that --raw named → its texels, of one run of `screenshot`."""
    described = [json.loads(line) for line in result.out.splitlines() if line.startswith('{')]
    return {int(os.path.basename(image['raw'])[:-len('.raw')]): Frame.read_raw(image)
            for image in described}


def save_difference(test, name, got, expected):
    """Leaves pictures of two frames that should be equal in the test's folder."""
    for suffix, frame in (('got', got), ('expected', expected)):
        try:
            write_png(test.path(f'{name}-{suffix}.png'), frame.width, frame.height, frame.rgb())
        except Failure:
            pass


def copy_frame(source, name, folder, number):
    """Frame `name` of one folder becomes frame `number` of another."""
    shutil.copyfile(os.path.join(source, name), os.path.join(folder, f'frame-{number:06}.raw'))


def compare_folders(test, got, expected, count):
    """The first `count` frames of two folders are equal byte for byte."""
    for number in range(count):
        paths = [frame_path(folder, number) for folder in (got, expected)]
        for path in paths:
            check(os.path.exists(path), f'there is no {path}')
        a, b = map(Frame.read, paths)
        difference = a.describe_difference(b)
        if difference is not None:
            save_difference(test, f'frame-{number:06}', a, b)
            raise Failure(f'frame {number}: {difference}')


# TAP

def wanted(name):
    return len(sys.argv) < 2 or any(pattern in name for pattern in sys.argv[1:])


def main(*tests):
    """Runs the tests, each a function of a Test, or a (name, function) pair, as TAP. Arguments on
    the command line choose those whose names contain one of them. VITRINE_TEST_KEEP=1 keeps the
    folders of tests that pass, too."""
    pairs = [t if isinstance(t, tuple) else (t.__name__.replace('_', '-'), t) for t in tests]
    pairs = [pair for pair in pairs if wanted(pair[0])]
    failed = 0
    print(f'1..{len(pairs)}', flush=True)
    for number, (name, function) in enumerate(pairs, 1):
        test = Test(name)
        begun = time.monotonic()
        outcome, detail = 'ok', ''
        try:
            function(test)
        except Skip as reason:
            detail = f' # SKIP {reason}'
        except Failure as failure:
            outcome = 'not ok'
            test.note(str(failure))
        except Exception:
            outcome = 'not ok'
            test.note(traceback.format_exc())
        failed += outcome != 'ok'
        test.close(outcome != 'ok' or 'VITRINE_TEST_KEEP' in os.environ)
        for note in test.notes:
            print('\n'.join(f'# {line}' for line in note.splitlines()))
        print(f'{outcome} {number} - {name}{detail}')
        print(f'# {time.monotonic() - begun:.1f} s', flush=True)
    sys.exit(1 if failed else 0)
