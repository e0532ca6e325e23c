#!/usr/bin/env python3
"""Each fuzz target under libFuzzer for a while: `./dev fuzz [SECONDS_OF_EACH [TARGET...]]`.

usage: libfuzzer.py BUILD_FOLDER SECONDS [TARGET...]

What it finds interesting stays in BUILD_FOLDER/corpus/TARGET, so that the next time begins there; what it finds wrong is
left in BUILD_FOLDER/crash-*, oom-* or timeout-*, and TARGET_replay with that file as its argument does it again.
"""
import subprocess
import sys
from pathlib import Path

from smoke_test import inputs_of, targets


def run(build, target, seconds):
    programs = build / "tests"
    kept = build / "corpus" / target
    subprocess.run([programs / f"{target}_replay", "--write-seeds", kept], check=True)
    options = [f"-max_total_time={seconds}", "-max_len=65536", "-timeout=20", "-rss_limit_mb=2048",
               f"-artifact_prefix={build}/", "-print_final_stats=1"]
    return subprocess.run([programs / f"{target}_fuzz", *options, kept, *inputs_of(target)], check=False).returncode


def main():
    build = Path(sys.argv[1]).resolve()
    seconds = int(sys.argv[2])
    failed = [target for target in sys.argv[3:] or targets() if run(build, target, seconds) != 0]
    print("found something: " + ", ".join(failed) if failed else "found nothing")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
