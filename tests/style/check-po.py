#!/usr/bin/env python3
"""Translations: every file with sentences is in po/POTFILES, xgettext can read them all, and German
says them all. Usage: check-po.py SOURCE-ROOT [CATALOGUE FOLDER…]: the folder of the translations, and those of the sources
that they are of, instead of Vitrine's."""

import os
import re
import subprocess
import sys
import tempfile

KEYWORDS = ['_', 'N_', 'C_:1c,2', 'NC_:1c,2', 'ngettext:1,2', 'g_dngettext:2,3', 'g_dgettext:2']
CALL = re.compile(r'(?<![A-Za-z0-9_])(?:_|N_|C_|NC_|ngettext|g_dngettext|g_dgettext) ?\(')
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
MARKED = re.compile(r'translatable="(?:yes|true)"|<(?:summary|description)>')


def sources(root, folders):
    for folder in folders:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith(('.c', '.h', '.ui')):
                    yield os.path.relpath(os.path.join(path, name), root)


def arguments(text, start):
    """What stands in the parentheses that were opened before `start`."""
    depth, at = 1, start
    while depth and at < len(text):
        string = STRING.match(text, at)
        if string:
            at = string.end()
            continue
        depth += {'(': 1, ')': -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def check_source(name, text, problems):
    """Returns whether the file has sentences."""
    found = bool(MARKED.search(text)) if name.endswith('.ui') else False
    for call in CALL.finditer(text) if not name.endswith('.ui') else ():
        inside = arguments(text, call.end())
        if '"' not in inside:
            continue
        line = text.count('\n', 0, call.start()) + 1
        if text[:call.start()].rsplit('\n', 1)[-1].lstrip().startswith(('#define', '*', '/*')):
            continue
        found = True
        if re.search(r'\x00\s*[A-Z]|[A-Z_0-9]\s*\x00', STRING.sub('\x00', inside)):
            problems.append(f'{name}:{line}: a macro inside a sentence: xgettext cuts it there; '
                            'format the number first (VTR_NUMBER)')
    return found


def entries(text):
    """(msgid, whole entry) of a .po file."""
    for block in re.split(r'\n\n+', text):
        ids = re.search(r'^msgid ((?:".*"\n?)+)', block, re.M)
        if ids and not block.startswith('#~'):
            yield ''.join(part[1:-1] for part in ids.group(1).splitlines()), block


def check_language(root, catalogue, template, language, problems):
    merged = subprocess.run(['msgmerge', '--quiet', '--no-wrap',
                             os.path.join(root, catalogue, f'{language}.po'), template],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    for sentence, block in entries(merged):
        if not sentence:
            continue
        translations = re.findall(r'^msgstr(?:\[\d\])? (".*"(?:\n".*")*)', block, re.M)
        if '\n#, fuzzy' in f'\n{block}' or re.search(r'^#,.*fuzzy', block, re.M):
            problems.append(f'{catalogue}/{language}.po: to be looked at again: {sentence}')
        elif not translations or any(part.replace('"', '').strip() == '' for part in translations):
            problems.append(f'{catalogue}/{language}.po: not translated: {sentence}')
    with tempfile.NamedTemporaryFile('w', suffix='.po', encoding='utf-8') as file:
        file.write(merged)
        file.flush()
        result = subprocess.run(['msgfmt', '--check', '-o', os.devnull, file.name],
                                stderr=subprocess.PIPE, text=True, check=False)
        if result.returncode != 0:
            problems.append(f'{catalogue}/{language}.po: {result.stderr.strip()}')


def main():
    root = sys.argv[1]
    catalogue = sys.argv[2] if len(sys.argv) > 2 else 'po'
    folders = sys.argv[3:] or ('src', 'data', 'capture-layer', 'replayer')
    problems = []
    with open(os.path.join(root, catalogue, 'POTFILES'), encoding='utf-8') as file:
        listed = [line.strip() for line in file if line.strip() and not line.startswith('#')]
    for name in listed:
        if not os.path.exists(os.path.join(root, name)):
            problems.append(f'{catalogue}/POTFILES: {name} is not there')
    for name in sorted(sources(root, folders)):
        with open(os.path.join(root, name), encoding='utf-8') as file:
            if check_source(name, file.read(), problems) and name not in listed:
                problems.append(f'{catalogue}/POTFILES: {name} is missing')
    with tempfile.TemporaryDirectory() as folder:
        template = os.path.join(folder, 'vitrine.pot')
        there = [name for name in listed if os.path.exists(os.path.join(root, name))]
        command = ['xgettext', '--from-code=UTF-8', '--directory', root, '--output', template,
                   '--add-comments=Translators'] + [f'--keyword={word}' for word in KEYWORDS]
        environment = {**os.environ, 'GETTEXTDATADIRS': '/usr/share/gettext'}
        result = subprocess.run(command + there, stderr=subprocess.PIPE, text=True, check=False,
                                env=environment)
        if result.returncode != 0:
            problems.append(result.stderr.strip())
        else:
            with open(os.path.join(root, catalogue, 'LINGUAS'), encoding='utf-8') as file:
                for language in file.read().split():
                    check_language(root, catalogue, template, language, problems)
    for problem in problems:
        print(problem)
    print(f'{len(listed)} files of sentences, {len(problems)} problems')
    sys.exit(1 if problems else 0)


main()
