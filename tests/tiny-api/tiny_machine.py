"""Runs the recorded commands of a tiny trace, in Python and without any code of the product or of libtiny: what each call
means is said in docs/design/api.md (6). A window that is not what the program had at a swap shows a call, an argument or
bytes that the trace lacks."""

import base64
import json
import struct
import subprocess

PICTURE, STORE, ARRAY = 'TN_PICTURE', 'TN_STORE', 'TN_ARRAY'


class Trace:
    """A trace, as vitrine-cli tells it; @most of its commands."""

    def __init__(self, cli, path, most=100000):
        self.cli, self.path = cli, path
        self.info = self.get('info')
        self.commands = [self.get(f'commands/{i}') for i in range(min(most, self.info['commands']))]
        self.initial = [self.get(f'initial/{i}') for i in range(self.info['initial_commands'])]
        for where, commands in (('initial', self.initial), ('commands', self.commands)):
            for i, command in enumerate(commands):
                command['path'] = f'{where}/{i}'

    def get(self, path):
        return json.loads(subprocess.run([*self.cli, 'get', '--json', self.path, path], check=True, capture_output=True,
                                         timeout=60).stdout)

    def observations(self, command):
        return self.get(f'{command["path"]}/observations')

    def bytes_of(self, command, write):
        """What was observed of a command: the bytes of its only observation of this sort; None: there is none."""
        found = [i for i, o in enumerate(self.observations(command)) if o['write'] == write]
        assert len(found) <= 1, f'{command["path"]}: {len(found)} observations'
        return base64.b64decode(self.get(f'{command["path"]}/observations/{found[0]}/bytes')) if found else None


class Object:
    def __init__(self):
        self.width = self.height = 0
        self.bytes = bytearray()
        self.store, self.points, self.stride = None, 0, 0


class Context:
    def __init__(self, group, width, height):
        self.group = group
        self.window, self.first_array = Object(), Object()
        self.window.width, self.window.height = width, height
        self.window.bytes = bytearray(4 * width * height)
        self.picture, self.store, self.array = self.window, None, self.first_array
        self.arrays = {}
        self.pen = 0xffffffff
        self.error = 0
        self.number = self.n_swaps = 0

    def names(self, kind):
        return {PICTURE: self.group[PICTURE], STORE: self.group[STORE], ARRAY: self.arrays}.get(kind)


def number(value):
    if isinstance(value, dict):
        value = value.get('address', value.get('offset'))
    return int(value, 0) if isinstance(value, str) else int(value or 0)


class Machine:
    """@on_swap (context, bytes) is called at each tnSwap."""

    def __init__(self, trace, on_swap=lambda context, data: None):
        self.trace, self.on_swap = trace, on_swap
        self.contexts = {}
        self.n_contexts = 0

    def run_all(self):
        """What the recording begins with, and then all that the program did."""
        windows = {scopes[0]['number']: scopes[0]['name'] for scopes in
                   (c.get('namespaces', []) for c in self.trace.initial) if scopes and scopes[0]['scope'] == 'context'}
        for command in self.trace.initial:
            for content in self.trace.get(f'{command["path"]}/contents'):
                self.fill(content, windows)
            self.run(command)
        assert not self.trace.initial or not self.trace.get('commands/0/contents'), 'contents behind the initial commands'
        for command in self.trace.commands:
            self.run(command)

    def fill(self, content, windows):
        assert (content['kind'], content['name'], content['format']) == ('picture', '0x0', 'RGBA8_UNORM'), content
        context = self.contexts[windows[content['namespace']]]
        data = base64.b64decode(content['base64'])
        assert len(data) == len(context.window.bytes), content
        context.window.bytes = bytearray(data)

    def run(self, command):
        getattr(self, command['name'])(command, command['parameters'])

    def context_of(self, command):
        """The context that the trace says the call was made in; None: outside of any."""
        scopes = command.get('namespaces', [])
        return self.contexts.get(scopes[0]['name']) if scopes and scopes[0]['scope'] == 'context' else None

    def tnCreateContext(self, command, args):
        share = self.contexts.get(args['share'])
        context = Context(share.group if share else {PICTURE: {}, STORE: {}}, args['width'], args['height'])
        context.number, self.n_contexts = self.n_contexts, self.n_contexts + 1
        self.contexts[f'{command["result"]:#x}'] = context

    def tnDestroyContext(self, command, args):
        pass

    def tnMakeCurrent(self, command, args):
        pass

    def tnFlush(self, command, args):
        pass

    def tnGen(self, command, args):
        pass

    def tnDelete(self, command, args):
        names = self.context_of(command).names(args['kind'])
        for name in args['names'] if names is not None else []:
            names.pop(number(name), None)

    def tnBind(self, command, args):
        context, name = self.context_of(command), number(args['name'])
        names = context.names(args['kind'])
        if names is None:
            context.error = 1
            return
        zero = {PICTURE: context.window, STORE: None, ARRAY: context.first_array}[args['kind']]
        found = names.setdefault(name, Object()) if name else zero
        setattr(context, {PICTURE: 'picture', STORE: 'store', ARRAY: 'array'}[args['kind']], found)

    @staticmethod
    def find_bytes(store, observed, at, size):
        data = observed if store is None else bytes(store.bytes)
        at = 0 if store is None else at
        return data[at:at + size] if data is not None and at + size <= len(data) else None

    def tnPictureData(self, command, args):
        context, size = self.context_of(command), 4 * args['width'] * args['height']
        data = None
        if context.picture is not context.window:
            at = number(args['texels']) if context.store else 0
            data = self.find_bytes(context.store, self.trace.bytes_of(command, False), at, size)
        if data is None:
            context.error = 2
            return
        context.picture.width, context.picture.height = args['width'], args['height']
        context.picture.bytes = bytearray(data)

    def tnStoreData(self, command, args):
        context = self.context_of(command)
        if context.store is None:
            context.error = 2
        else:
            context.store.bytes = bytearray(self.trace.bytes_of(command, False))
            assert len(context.store.bytes) == args['size'], command

    def tnPointer(self, command, args):
        context = self.context_of(command)
        context.array.store = context.store
        context.array.stride = args['stride']
        context.array.points = number(args['points'])

    def tnPen(self, command, args):
        self.context_of(command).pen = args['rgba']

    def points_of(self, command, context, first, count):
        array = context.array
        size = (first + count - 1) * array.stride + 8
        if array.store is not None:
            at = array.points
            return bytes(array.store.bytes[at:]) if at + size <= len(array.store.bytes) else None
        # The recorder has seen what the draw read, from its first point on.
        observed = self.trace.observations(command)
        assert number(observed[0]['base']) == array.points + first * array.stride, command
        return bytes(first * array.stride) + self.trace.bytes_of(command, False)

    def tnDraw(self, command, args):
        context, first, count = self.context_of(command), args['first'], args['count']
        data = self.points_of(command, context, first, count) if count else b''
        if data is None:
            context.error = 2
            return
        for i in range(0, count // 3 * 3, 3):
            fill(context.picture, [struct.unpack_from('<2f', data, (first + i + k) * context.array.stride)
                                   for k in range(3)], struct.pack('<I', context.pen))

    def tnRead(self, command, args):
        context = self.context_of(command)
        if args['size'] < len(context.picture.bytes):
            context.error = 2
        else:
            read = self.trace.bytes_of(command, True)
            assert read[:len(context.picture.bytes)] == context.picture.bytes, f'{command["path"]} read something else'

    def tnSwap(self, command, args):
        context = self.context_of(command)
        self.on_swap(context, bytes(context.window.bytes))
        context.n_swaps += 1

    def tnGetError(self, command, args):
        context = self.context_of(command)
        assert command['result'] == context.error, f'{command["path"]}: {command["result"]}, not {context.error}'
        context.error = 0


def fill(picture, points, texel):
    def side(a, b, x, y):
        return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])

    for y in range(picture.height):
        for x in range(picture.width):
            sides = [side(points[i], points[(i + 1) % 3], x + 0.5, y + 0.5) for i in range(3)]
            if all(s >= 0 for s in sides) or all(s <= 0 for s in sides):
                at = 4 * (y * picture.width + x)
                picture.bytes[at:at + 4] = texel
