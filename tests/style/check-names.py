#!/usr/bin/env python3
"""Checks that no two source files of the product define a global function or variable of one name. The libraries are
static, so the linker would take either, without a word.

The object files of a build are read, which cannot miss a definition that a macro or a generator makes. Files that two
programs compile, such as the walkers, count once. Names that the compiler made up, and main (), do not count.

Usage: check-names.py SOURCE_ROOT BUILD_ROOT NM"""

import collections
import json
import os
import re
import subprocess
import sys

SOURCE, BUILD = map(os.path.realpath, sys.argv[1:3])
NM = sys.argv[3]
GLOBAL = set("ABCDGRSTVW")
# Each library of the captured process has tables of its own API, in place of those of all APIs of the build.
INSTEAD = {"capture-layer/vtr-layer-tables.c", "capture-layer/gl/vtr-gl-layer-tables.c", "src/api/vtr-api-tables.c"}


def list_objects():
    """Object files of the product, with what each was compiled from."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        for command in json.load(file):
            folder = command["directory"]
            if not command["output"].startswith("tests/"):
                yield (os.path.join(folder, command["output"]),
                       os.path.realpath(os.path.join(folder, command["file"])))


def shorten(path):
    for root in (BUILD, SOURCE):
        if path.startswith(root + "/"):
            return path[len(root) + 1:]
    return path


def main():
    sources = dict(list_objects())
    missing = [path for path in sources if not os.path.exists(path)]
    if missing or not sources:
        print(f"{len(missing)} of {len(sources)} object files are not built, such as {shorten(missing[0])}"
              if missing else "The build has no object files of the product")
        return 1
    done = subprocess.run([NM, "-A", "-P", "-g", "--defined-only", *sources], capture_output=True, text=True, check=True)
    defined = collections.defaultdict(set)
    for line in done.stdout.splitlines():
        match = re.match(r"(.*): (\S+) (\S)", line)
        if match and match[3] in GLOBAL and not match[2].startswith("__") and match[2] != "main":
            defined[match[2]].add(sources[match[1]])
    problems = [(name, files) for name, files in sorted((name, sorted(map(shorten, files)))
                                                        for name, files in defined.items())
                if len(files) > 1 and not set(files) <= INSTEAD]
    for name, files in problems:
        print(f"{name} is defined in {' and in '.join(files)}")
    print(f"{len(defined)} names in {len(sources)} object files, {len(problems)} problems")
    return 1 if problems or not defined else 0


sys.exit(main())
