#!/usr/bin/env python3
"""A long run of the libFuzzer targets on seeds from real traces, with what it covered.

    CC=clang meson setup build-fuzz -Dgui=false -Db_sanitize=address,undefined -Db_lundef=false \\
      -Dc_args=-fsanitize=fuzzer-no-link
    tests/fuzz/campaign.py build-fuzz --runs 10000000 --keep DIR TRACE.gfxtrace…

Builds the targets, cuts the traces into seeds, shares the runs out over the targets, and prints a
table. A finding ends its target with the input in --keep and status 1.
"""

import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Below the zstd layer, with their share of the runs: an input of fuzz-state takes 50 times as long.
TARGETS = {'pack': 0.49, 'decode': 0.49, 'state': 0.02}


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def fuzz(options, target, seeds, runs):
    program = os.path.join(options.build, 'tests', 'fuzz', f'fuzz-{target}-libfuzzer')
    corpus = os.path.join(options.keep, 'grown', target)
    os.makedirs(corpus, exist_ok=True)
    argv = [program, f'-runs={runs}', '-max_len=16384', '-rss_limit_mb=4096', '-timeout=20',
            f'-artifact_prefix={options.keep}/{target}-', '-print_final_stats=1', corpus]
    if os.path.isdir(seeds):
        argv.append(seeds)
    log = os.path.join(options.keep, f'{target}.log')
    with open(log, 'wb') as file:
        status = subprocess.run(argv, stdout=file, stderr=file, check=False).returncode
    with open(log, encoding='utf-8', errors='replace') as file:
        text = file.read()
    return [target, number(r'stat::number_of_executed_units: (\d+)', text),
            number(r'cov: (\d+)', text), number(r' ft: (\d+)', text),
            number(r'INITED cov: (\d+)', text), number(r'Loaded 1 PC tables \((\d+) PCs\)', text),
            'no finding' if status == 0 else f'status {status}, see {log}']


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('traces', nargs='*')
    parser.add_argument('--runs', type=int, default=10_000_000, help='over all targets')
    parser.add_argument('--keep', default='fuzz-campaign', help='seeds, logs and findings')
    parser.add_argument('--target', action='append', help='instead of pack, decode and state')
    options = parser.parse_args()
    targets = {target: 1 / len(options.target) for target in options.target or ()} or TARGETS

    subprocess.run(['ninja', '-C', options.build,
                    *(f'tests/fuzz/fuzz-{target}-libfuzzer' for target in targets)], check=True)
    os.makedirs(options.keep, exist_ok=True)
    seeds = os.path.join(options.keep, 'seeds')
    for path in options.traces:
        with open(path, 'rb') as file:
            if file.read(9) == b'ProtoPack':  # fuzz-state takes definitions from a GAPID trace
                os.environ.setdefault('VITRINE_SAMPLE_TRACE', os.path.abspath(path))
    if options.traces:
        subprocess.run([sys.executable, os.path.join(HERE, 'corpus.py'), '--ids',
                        os.path.join(options.build, 'src', 'api', 'vtr-api-ids.h'), seeds,
                        *options.traces], check=True)
    rows = [fuzz(options, target, os.path.join(seeds, target), int(options.runs * share))
            for target, share in targets.items()]
    print('| target | inputs | edges covered | features | edges of the seeds | edges in all | |')
    print('|---|---|---|---|---|---|---|')
    for row in rows:
        print('| ' + ' | '.join(map(str, row)) + ' |')
    return 0 if all(row[-1] == 'no finding' for row in rows) else 1


sys.exit(main())
