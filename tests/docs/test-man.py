#!/usr/bin/env python3
"""Checks the man pages: all code of the guide's page is in them, no Markdown is left over,
and man formats them without a warning.

Usage: test-man.py GUIDE-PAGE PAGE…"""

import os
import re
import shutil
import subprocess
import sys


def plain(text):
    """What a reader sees of roff."""
    text = re.sub(r'\\f[BIR]', '', text).replace('\\-', '-').replace('\\&', '')
    return text.replace('\\(aq', "'").replace('\\e', '\\')


def main():
    guide, *pages = sys.argv[1:]
    problems, whole = [], ''
    for page in pages:
        with open(page, encoding='utf-8') as file:
            text = file.read()
        whole += plain(text)
        for line in text.split('\n'):
            if re.search(r'`|\*\*|\]\(|^\|', line):
                problems.append(f'{page}: Markdown: {line}')
        if shutil.which('man'):
            done = subprocess.run(['man', '--warnings=all', '-l', page], capture_output=True, text=True, check=False,
                                  env={**os.environ, 'LC_ALL': 'C.UTF-8', 'MANWIDTH': '100', 'PAGER': 'cat'})
            if done.returncode != 0 or done.stderr or 'SYNOPSIS' not in done.stdout:
                problems.append(f'{page}: man ends with {done.returncode}: {done.stderr}')
    with open(guide, encoding='utf-8') as file:
        text = file.read()
    if len(pages) == 1:
        text = text.split('\n## The window\n')[0]
    codes = [code.replace('\\|', '|') for code in re.findall(r'`([^`\n]+)`', text)]
    codes += [line[4:] for line in text.split('\n') if line.startswith('    ')]
    problems += [f'not in the man page: {code}' for code in codes if code not in whole]
    if len(codes) < 100:
        problems.append(f'only {len(codes)} pieces of code were found')
    print('\n'.join(problems) or f'{len(pages)} pages, {len(codes)} pieces of code, nothing to say')
    sys.exit(1 if problems else 0)


main()
