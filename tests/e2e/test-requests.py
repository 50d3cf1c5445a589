#!/usr/bin/env python3
"""Requests that are given up, joined, made room for, or lose their replayer: every one is answered, and
what is answered with a picture is answered with the right one."""

import os

import harness
from harness import app, check_equal

CHECK = os.path.join(os.environ['VITRINE_BUILD_DIR'], 'tests', 'engine', 'resolve', 'check-requests')


def requests(test):
    trace = test.capture(app('load'), '--draws', '1000', '--frames', '60')
    test.run([CHECK, trace], timeout=200).check()


harness.main(requests)
