#!/usr/bin/env python3
"""Each fuzz target for a while: its corpus, its seeds, and random changes of them. The seed is printed.

usage: smoke_test.py FOLDER_OF_PROGRAMS [--seconds OF_ALL_TOGETHER]
"""
import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Files that are somewhere else already.
MORE = {"plan_loader": [HERE.parents[1] / "plans"]}


def targets():
    return sorted(path.name.removesuffix("_fuzz.cc") for path in HERE.glob("*_fuzz.cc"))


def inputs_of(target):
    """The folders that libFuzzer and the replay begin with."""
    folders = [HERE / "corpus" / target, *MORE.get(target, [])]
    return [str(folder) for folder in folders if folder.is_dir()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    seconds = arguments.seconds / len(targets())
    failed = []
    for target in targets():
        program = str(arguments.programs / f"{target}_replay")
        done = subprocess.run([program, "--seconds", str(seconds), *inputs_of(target)], check=False)
        if done.returncode != 0:
            failed.append(f"{target}: exit status {done.returncode}")
    for line in failed:
        print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
