#!/usr/bin/env python3
"""Checks what the compiler does not: strata, line length, file size, headers that stand alone.

Usage: check-style.py SOURCE_ROOT
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
S0 = ("src/base/", "src/api/", "src/wire/", "src/pixels/", "src/vulkan/", "capture-layer/", "replayer/")
S1 = ("src/engine/", "src/cli/")

GLIB = re.compile(r'#include\s+[<"](glib|gio|gobject|json-glib|protobuf-c|zstd)')
GTK = re.compile(r'#include\s+[<"](gtk|gdk|gsk|adwaita|libpanel|gtksourceview)')
UP_S0 = re.compile(r'#include\s+"(engine|widgets|window|session|application|cli)/')
UP_S1 = re.compile(r'#include\s+"(widgets|window|session|application)/')
# Both ends of the replay protocol use protobuf-c.
PROTOBUF_IN_S0 = ("replayer/", "src/wire/vtr-replay")

problems = []


def problem(path, line, text):
    problems.append(f"{path}:{line}: {text}")


files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True,
                       check=True).stdout.split("\n")
for name in filter(None, files):
    path = ROOT / name
    if not path.is_file():
        continue
    if name.endswith((".c", ".h", ".py", ".ui", ".build", ".md", ".css", ".xml", ".in")):
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.split("\n")
        if not text.endswith("\n"):
            problem(name, len(lines), "no newline at the end of the file")
        for number, line in enumerate(lines, 1):
            if line != line.rstrip() and not name.endswith(".md"):
                problem(name, number, "space at the end of the line")
            if "\t" in line and name.endswith((".c", ".h", ".py", ".ui", ".build")):
                problem(name, number, "tab")
    if not name.endswith((".c", ".h")):
        continue
    for number, line in enumerate(lines, 1):
        if len(line) > 100 and name.endswith(".c") and "http" not in line:
            problem(name, number, f"{len(line)} columns (at most 100)")
        if name.startswith(S0):
            if GTK.search(line) or UP_S0.search(line):
                problem(name, number, "S0 may not include this")
            found = GLIB.search(line)
            if found and not (found[1] == "protobuf-c" and name.startswith(PROTOBUF_IN_S0)):
                problem(name, number, f"S0 may not include {found[1]}")
        elif name.startswith(S1):
            if GTK.search(line) or UP_S1.search(line):
                problem(name, number, "S1 may not include this")
    if len(lines) > 1000:
        problem(name, 1, f"{len(lines)} lines (split above 1000)")
    if name.endswith(".c") and not text.startswith("/*"):
        problem(name, 1, "no comment that says what the file is for")
    if name.endswith(".h") and "#pragma once" not in text:
        problem(name, 1, "no #pragma once")

print("\n".join(problems) or f"{len(files)} files, nothing to say")
sys.exit(1 if problems else 0)
