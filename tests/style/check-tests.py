#!/usr/bin/env python3
"""Checks that Meson runs every test: each file in tests/ named test-*, check-* or fuzz-* is run by a
registered test, or built for one, and every other C file is built.

Usage: check-tests.py SOURCE_ROOT BUILD_ROOT
"""

import json
import os
import re
import subprocess
import sys

SOURCE, BUILD = map(os.path.realpath, sys.argv[1:3])
TEST = re.compile(r"(^|/)(test|check|fuzz)-[^/]*\.(c|py)$")
# A build without these registers fewer tests.
WHOLE = {"bench": True, "gui": True, "fuzz": True, "b_sanitize": "none"}
# A folder that only an option builds, in tests/meson.build.
OPTIONAL = re.compile(r"^if get_option\('(\w+)'\)\n  subdir\('([^']+)'\)", re.M)


def introspect(what):
    with open(os.path.join(BUILD, "meson-info", f"intro-{what}.json"), encoding="utf-8") as file:
        return json.load(file)


def tracked(*patterns):
    done = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
                          cwd=SOURCE, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if os.path.exists(os.path.join(SOURCE, name))]


def relative(path):
    """A path of the introspection data, which may hold "..", from the source root."""
    return os.path.relpath(os.path.realpath(os.path.join(BUILD, path)), SOURCE)


def find_problems():
    problems = []
    for name in tracked("meson.build", "*/meson.build"):
        with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if re.search(r"\bis_variable\s*\(", line.split("#")[0]):
                    problems.append(f"{name}:{number}: is_variable() is false for a misspelt name, and what "
                                    "depends on it is left out in silence: give the variable an empty value "
                                    "and test that")
    options = {option["name"]: option["value"] for option in introspect("buildoptions")}
    left_out = [name for name, value in WHOLE.items() if options[name] != value]
    if left_out:
        print(f"Not compared with the registered tests, since the build's options leave tests out: "
              f"{', '.join(left_out)}")
        return problems, True

    targets = introspect("targets")
    sources, programs, built = {}, {}, set()
    for target in targets:
        sources[target["id"]] = {relative(path) for group in target["target_sources"]
                                 for path in group.get("sources", [])}
        built |= sources[target["id"]]
        programs.update({os.path.realpath(path): target["id"] for path in target["filename"]})
    run = set()
    for test in introspect("tests"):
        for target in test["depends"]:
            run |= sources.get(target, set())
        for word in test["cmd"]:
            run |= sources.get(programs.get(os.path.realpath(word)), set())
            run.add(relative(word))
    with open(os.path.join(SOURCE, "tests/meson.build"), encoding="utf-8") as file:
        absent = tuple(f"tests/{folder}/" for option, folder in OPTIONAL.findall(file.read()) if not options[option])
    for name in tracked("tests"):
        if name.startswith(absent):
            continue
        if TEST.search(name):
            if name not in run:
                problems.append(f"{name}: no registered test runs this file (see meson.build beside it)")
        elif name.endswith(".c") and name not in built:
            problems.append(f"{name}: no target is built from this file")
    return problems, False


problems, partly = find_problems()
print("\n".join(problems) or "nothing to say")
sys.exit(1 if problems else 77 if partly else 0)
