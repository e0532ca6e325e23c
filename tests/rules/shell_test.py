#!/usr/bin/env python3
"""The scripts that users run have nothing that shellcheck warns of."""

import subprocess
import unittest

from source_tree import ROOT, files


class Shell(unittest.TestCase):
    def test_shellcheck_warns_of_nothing(self):
        scripts = [str(path) for path in files(".sh", folders=("deploy/ci",))]
        self.assertGreater(len(scripts), 1)
        done = subprocess.run(
            ["shellcheck", "--severity=warning", *scripts], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        self.assertEqual((0, ""), (done.returncode, done.stdout + done.stderr))


if __name__ == "__main__":
    unittest.main()
