#!/usr/bin/env python3
"""The completion scripts of the real program complete what its help lists.

usage: completion_test.py TUTTI
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

tutti = "tutti"

# Stands in for readline: the words of the line, the last of which is being written.
COMPLETE = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tutti; printf "%s\\n" "${COMPREPLY[@]}"'


def script(shell: str) -> str:
    done = subprocess.run([tutti, "--no-config", "completion", shell], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def help_of(*command: str) -> str:
    return subprocess.run([tutti, *command, "--help"], capture_output=True, text=True, timeout=30, check=True).stdout


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tutti-completion-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "tutti.bash").write_text(script("bash"))
        (cls.folder / "_tutti").write_text(script("zsh"))
        (cls.folder / "work").mkdir()
        (cls.folder / "work" / "two words.yaml").write_text("")
        (cls.folder / "work" / "folder").mkdir()

    def complete(self, *words: str) -> list[str]:
        done = subprocess.run(
            ["bash", "--norc", "-c", COMPLETE, "bash", str(self.folder / "tutti.bash"), tutti, *words],
            capture_output=True, text=True, timeout=30, cwd=self.folder / "work",
            env=os.environ | {"XDG_RUNTIME_DIR": str(self.folder)},
        )  # fmt: skip
        self.assertEqual("", done.stderr)
        return sorted(line for line in done.stdout.splitlines() if line)

    def test_commands_are_those_of_the_help(self):
        listed = re.findall(r"(?m)^  ([a-z-]+) ", help_of().split("Subcommands:")[1])
        self.assertIn("validate", listed)
        self.assertEqual(sorted(listed), self.complete(""))
        self.assertEqual(["down", "exec", "list", "run", "up"], self.complete("lab", ""))
        self.assertEqual(
            ["drain", "forget", "ls", "show", "undrain", "watch"], self.complete("workers", "")
        )
        self.assertEqual(["lab"], self.complete("la"))

    def test_flags_are_those_of_the_help(self):
        for command in (("run",), ("lab", "up"), ("doctor",), ("workers",), ("workers", "drain"), ("why-not",)):
            listed = set(re.findall(r"(?m)(?<=[ ,])(--?[a-z][a-z0-9-]*)(?=[ ,])", help_of(*command).split("Options:")[1]))
            completed = set(self.complete(*command, "-"))
            self.assertLessEqual({"--help", "--version", "--no-config"}, completed, command)
            self.assertLessEqual(completed, listed, command)
        self.assertEqual(["--format"], self.complete("show", "--form"))

    def test_what_is_completed_for_every_command_is_taken_behind_each(self):
        plain = subprocess.run([tutti, "--version"], capture_output=True, text=True, timeout=30)
        for command in (("run", "--no-config"), ("lab", "list"), ("--no-config", "workers", "ls")):
            done = subprocess.run([tutti, *command, "--version"], capture_output=True, text=True, timeout=30)
            self.assertEqual((0, plain.stdout), (done.returncode, done.stdout), command)

    def test_values_are_completed_by_their_kind(self):
        self.assertEqual(["json", "table", "yaml"], self.complete("workers", "--output", ""))
        self.assertEqual(["json"], self.complete("workers", "--output", "=", "j"))
        self.assertEqual(["json", "table", "yaml"], self.complete("workers", "--output", "="))
        self.assertIn("stream-test", self.complete("lab", "run", "p.yaml", "--format", ""))
        csv = ["case", "host", "interval", "stream", "trial"]
        self.assertEqual(csv, self.complete("show", "r.json", "--format", "csv", ":"))
        self.assertEqual(["case"], self.complete("show", "r.json", "--format", "csv", ":", "ca"))
        self.assertEqual(["case"], self.complete("show", "r.json", "--format", "=", "csv", ":", "ca"))
        self.assertEqual(["csv:case"], self.complete("show", "r.json", "--format", "csv:ca"))
        self.assertEqual(["zsh"], self.complete("completion", "z"))
        self.assertEqual(["folder", "two words.yaml"], self.complete("validate", ""))
        self.assertEqual(["folder"], self.complete("lab", "up", "--log-dir", ""))
        self.assertEqual([], self.complete("run", "--coordinator", ""))
        self.assertEqual([], self.complete("run", "--lab", ""))

    def test_what_stands_behind_the_host_of_lab_exec_is_another_commands(self):
        self.assertIn("--name", self.complete("lab", "exec", "-"))
        self.assertIn("--name", self.complete("lab", "exec", "--name", "default", "-"))
        self.assertEqual([], self.complete("lab", "exec", "host1", "-"))
        self.assertEqual([], self.complete("lab", "exec", "--name", "=", "default", "host1", "ls", "--"))
        self.assertEqual(["folder"], self.complete("lab", "exec", "host1", "ls", "f"))

    def test_zsh_can_read_its_script(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        done = subprocess.run(["zsh", "-n", str(self.folder / "_tutti")], capture_output=True, text=True, timeout=30)
        self.assertEqual((0, ""), (done.returncode, done.stderr))


if __name__ == "__main__":
    tutti = sys.argv.pop(1)
    unittest.main()
