#!/usr/bin/env python3
"""Every header compiles when it is the first thing that a file includes.

For a header that is the first include of some .cc the build has shown it already; the rest is compiled here, with the
flags of the build (compile_commands.json). In rooms with a precompiled header this is true but for grpcpp, which a header
that uses it therefore has to name: that is looked up in the text.

usage: headers_alone_test.py BUILD_FOLDER
"""

import concurrent.futures
import json
import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

from source_tree import ROOT, files, text

FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
DROPPED_WITH_VALUE = {"-o", "-c", "-MF", "-MT", "-MQ"}
DROPPED = {"-MD", "-MMD"}
COMPILER_CACHE = "ccache"
USES_GRPC = re.compile(r"\bgrpc::")
NAMES_GRPC = re.compile(r'#include (<grpcpp/|"tutti/v1/\w+\.grpc\.pb\.h")')

build = Path(".")


def commands() -> list[dict]:
    return json.loads((build / "compile_commands.json").read_text())


def flags_of(command: str) -> list[str]:
    """Compiler and flags of one command, without cache, input, output and dependencies."""
    words = iter(shlex.split(command))
    kept = []
    for word in words:
        if word in DROPPED_WITH_VALUE:
            next(words)
        elif word not in DROPPED and not word.endswith(".cc") and Path(word).name != COMPILER_CACHE:
            kept.append(word)
    return kept


def shown_by_the_build(entries: list[dict]) -> set[str]:
    shown = set()
    for entry in entries:
        path = Path(entry["file"])
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            first = FIRST_INCLUDE.search(path.read_text(encoding="utf-8"))
            if first:
                shown.add(first.group(1))
    return shown


def compile_alone(header: Path, flags: list[str], folder: Path) -> str:
    """Empty, or what the compiler says."""
    stem = str(header).replace("/", "__")
    source = folder / f"{stem}.cc"
    wanted = f'#include "{header}"\n'
    if not source.exists() or source.read_text() != wanted:
        source.write_text(wanted)
    done = subprocess.run([*flags, f"-I{ROOT}", "-fsyntax-only", str(source)], capture_output=True, text=True, timeout=300)
    return "" if done.returncode == 0 else f"{header}:\n{done.stderr}"


class HeadersAlone(unittest.TestCase):
    def test_each_header_compiles_alone(self):
        entries = commands()
        flags_of_room = {}
        for entry in entries:
            path = Path(entry["file"])
            if path.is_relative_to(ROOT):
                room = "/".join(path.relative_to(ROOT).parts[:2])
                flags_of_room.setdefault(room, flags_of(entry["command"]))
        self.assertTrue(flags_of_room)
        # A room of headers only has no command; the widest room's flags see every include folder.
        fallback = flags_of_room.get("coordinator/cli") or next(iter(flags_of_room.values()))
        shown = shown_by_the_build(entries)
        folder = build / "rules-headers"
        folder.mkdir(exist_ok=True)
        headers = [path for path in files(".h", folders=("common", "worker", "coordinator")) if str(path) not in shown]
        jobs = []
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for header in headers:
                flags = flags_of_room.get("/".join(header.parts[:2]), fallback)
                jobs.append(pool.submit(compile_alone, header, flags, folder))
        wrong = [job.result() for job in jobs if job.result()]
        self.assertEqual("", "\n".join(wrong))

    def test_each_header_that_uses_grpc_includes_it(self):
        headers = files(".h", folders=("common", "worker", "coordinator"))
        wrong = [str(path) for path in headers if USES_GRPC.search(text(path)) and not NAMES_GRPC.search(text(path))]
        self.assertEqual([], wrong)

    def test_each_header_guards_itself(self):
        wrong = [
            str(path)
            for path in files(".h", folders=("common", "worker", "coordinator"))
            if "#pragma once" not in text(path)
        ]
        self.assertEqual([], wrong)


if __name__ == "__main__":
    build = Path(sys.argv.pop(1)).resolve()
    unittest.main()
