#!/usr/bin/env python3
"""Measures what docs/performance.md claims. One command: run_bench.py [NAME...]

Prints a table, leaves NAME.json (everything, for machines) and NAME.rounds.jsonl (the state: an interrupted
bench goes on with the rounds that are missing). Exit codes are those of `tutti`: 0 every bar holds, 4 one
fails, 6 one is not decided or a round failed, 2 usage, 1 it could not run.
"""

import argparse
import fnmatch
import importlib
import json
import os
import platform
import re
import secrets
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from judged_row import Row, exit_code, markdown_table, text_table
from network_pair import DEVICE
from round_log import RoundLog
from tutti_pair import check_programs, fingerprints, tutti_version

BENCHES = (
    "throughput",
    "ways",
    "ways_grid",
    "waiting",
    "start",
    "start_capture",
    "start_hosts",
    "cpu",
    "cpu_full",
    "sampler",
    "window",
    "overhead",
    "clocks",
    "clocks_session",
    "edges",
    "clock_cost",
    "pacing",
    "per_cpu",
    "rr",
    "submit",
    "store",
    "watchers",
    "submits",
)
TOOLS = {
    "ip": "iproute2",
    "ss": "iproute2",
    "iperf3": "iperf3",
    "iperf": "iperf",
    "nuttcp": "nuttcp",
    "sockperf": "sockperf",
    "tcpdump": "tcpdump",
}
ROOT = Path(__file__).resolve().parents[2]
MOST_FAILURES_IN_A_ROW = 5


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHES)}; default: all of them"
    )
    parser.add_argument(
        "--rounds", type=int, help="rounds of each condition, instead of the bench's own number"
    )
    parser.add_argument(
        "--conditions",
        action="append",
        metavar="PATTERN",
        help="measure only the conditions of this name (*, ? and [...] as a shell has them; may be repeated), "
        "for instance those that are not decided yet; the others keep the rounds that they have",
    )
    parser.add_argument("--seed", type=int, help="of the shuffled order; default: random, and printed")
    parser.add_argument(
        "--bin", type=Path, default=ROOT / "build/release/bin", help="folder of the three programs"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench", help="folder of states and results")
    parser.add_argument(
        "--fresh", action="store_true", help="set the stored rounds aside and begin anew; the result says so"
    )
    parser.add_argument(
        "--markdown",
        nargs="?",
        const="-",
        metavar="FILE",
        help="measure nothing: print the stored results as tables, or put them into FILE",
    )
    arguments = parser.parse_args()
    arguments.names = [] if arguments.names == ["all"] else arguments.names
    unknown = [name for name in arguments.names if name not in BENCHES]
    if unknown:
        parser.error(f"no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    arguments.names = arguments.names or list(BENCHES)
    if arguments.rounds is not None and arguments.rounds < 1:
        parser.error("--rounds is at least 1")
    if arguments.conditions and (len(arguments.names) != 1 or arguments.fresh):
        parser.error("--conditions goes on with some conditions of one bench: name it, and not --fresh")
    return arguments


def chosen(conditions: tuple[str, ...], patterns: list[str] | None) -> list[str]:
    """The conditions that any of the patterns names, in the bench's order; without patterns all of them."""
    if not patterns:
        return list(conditions)
    for pattern in patterns:
        if not fnmatch.filter(conditions, pattern):
            raise SystemExit(f"no condition {pattern}; there are: {'; '.join(conditions)}")
    return [name for name in conditions if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def check_machine() -> None:
    if os.geteuid() != 0:
        raise SystemExit("the benches make network namespaces and read real-time stamps: run them as root")
    missing = [
        tool
        for tool in TOOLS
        if not any(os.access(Path(folder) / tool, os.X_OK) for folder in os.environ["PATH"].split(":"))
    ]
    if missing:
        packages = " ".join(sorted({TOOLS[tool] for tool in missing}))
        raise SystemExit(f"{', '.join(missing)} not found: apt-get install {packages}")


def cpu_model() -> str:
    models = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return models[0] if models else platform.machine()


def machine_facts() -> dict:
    return {
        "kernel": platform.release(),
        "cpu_model": cpu_model(),
        "cpus": os.cpu_count(),
        "device": f"veth ({DEVICE})",
    }


def run_one(name: str, arguments: argparse.Namespace) -> int:
    module = importlib.import_module(name)
    seed = arguments.seed if arguments.seed is not None else secrets.randbelow(1_000_000)
    settings = module.Bench(arguments.bin, seed).settings()
    head = {
        "bench": name,
        "seed": seed,
        "tutti_version": tutti_version(arguments.bin),
        "programs": fingerprints(arguments.bin),
        "settings": settings,
        "machine": machine_facts(),
    }
    log = RoundLog(arguments.out / f"{name}.rounds.jsonl", head, arguments.fresh)
    seed = log.head["seed"]
    bench = module.Bench(arguments.bin, seed)
    rounds = arguments.rounds or bench.default_rounds
    conditions = chosen(bench.conditions, arguments.conditions)
    print(
        f"{name}: {rounds} rounds of {len(conditions)} of {len(bench.conditions)} conditions, seed {seed}, "
        f"{len(log.records)} stored, load average {os.getloadavg()[0]:.2f}",
        flush=True,
    )
    measure(bench, log, rounds, conditions)
    rows = bench.rows(log)
    write_result(arguments.out / f"{name}.json", bench, log, rounds, rows)
    return report(bench, log, rows)


def measure(bench, log: RoundLog, rounds: int, conditions: list[str]) -> None:
    """Every missing round of the conditions. A failed round is kept as failed; the next one gets new hosts and daemons."""
    todo = [
        (condition, round_)
        for round_ in range(rounds)
        for condition in conditions
        if (condition, round_) not in log.records
    ]
    failures_in_a_row = 0
    while todo:
        with bench:
            while todo:
                condition, round_ = todo.pop(0)
                begin = time.monotonic()
                try:
                    data, error = bench.run_round(condition, round_), None
                except Exception as problem:  # the bench goes on; the table tells
                    data, error = None, f"{type(problem).__name__}: {problem}"
                log.add(condition, round_, data, error)
                print(
                    f"  round {round_ + 1}/{rounds}  {condition}  {time.monotonic() - begin:.1f} s"
                    + (f"  FAILED: {error}" if error else ""),
                    flush=True,
                )
                failures_in_a_row = failures_in_a_row + 1 if error else 0
                if failures_in_a_row == MOST_FAILURES_IN_A_ROW:
                    raise SystemExit(f"{failures_in_a_row} rounds failed in a row: the bench ends here")
                if error:
                    break


def write_result(path: Path, bench, log: RoundLog, rounds: int, rows: list[Row]) -> None:
    result = {
        **log.head,
        "title": bench.title,
        "finished_unix_s": time.time(),
        "rounds_asked": rounds,
        "runs_set_aside": log.set_aside,
        "failed_rounds": log.errors(),
        "rows": [row.as_dict() for row in rows],
        "rounds": [record for _, record in sorted(log.records.items())],
    }
    partial = path.with_suffix(".json.partial")
    partial.write_text(json.dumps(result, indent=1) + "\n")
    partial.rename(path)


def report(bench, log: RoundLog, rows: list[Row]) -> int:
    print(f"\n{bench.title}\n{text_table(rows)}")
    for error in log.errors():
        print(f"failed: {error}")
    if log.set_aside:
        print(f"{log.set_aside} earlier runs were set aside")
    print(flush=True)
    code = exit_code(rows)
    return 6 if code == 0 and log.errors() else code


def rounds_text(records: list[dict]) -> str:
    """How many rounds the conditions have: not all of them as many, where some went on."""
    counts = sorted(Counter(record["condition"] for record in records).values())
    if not counts:
        return "no rounds"
    if counts[0] == counts[-1]:
        return f"{counts[0]} rounds"
    return f"{counts[0]} to {counts[-1]} rounds of a condition"


def markdown_of(result: dict) -> str:
    machine = result["machine"]
    day = time.strftime("%Y-%m-%d", time.gmtime(result["started_unix_s"]))
    peers = "".join(f", {version}" for version in result["settings"].get("peer_versions", {}).values())
    line = (
        f"{day}, {result['tutti_version']}{peers}; Linux {machine['kernel']}, {machine['cpus']} CPUs "
        f"({machine['cpu_model']}); seed {result['seed']}, {rounds_text(result['rounds'])}, "
        f"{len(result['failed_rounds'])} failed, {result['runs_set_aside']} earlier runs set aside."
    )
    return f"{line}\n\n{markdown_table([Row(**row) for row in result['rows']])}"


def write_markdown(arguments: argparse.Namespace) -> None:
    text = None if arguments.markdown == "-" else Path(arguments.markdown).read_text()
    for name in arguments.names:
        path = arguments.out / f"{name}.json"
        if not path.exists():
            continue
        table = markdown_of(json.loads(path.read_text()))
        if text is None:
            print(f"### {name}\n\n{table}\n")
            continue
        begin, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
        if begin not in text or end not in text:
            raise SystemExit(f"{arguments.markdown} has no place for {name}: {begin} ... {end}")
        text = text[: text.index(begin) + len(begin)] + f"\n{table}\n" + text[text.index(end) :]
    if text is not None:
        Path(arguments.markdown).write_text(text)


def main() -> int:
    arguments = parse_arguments()
    if arguments.markdown is not None:
        write_markdown(arguments)
        return 0
    check_machine()
    check_programs(arguments.bin)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the hosts are taken down
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts background jobs with it ignored
    codes = [run_one(name, arguments) for name in arguments.names]
    return 4 if 4 in codes else max(codes)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command goes on where it stopped")
    except RuntimeError as problem:
        sys.exit(f"run_bench: {problem}")
