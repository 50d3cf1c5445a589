#!/usr/bin/env python3
"""Checks the guide against the programs: its tables name every verb and option that --help lists and no
others, and every example uses verbs and options that exist.

Usage: test-guide.py SOURCE_ROOT VITRINE_CLI [VITRINE]"""

import glob
import os
import re
import subprocess
import sys

OPTION = re.compile(r'(?<![\w-])--[a-z][a-z-]*')


def ask(*command):
    done = subprocess.run([*command, '--help'], capture_output=True, text=True, check=True,
                          env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    return done.stdout


def options(text):
    """The long options in the list of options that --help prints."""
    found = set()
    for line in text.split('\n'):
        match = re.match(r'\s+(?:-\w, )?(--[a-z][a-z-]*)', line)
        if match:
            found.add(match.group(1))
    return {option for option in found if not option.startswith('--help')}


def compare(what, guide, program, problems):
    for option in sorted(program - guide):
        problems.append(f'docs/guide/command-line.md: {what} has {option}, which the table does not name')
    for option in sorted(guide - program):
        problems.append(f'docs/guide/command-line.md: {what} has no {option}')


def rows(text, heading):
    """The rows of the table below a heading, as lists of cells."""
    section = text.split(f'\n## {heading}\n')[1].split('\n## ')[0]
    lines = [line for line in section.split('\n') if line.startswith('|')]
    return [re.split(r'(?<!\\)\|', line)[1:-1] for line in lines[2:]]


def check_examples(root, known, problems):
    """Lines of commands in Markdown, without comments and what a captured program gets."""
    checked = 0
    for path in ['README.md', 'HACKING.md', *glob.glob('docs/**/*.md', recursive=True, root_dir=root)]:
        with open(os.path.join(root, path), encoding='utf-8') as file:
            for number, line in enumerate(file, 1):
                match = re.match(r' {4}.*?vitrine-cli ([a-z]+)\s(.*)', line.split(' # ')[0] + ' ')
                if not match:
                    continue
                verb, arguments = match.group(1), re.split(r'(?:^| )-- ', match.group(2))[0]
                if verb not in known:
                    problems.append(f'{path}:{number}: there is no verb “{verb}”')
                    continue
                checked += 1
                for option in sorted(set(OPTION.findall(arguments)) - known[verb]):
                    problems.append(f'{path}:{number}: “{verb}” has no {option}')
    return checked


def check_actions(root, problems):
    """The guide's table of D-Bus actions has those of the application."""
    with open(os.path.join(root, 'src', 'application', 'vtr-application-actions.c'), encoding='utf-8') as file:
        actions = set(re.findall(r'^  \{ "([a-z-]+)", [a-z_]+_action', file.read(), re.M))
    with open(os.path.join(root, 'docs', 'guide', 'dbus.md'), encoding='utf-8') as file:
        listed = {name for row in rows(file.read(), 'Actions') for name in re.findall(r'`([a-z-]+)`', row[0])}
    problems += [f'docs/guide/dbus.md: the action {name} is missing' for name in sorted(actions - listed)]
    problems += [f'docs/guide/dbus.md: there is no action {name}' for name in sorted(listed - actions)]


def main():
    root, cli, *window = sys.argv[1:]
    problems = []
    with open(os.path.join(root, 'docs', 'guide', 'command-line.md'), encoding='utf-8') as file:
        guide = file.read()
    listed = {re.match(r' `([a-z]+)', row[0]).group(1): set(OPTION.findall(row[2]))
              for row in rows(guide, 'Verbs')}
    verbs = re.findall(r'^ {2}([a-z]+) ', ask(cli).split('\n\n')[2], re.M)
    if set(verbs) != set(listed) or not verbs:
        problems.append(f'verbs of the program: {verbs}; of the guide: {list(listed)}')
    known = {verb: options(ask(cli, verb)) for verb in verbs}
    for verb in set(verbs) & set(listed):
        compare(verb, listed[verb], known[verb], problems)
    if window:
        compare('vitrine', {OPTION.search(row[0]).group() for row in rows(guide, 'The window')},
                options(ask(window[0])), problems)
    check_actions(root, problems)
    checked = check_examples(root, known, problems)
    if checked < 40:
        problems.append(f'only {checked} examples were found')
    print('\n'.join(problems) or f'{len(verbs)} verbs and {checked} examples, nothing to say')
    sys.exit(1 if problems else 0)


main()
