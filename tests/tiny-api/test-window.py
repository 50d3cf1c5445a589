#!/usr/bin/env python3
"""Captured tiny programs in the real window: each command selected, each pane raised, by test-window.c.

Usage: test-window.py VITRINE_CLI TINY_SHAPES TINY_WINDOW"""

import subprocess
import sys

from tiny_capture import Capture


def main():
    cli, program, window = sys.argv[1:]
    with Capture(cli, program) as capture:
        for part in ('window', 'stores'):
            trace, _ = capture.take(part, 1, witness=False)
            subprocess.run([window, trace], check=True, timeout=240)


if __name__ == '__main__':
    main()
