#!/usr/bin/env python3
"""Checks which room includes which, and that rooms of no API name none.

The rooms are those of the table in docs/design/api.md (2.1). What is still wrong is listed in rooms.txt, and may only become less:

  [includes]     FILE: HEADER    an include that the table does not allow; of a room that is not in the table, each of
                                 another room's headers, except those of src/base and src/pixels. A file that has a number
                                 of identifiers may include src/vulkan as well
  [identifiers]  FILE: NUMBER    names of Vulkan in a file outside the rooms of an API
  [knots]        STEM: NUMBER    stems whose includes form a circle, if more than four, by the first of them
  [folders]      ROOM: NUMBER    rooms whose includes form a circle, by the first of them

Files that move keep their entries: they are told by their names, without folders.

Usage: check-rooms.py SOURCE_ROOT            fails when something came, grew, or became less than is listed
       check-rooms.py --lower SOURCE_ROOT    writes down what became less; still fails when something came or grew
       check-rooms.py --count SOURCE_ROOT    prints the sums
"""

import collections
import os
import pathlib
import re
import sys

APIS = ('vulkan', 'gl')
TOP = ('src', 'capture-layer', 'replayer')
LARGEST_KNOT = 4
# Where includes without a folder are looked for, after the folder of the file.
INCLUDED_FROM = ('src', 'capture-layer/core', 'capture-layer/vulkan', 'replayer', 'replayer/machine', 'replayer/vulkan', 'src/api')
SECTIONS = ('includes', 'identifiers', 'knots', 'folders')

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
# Comments and strings, of which includes are the only ones that count.
PROSE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
IDENTIFIER = re.compile(r'\b(?:Vk[A-Z]\w*|vk[A-Z]\w*|VK_\w+|PFN_vk\w+|VtrArgs_vk\w+|VTR_(?:CMD|HANDLE|STRUCT|ENUM)_[vV]k\w+)\b')
# What passes for a number in a header: fields, and names of values. Aspects of src/pixels have words.
IN_HEADER = re.compile(r'\b(?:vk_\w+|(?<!VtrPixelAspect )aspect|\w+_layout|queue|command_buffer|swapchain)(?=\s*(?:\[[^]]*\]\s*)?;)|\bVTR_\w*VULKAN\w*(?=\s*[,=])')


# ---- The table ----

def read_table(text):
    """The rooms, and for each those it may include."""
    table, inside = {}, False
    for line in text.splitlines():
        if line.startswith('### '):
            inside = line.startswith('### 2.1 ')
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if not inside or len(cells) != 4 or not re.match(r'`[\w/-]+`$', cells[0]):
            continue
        table[cells[0].strip('`')] = [] if cells[3] == '–' else cells[3].split()
    return table


def expand(table):
    """With a room for each API in place of `API`, and short names in full."""
    rooms = {}
    for room, allowed in table.items():
        for api in APIS if 'API' in room.split('/') else ('',):
            rooms[room.replace('API', api)] = [name.replace('API', api) for name in allowed]
    neutral = [room for room in rooms if room.startswith('src/engine/') and room.split('/')[-1] not in APIS + ('gapid',)]
    for room, allowed in rooms.items():
        full = {room}
        for name in allowed:
            full.update({'common': ('src/base', 'src/pixels', 'src/api', 'src/wire'), 'e/*': neutral}.get(
                name, (re.sub('^e/', 'src/engine/', name),)))
        rooms[room] = full
    return rooms


def room_of(name, rooms):
    """The folder of a file, or the nearest one around it that is a room; its folder where none is."""
    folder = pathlib.PurePosixPath(name).parent
    return next((str(around) for around in (folder, *folder.parents) if str(around) in rooms), str(folder))


def is_of_api(room):
    return any(part in APIS + ('gapid',) for part in room.split('/'))


# ---- The tree ----

class Tree:
    def __init__(self, root):
        self.texts = {}
        for top in TOP:
            for folder, _, names in os.walk(root / top):
                for name in names:
                    path = pathlib.Path(folder, name)
                    if name.endswith(('.c', '.h')) and '/gen/' not in path.as_posix():
                        self.texts[path.relative_to(root).as_posix()] = path.read_text(encoding='utf-8')
        self.includes = {name: [found for found in (self.find(name, what) for what in INCLUDE.findall(text)) if found]
                         for name, text in self.texts.items()}

    def find(self, name, included):
        """None: it is generated."""
        for folder in (os.path.dirname(name), *INCLUDED_FROM):
            path = os.path.normpath(os.path.join(folder, included))
            if path in self.texts:
                return path
        return None

    def stem(self, name):
        """foo.c, foo.h and foo-private.h are one; a .c without a header counts to the header that it includes first,
        and stands alone if that one is generated."""
        stem = re.sub(r'(-private)?\.[ch]$', '', name)
        if name.endswith('.c') and not any(stem + end in self.texts for end in ('.h', '-private.h')):
            first = INCLUDE.search(self.texts[name])
            first = self.find(name, first.group(1)) if first else None
            if first is not None and os.path.dirname(first) == os.path.dirname(name):
                return re.sub(r'(-private)?\.h$', '', first)
        return stem


def find_circles(edges):
    """Strongly connected sets of more than one, of a dict of sets (Tarjan, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in sorted(edges):
        if start in index:
            continue
        work = [(start, iter(sorted(edges[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            step = next((other for other in rest if other in edges), None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    circle = []
                    while not circle or circle[-1] != node:
                        circle.append(stack.pop())
                        on_stack.discard(circle[-1])
                    if len(circle) > 1:
                        found.append(sorted(circle))
            elif step not in index:
                index[step] = low[step] = len(index)
                stack.append(step)
                on_stack.add(step)
                work.append((step, iter(sorted(edges[step]))))
            elif step in on_stack:
                low[node] = min(low[node], index[step])
    return found


# ---- What is wrong ----

def count_identifiers(name, text):
    code = PROSE.sub(' ', text)
    return len(IDENTIFIER.findall(code)) + (len(IN_HEADER.findall(code)) if name.endswith('.h') else 0)


def look(root):
    """A dict for each section: numbers by names."""
    tree = Tree(root)
    rooms = expand(read_table((root / 'docs/design/api.md').read_text(encoding='utf-8')))
    found = {section: {} for section in SECTIONS}
    folders, stems = collections.defaultdict(set), collections.defaultdict(set)
    for name, text in tree.texts.items():
        room, folder = room_of(name, rooms), os.path.dirname(name)
        n = 0 if is_of_api(room) else count_identifiers(name, text)
        allowed = rooms.get(room, {room, 'src/base', 'src/pixels'}).union(f'src/{api}' for api in APIS if n > 0)
        for header in tree.includes[name]:
            stems[tree.stem(name)].add(tree.stem(header))
            if os.path.dirname(header) != folder:
                folders[folder].add(os.path.dirname(header))
            if room_of(header, rooms) not in allowed:
                found['includes'][f'{name}: {header}'] = 1
        if n > 0:
            found['identifiers'][name] = n
    for stem in stems:
        stems[stem].discard(stem)
    found['knots'] = {circle[0]: len(circle) for circle in find_circles(stems) if len(circle) > LARGEST_KNOT}
    found['folders'] = {circle[0]: len(circle) for circle in find_circles(folders)}
    return found


def read_list(path):
    lists, section = {section: {} for section in SECTIONS}, None
    for line in path.read_text(encoding='utf-8').splitlines():
        if line.startswith('['):
            section = line.strip('[]')
        elif line and not line.startswith('#'):
            if section == 'includes':
                lists[section][line] = 1
            else:
                name, number = line.rsplit(': ', 1)
                lists[section][name] = int(number)
    return lists


def write_list(path, lists):
    lines = ['# What is still wrong with the rooms: see check-rooms.py. Entries go and shrink, none comes or grows.']
    for section in SECTIONS:
        lines += ['', f'[{section}]']
        lines += [name if section == 'includes' else f'{name}: {number}' for name, number in sorted(lists[section].items())]
    path.write_text('\n'.join(lines) + '\n', encoding='utf-8')


def base_of(entry):
    """Without folders."""
    return ': '.join(os.path.basename(part) for part in entry.split(': '))


def sum_by_base(entries):
    sums = collections.Counter()
    for entry, number in entries.items():
        sums[base_of(entry)] += number
    return sums


def compare(found, listed):
    """Sentences about what came or grew."""
    known = sum_by_base(listed['includes'])
    problems = [f'{entry}: the table of docs/design/api.md does not allow this include'
                for entry in found['includes'] if base_of(entry) not in known]
    known, sums = (sum_by_base(each['identifiers']) for each in (listed, found))
    problems += [f'{name}: {sums[base_of(name)]} names of Vulkan, of at most {known[base_of(name)]}, in a room of no API'
                 for name in found['identifiers'] if sums[base_of(name)] > known[base_of(name)]]
    # Circles are told by their sizes: another member may become the first.
    for section in ('knots', 'folders'):
        before, now = (sorted(each[section].values(), reverse=True) for each in (listed, found))
        if len(now) > len(before) or any(size > old for size, old in zip(now, before)):
            problems.append(f'{section}: circles of {now}, of at most {before}, that include each other: '
                            f'{", ".join(sorted(found[section]))}')
    return problems


def main():
    lower, count = (option in sys.argv[1:] for option in ('--lower', '--count'))
    root = pathlib.Path(sys.argv[-1]).resolve()
    path = root / 'tests/style/rooms.txt'
    found = look(root)
    if count:
        for section in SECTIONS:
            print(f'{section}: {len(found[section])} entries, sum {sum(found[section].values())}')
        return 0
    listed = read_list(path)
    problems = compare(found, listed)
    if lower and not problems:
        write_list(path, found)
    elif not problems and found != listed:
        problems.append('tests/style/rooms.txt: it lists more than there is, or files that moved. Write down what there is: '
                        'tests/style/check-rooms.py --lower .')
    print('\n'.join(problems))
    return 1 if problems else 0


sys.exit(main())
