#!/usr/bin/env python3
"""Every plan that people run as it is can be loaded and dry-run.

usage: plans_test.py TUTTI
"""

import subprocess
import sys
import unittest

from source_tree import ROOT

PLANS = sorted((ROOT / "plans").glob("*.yaml"))
EXPECTED = {
    "stream-test.yaml", "stream-test-loopback.yaml", "stream-test-tcp.yaml", "pinned-pair.yaml", "incast.yaml",
    "all-to-all.yaml", "ring.yaml", "two-way.yaml",
}  # fmt: skip

tutti = "tutti"


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([tutti, *arguments], capture_output=True, text=True, timeout=30, cwd=ROOT)


class Plans(unittest.TestCase):
    def test_the_known_ones_exist(self):
        self.assertEqual(set(), EXPECTED - {path.name for path in PLANS})

    def test_each_is_valid(self):
        done = run("validate", *map(str, PLANS))
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_each_says_what_it_would_do(self):
        for path in PLANS:
            with self.subTest(path.name):
                done = run("plan", str(path))
                self.assertEqual((0, ""), (done.returncode, done.stderr))
                self.assertIn("case 1/", done.stdout)
                self.assertIn(" -> ", done.stdout)
                self.assertIn("total: ", done.stdout)

    def test_the_2007_experiment_is_whole(self):
        done = run("plan", "plans/stream-test.yaml")
        self.assertIn("case 8/8  socket_buffer=1MiB streams=8", done.stdout)
        self.assertIn("at most 8 streams at once", done.stdout)


if __name__ == "__main__":
    tutti = sys.argv.pop(1)
    unittest.main()
