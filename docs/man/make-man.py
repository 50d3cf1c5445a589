#!/usr/bin/env python3
"""Makes a man page of the guide's page on the command line.

Usage: make-man.py NAME VERSION GUIDE-PAGE OUTPUT, with NAME vitrine-cli or vitrine. The section
“The window” of the guide's page becomes vitrine(1); all other sections become vitrine-cli(1).
Paragraphs that only point to other pages (“See [Capturing](…) for …”) are left out."""

import re
import sys

WINDOW = 'The window'
PAGES = {
    'vitrine-cli': ('capture, inspect and replay Vulkan programs',
                    'vitrine-cli VERB [OPTION…] [ARGUMENT…]', 'vitrine(1)'),
    'vitrine': ('window that shows what a Vulkan program does',
                'vitrine [OPTION…] [TRACE…]', 'vitrine-cli(1)'),
}


def escape(text):
    """Text that roff prints as it is."""
    return text.replace('\\', '\\e').replace('-', '\\-').replace("'", '\\(aq')


def inline(text):
    """A line of Markdown: code and strong text become bold, emphasis becomes italic, links their text."""
    text = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', text)
    pieces = re.split(r'(`[^`]*`|\*\*[^*]+\*\*|\*[^*]+\*)', text)
    line = ''
    for piece in pieces:
        if piece.startswith('`') or piece.startswith('**'):
            line += r'\fB' + escape(piece.strip('`' if piece[0] == '`' else '*')) + r'\fR'
        elif piece.startswith('*') and len(piece) > 2:
            line += r'\fI' + escape(piece.strip('*')) + r'\fR'
        else:
            line += escape(piece)
    return '\\&' + line if line.startswith('.') else line


def cells(row):
    """The cells of a row of a table; \\| is a bar inside a cell."""
    return [cell.strip().replace('\\|', '|') for cell in re.split(r'(?<!\\)\|', row.strip())[1:-1]]


def table(rows):
    """Each row becomes a tagged paragraph: the first cell is the tag, a third has its column's name."""
    names, body = cells(rows[0]), [cells(row) for row in rows[2:]]
    for row in body:
        yield '.TP'
        yield inline(row[0])
        yield inline(row[1])
        for name, cell in zip(names[2:], row[2:]):
            yield '.br'
            yield inline(f'{name.capitalize()}: {cell}')


def blocks(text):
    """(kind, lines) for each paragraph, table, list of commands and heading."""
    kind, lines = None, []
    for line in text.split('\n') + ['']:
        now = ('heading' if line.startswith('#') else 'code' if line.startswith('    ') else
               'table' if line.startswith('|') else None if not line.strip() else 'paragraph')
        if now != kind or now == 'heading':
            if kind is not None:
                yield kind, lines
            kind, lines = now, []
        if now is not None:
            lines.append(line)


def section(heading, name):
    """Whether the page `name` contains the section."""
    return (heading == WINDOW) == (name == 'vitrine')


def make(name, version, text):
    summary, synopsis, other = PAGES[name]
    yield f'.TH {name.upper()} 1 "" "Vitrine {version}" "User Commands"'
    yield '.SH NAME'
    yield f'{escape(name)} \\- {escape(summary)}'
    yield '.SH SYNOPSIS'
    yield inline(f'`{synopsis}`')
    yield '.SH DESCRIPTION'
    inside = name != 'vitrine'
    for kind, lines in blocks(text):
        if kind == 'heading':
            heading = lines[0].lstrip('# ')
            if lines[0].startswith('## '):
                inside = section(heading, name)
                if inside and heading != WINDOW:
                    yield f'.SH {escape(heading.upper())}'
        elif not inside or (kind == 'paragraph' and lines[0].startswith('See [')):
            continue
        elif kind == 'code':
            yield from ['.PP', '.EX', *(escape(line[4:]) for line in lines), '.EE']
        elif kind == 'table':
            yield from table(lines)
        else:
            yield '.PP'
            yield inline(' '.join(line.strip() for line in lines))
    yield '.SH SEE ALSO'
    yield inline(f'**{other[:-3]}**') + other[-3:]


def main():
    name, version, page, output = sys.argv[1:]
    with open(page, encoding='utf-8') as file:
        text = file.read()
    with open(output, 'w', encoding='utf-8') as file:
        file.write('\n'.join(make(name, version, text)) + '\n')


main()
