#!/usr/bin/env python3
"""systemd has nothing to say about the units, and they are what the daemons need.

usage: units_test.py FOLDER_OF_THE_PROGRAMS
"""

import configparser
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from source_tree import ROOT

UNITS = sorted((ROOT / "deploy/systemd").glob("*.service"))
bin_folder = Path(".")


class Units(unittest.TestCase):
    def test_systemd_analyze_verify_prints_nothing(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            copies = []
            for unit in UNITS:
                copy = Path(folder) / unit.name
                built, count = re.subn(
                    r"(?m)^ExecStart=/usr/local/bin/", f"ExecStart={bin_folder}/", unit.read_text()
                )
                self.assertEqual(1, count, unit.name)
                copy.write_text(built)
                copies.append(str(copy))
            done = subprocess.run(
                ["systemd-analyze", "verify", *copies], capture_output=True, text=True, timeout=60
            )
            # It exits with 0 on unknown keys: only silence is a pass.
            self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))

    def service(self, name: str) -> configparser.SectionProxy:
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str
        parser.read(ROOT / f"deploy/systemd/{name}.service")
        return parser["Service"]

    def test_both_notify_restart_and_have_a_user_of_their_own(self):
        self.assertEqual(["tutti-coordinator.service", "tutti-worker.service"], [unit.name for unit in UNITS])
        users = (ROOT / "deploy/sysusers.d/tutti.conf").read_text()
        for name in ("tutti-coordinator", "tutti-worker"):
            service = self.service(name)
            self.assertEqual("notify", service["Type"])
            self.assertEqual("on-failure", service["Restart"])
            self.assertEqual(name, service["User"])
            self.assertRegex(users, rf"(?m)^u {name} ")

    def test_the_worker_may_force_buffers_set_priorities_and_open_many_sockets(self):
        worker = self.service("tutti-worker")
        self.assertEqual({"CAP_NET_ADMIN", "CAP_SYS_NICE"}, set(worker["AmbientCapabilities"].split()))
        self.assertGreaterEqual(int(worker["LimitNOFILE"]), 65536)
        # A user namespace would take the capabilities' effect on the host's network away.
        self.assertNotIn("PrivateUsers", worker)


if __name__ == "__main__":
    bin_folder = Path(sys.argv.pop(1)).resolve()
    unittest.main()
