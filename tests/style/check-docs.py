#!/usr/bin/env python3
"""Checks that what the documents name exists: files, folders, functions, types, and the targets of links.

Also: ARCHITECTURE.md is a map of at most 150 lines with a link to each page of docs/design, and README.md fits on three screens.
docs/design/gl.md is left out, because it is a plan. The paths in docs/design/api.md are not checked, because it also names the
folders of OpenGL and of the tests' API, and it is longer than other pages, because it has a row for each member of the interface.

Usage: check-docs.py SOURCE_ROOT
"""

import pathlib
import re
import subprocess
import sys

MAX_LINES = {'ARCHITECTURE.md': 150, 'README.md': 90}
PAGE_LINES = range(30, 221)  # of a page of docs/design
LEFT_OUT = ('docs/design/gl.md',)
INTERFACE = 'docs/design/api.md'

CODE = re.compile(r'```.*?```', re.S)
WORD = re.compile(r'`([^`\n]+)`')
LINK = re.compile(r'\]\(([^)#\s]*)(?:#([^)\s]*))?\)')
PATH = re.compile(r'(?:src|capture-layer|replayer|tests|docs|build-aux|data|dev|po|flatpak)/[\w./*-]*')
NAME = re.compile(r'(vtr_\w+) \(\)|(Vtr[A-Z]\w+)')


def list_sources(root):
    names = subprocess.run(['git', '-C', root, 'ls-files'], capture_output=True, text=True, check=False).stdout.split()
    return names or [str(path.relative_to(root)) for path in pathlib.Path(root).rglob('*') if path.is_file()]


def anchors(text):
    """The anchors of a page's titles, as they are made where the pages are shown."""
    titles = re.findall(r'^#+ +(.*)$', CODE.sub('', text), re.M)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


def check_words(root, name, text, identifiers):
    for word in WORD.findall(text):
        if PATH.fullmatch(word) and 'foo' not in word and name != INTERFACE and not list(root.glob(word.rstrip('/'))):
            yield f'{name}: there is no {word}'
        match = NAME.fullmatch(word)
        if match and (match[1] or match[2]) not in identifiers:
            yield f'{name}: nothing in the sources is called {word}'


def check_links(root, name, text):
    for target, anchor in LINK.findall(text):
        if '://' in target:
            continue
        path = (root / name).parent / target if target else root / name
        if not path.exists():
            yield f'{name}: the link to {target} leads nowhere'
        elif anchor and path.suffix == '.md' and anchor not in anchors(path.read_text(encoding='utf-8')):
            yield f'{name}: {target or "the page"} has no title #{anchor}'


def main():
    root = pathlib.Path(sys.argv[1])
    sources = list_sources(root)
    identifiers = set()
    for name in sources:
        if name.endswith(('.c', '.h', '.py', '.ui')):
            identifiers.update(re.findall(r'\b(?:vtr_|Vtr)\w+', (root / name).read_text(encoding='utf-8', errors='replace')))

    problems = []
    documents = [name for name in sources if re.fullmatch(r'[A-Z]+\.md|docs/.*\.md', name) and name not in LEFT_OUT]
    map_text = (root / 'ARCHITECTURE.md').read_text(encoding='utf-8')
    for name in documents:
        text = (root / name).read_text(encoding='utf-8')
        n_lines = text.count('\n')
        if n_lines > MAX_LINES.get(name, n_lines):
            problems.append(f'{name} has {n_lines} lines, more than {MAX_LINES[name]}')
        if name.startswith('docs/design/'):
            if n_lines not in PAGE_LINES and name != INTERFACE:
                problems.append(f'{name} has {n_lines} lines: divide it, or make it part of another page')
            if f']({name})' not in map_text:
                problems.append(f'{name}: ARCHITECTURE.md has no link to it')
        plain = CODE.sub('', text)
        problems += check_words(root, name, plain, identifiers)
        problems += check_links(root, name, plain)
    for problem in problems:
        print(problem)
    print(f'{len(documents)} documents, {len(problems)} problems')
    return 1 if problems or not documents else 0


sys.exit(main())
