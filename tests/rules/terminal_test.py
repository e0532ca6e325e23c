#!/usr/bin/env python3
"""Escape sequences go to a terminal that can have them, and nowhere else.

usage: terminal_test.py TUTTI
"""

import os
import pty
import subprocess
import sys
import unittest

from source_tree import ROOT

RESULT = ROOT / "tests/unit/coordinator/report/golden/result.json"
tutti = "tutti"


class Terminal(unittest.TestCase):
    def setUp(self):
        self.environment = os.environ | {"TERM": "xterm"}
        self.environment.pop("NO_COLOR", None)
        self.command = [tutti, "--no-config", "show", str(RESULT), "--detail", "--timeline"]

    def on_a_terminal(self, **environment: str) -> bytes:
        """Both standard output and standard error are the terminal."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            self.command, stdin=slave, stdout=slave, stderr=slave, env=self.environment | environment
        )
        os.close(slave)
        printed = b""
        try:
            while chunk := os.read(master, 65536):
                printed += chunk
        except OSError:  # EIO: the other end is closed
            pass
        os.close(master)
        process.wait(timeout=30)
        self.assertIn(b"bulk", printed)
        return printed

    def test_a_terminal_gets_colours(self):
        self.assertIn(b"\x1b[1m", self.on_a_terminal())
        self.assertIn(b"\x1b[1m", self.on_a_terminal(NO_COLOR=""))

    def test_none_with_no_color_and_none_on_a_dumb_terminal(self):
        self.assertNotIn(b"\x1b", self.on_a_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b", self.on_a_terminal(TERM="dumb"))

    def test_none_in_a_pipe(self):
        done = subprocess.run(self.command, capture_output=True, timeout=30, env=self.environment)
        self.assertIn(b"bulk", done.stdout)
        self.assertNotIn(b"\x1b", done.stdout + done.stderr)


if __name__ == "__main__":
    tutti = sys.argv.pop(1)
    unittest.main()
