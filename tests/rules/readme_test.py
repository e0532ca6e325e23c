#!/usr/bin/env python3
"""The commands of the README and of the guides exist.

usage: readme_test.py TUTTI
"""

import re
import shlex
import subprocess
import sys
import unittest

from source_tree import ROOT, files, text

# Every fenced block with its language, so that no closing fence is taken for an opening one.
CODE_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
tutti = "tutti"


def commands(document: str) -> list[str]:
    """Lines of code blocks that call tutti or ./dev; a prompt, sudo and what follows a pipe are left out."""
    found = []
    for language, block in CODE_BLOCK.findall(document):
        if language not in ("", "sh", "bash", "console"):
            continue
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"^\$ ", "", line.strip())
            line = re.sub(r"^sudo ", "", line)
            line = re.split(r"\s[|&#>]", line)[0].strip()
            if re.match(r"(tutti|\./dev)\s", line):
                found.append(line)
    return found


def help_of(subcommand: list[str]) -> str:
    done = subprocess.run([tutti, *subcommand, "--help"], capture_output=True, text=True, timeout=30)
    return done.stdout if done.returncode == 0 else ""


class ReadmeCommands(unittest.TestCase):
    documents = {"README.md": (ROOT / "README.md").read_text()} | {
        str(path): text(path) for path in files(".md", folders=("docs",))
    }

    def test_there_are_some(self):
        self.assertGreater(len(commands(self.documents["README.md"])), 5)

    def test_each_command_and_option_exists(self):
        wrong = []
        top = help_of([])
        self.assertIn("validate", top)
        for name, document in self.documents.items():
            for line in commands(document):
                words = shlex.split(line)
                if words[0] != "tutti" or words[1].isupper():
                    continue
                subcommand = words[1:2]
                if words[1] in ("lab", "results", "workers") and words[2:] and not words[2].startswith("-"):
                    subcommand = words[1:3]
                text_of_help = help_of(subcommand)
                if not text_of_help:
                    wrong.append(f"{name}: {line}: no such command")
                own = words[1 + len(subcommand) :]
                if subcommand == ["lab", "exec"]:
                    continue  # what follows belongs to the command that it runs
                for option in (word.split("=")[0] for word in own if word.startswith("--")):
                    if not re.search(re.escape(option) + r"\b", text_of_help):
                        wrong.append(f"{name}: {line}: no option {option}")
        self.assertEqual([], wrong)

    def test_each_dev_command_exists(self):
        listed = subprocess.run([str(ROOT / "dev"), "help"], capture_output=True, text=True, check=True).stdout
        wrong = [
            line
            for document in self.documents.values()
            for line in commands(document)
            if line.startswith("./dev ") and not re.search(rf"^  {re.escape(line.split()[1])}\b", listed, re.MULTILINE)
        ]
        self.assertEqual([], wrong)

    def test_files_that_the_readme_links_to_exist(self):
        links = re.findall(r"\]\(([^)#:]+)\)", self.documents["README.md"])
        self.assertEqual([], [link for link in links if not (ROOT / link).exists()])


if __name__ == "__main__":
    tutti = sys.argv.pop(1)
    unittest.main()
