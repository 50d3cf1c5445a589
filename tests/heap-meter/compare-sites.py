#!/usr/bin/env python3
"""Compares two dumps of the heap meter: allocations that lived in between, on average, by module and call stack, and
how many more there were in the later dump.

  HEAP_METER=/tmp/heap HEAP_METER_SITES=1 LD_PRELOAD=…/libheap-meter.so PROGRAM &
  kill -64 PID; sleep 60; kill -64 PID; sleep 60; kill -64 PID
  compare-sites.py /tmp/heap.PID.2 /tmp/heap.PID.3
"""

import collections
import os
import re
import subprocess
import sys

SHOWN = 12
# What others allocate through.
PASSED = re.compile(r'libc\.so|ld-linux|libstdc\+\+|libgcc_s|libasan|libglib-2|libheap-meter')


def read(path):
    """Calls → mean and least bytes."""
    sites = collections.Counter()
    with open(path, encoding='utf-8') as file:
        for line in file:
            _, _, mean, _, _, *calls = line.split()
            sites[tuple(calls)] += float(mean)
    return sites


def module(calls):
    for call in calls:
        name = os.path.basename(call.rsplit('+', 1)[0])
        if not PASSED.match(name):
            return name
    return '?'


def describe(call):
    path, offset = call.rsplit('+', 1)
    if not os.path.exists(path):
        return call
    said = subprocess.run(['addr2line', '-Cfpse', path, offset], capture_output=True, text=True,
                          check=False).stdout.strip()
    return f'{os.path.basename(path)}: {said}' if said and '??' not in said else call


def main():
    before, after = (read(path) for path in sys.argv[1:3])
    change = {site: after[site] - before[site] for site in before | after}
    modules = collections.Counter()
    for site, bytes_ in change.items():
        modules[module(site)] += bytes_
    for name, bytes_ in modules.most_common():
        print(f'{bytes_:+12.0f}  {name}')
    for site, bytes_ in sorted(change.items(), key=lambda pair: -abs(pair[1]))[:SHOWN]:
        print(f'\n{bytes_:+.0f}: {before[site]:.0f} → {after[site]:.0f}')
        for call in site:
            print(f'    {describe(call)}')


if __name__ == '__main__':
    main()
