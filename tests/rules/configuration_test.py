#!/usr/bin/env python3
"""The three programs take their configuration from the user's file and the environment, and refuse what is wrong.

usage: configuration_test.py FOLDER_OF_THE_PROGRAMS
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAMS = ("tutti", "tutti-coordinator", "tutti-worker")
bin_folder = Path(".")


class Configuration(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-configuration-")
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "tutti" / "config.yaml"
        self.file.parent.mkdir()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}
        self.environment["XDG_CONFIG_HOME"] = folder.name

    def run_program(self, program: str, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(bin_folder / program), *arguments], capture_output=True, text=True, timeout=30, env=self.environment
        )

    def shown(self, *before: str) -> dict:
        done = self.run_program("tutti", *before, "config", "show", "--output", "json")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return {each["key"]: each for each in json.loads(done.stdout)["settings"]}

    def test_values_and_their_origins_are_shown(self):
        self.file.write_text("coordinator: 10.0.0.1\nlabel: [rack=a]\n")
        self.environment["TUTTI_LEASE"] = "5s"
        settings = self.shown()
        self.assertEqual(("10.0.0.1", f"{self.file}:1:14"), (settings["coordinator"]["value"], settings["coordinator"]["origin"]))
        self.assertEqual((["rack=a"], f"{self.file}:2:8"), (settings["label"]["value"], settings["label"]["origin"]))
        self.assertEqual(("5s", "TUTTI_LEASE"), (settings["lease"]["value"], settings["lease"]["origin"]))
        self.assertEqual(("json", "--output"), (settings["output"]["value"], settings["output"]["origin"]))
        table = self.run_program("tutti", "config", "show", "--origin")
        self.assertRegex(table.stdout, rf"(?m)^coordinator +10\.0\.0\.1 +{re.escape(str(self.file))}:1:14$")
        plain = self.shown("--no-config")
        self.assertEqual(("127.0.0.1:7117", "built-in"), (plain["coordinator"]["value"], plain["coordinator"]["origin"]))

    def test_what_is_configured_is_what_a_command_does(self):
        self.environment["TUTTI_OUTPUT"] = "yaml"
        self.assertRegex(self.run_program("tutti", "version").stdout, r'^version: "[\d.]+"\n$')
        self.assertRegex(self.run_program("tutti", "version", "--output", "table").stdout, r"^tutti [\d.]+\n$")

    def test_every_error_is_told_and_nothing_is_run(self):
        self.file.write_text("coordinater: a\ninsecure: perhaps\n")
        self.environment["TUTTI_LEASE"] = "soon"
        for program, arguments in zip(PROGRAMS, (("version",), (), ())):
            with self.subTest(program):
                done = self.run_program(program, *arguments)
                self.assertEqual((2, ""), (done.returncode, done.stdout))
                self.assertIn(f"{program}: the configuration has 3 errors:\n", done.stderr)
                self.assertIn(f"{self.file}:1:1: coordinater: there is no such setting; did you mean", done.stderr)
                self.assertIn(f"{self.file}:2:11: insecure: \"perhaps\" is neither true nor false", done.stderr)
                self.assertIn("TUTTI_LEASE: ", done.stderr)

    def test_a_wrong_address_of_another_program_is_told_by_each(self):
        self.file.write_text("address: nowhere\nlisten: [\"127.0.0.1:port\"]\n")
        for program, arguments in zip(PROGRAMS, (("version",), (), ())):
            with self.subTest(program):
                done = self.run_program(program, *arguments)
                self.assertEqual(2, done.returncode)
                self.assertIn(f"{self.file}:1:10: address: \"nowhere\" is not a numeric", done.stderr)
                self.assertIn(f"{self.file}:2:10: listen: address \"127.0.0.1:port\": port \"port\"", done.stderr)

    def test_a_mistyped_variable_is_a_warning(self):
        self.environment["TUTTI_COORDINATR"] = "10.0.0.1"
        done = self.run_program("tutti", "version")
        self.assertEqual(0, done.returncode)
        self.assertIn("did you mean TUTTI_COORDINATOR?", done.stderr)

    def test_every_setting_is_a_flag_of_its_programs(self):
        settings = self.shown()
        helps = {program: self.run_program(program, "--help").stdout for program in PROGRAMS[1:]}
        helps["tutti"] = "".join(self.run_program("tutti", name, "--help").stdout for name in ("run", "workers"))
        wrong = [
            f"{program} {each['flag']}"
            for each in settings.values()
            for program in each["programs"]
            if not re.search(re.escape(each["flag"]) + r"\b", helps[program]) or f"[{each['variable']}]" not in helps[program]
        ]
        self.assertEqual([], wrong)


if __name__ == "__main__":
    bin_folder = Path(sys.argv.pop(1)).resolve()
    unittest.main()
