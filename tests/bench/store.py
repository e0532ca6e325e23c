"""Lists of 100,000 kept runs, and a result of 64 streams x 600 s at 100 ms: how large, how quick to open.

The runs of the lists are made up (store_figures fill): rows of runs, labels and hosts as the coordinator writes
them. The result is a real one: before the first round two hosts send for ten minutes, 32 streams over TCP and 32
over UDP, as fast as they can. Then the coordinator is started afresh, since what it has run itself it has in
memory. Every request is a connection of its own; a figure ends when the last byte of the answer is there, or when
the command has ended.
"""

import json
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from http_api import HttpApi
from judged_row import Row, every_row, judged_row, row_of
from network_pair import NetworkPair
from order_statistics import verdict_below
from tutti_pair import Service, TuttiPair

RUNS = 100_000
LIST_BAR_MS = 50
OPEN_BAR_MS = 200
SAMPLE_BAR_BYTES = 4.0
STREAMS_OF_EACH = 32
MEASURE_S = 600
PAGE = 50  # runs, where none is asked for
# What is asked, and how many runs the first page has.
LISTS = {
    "all runs": ("", PAGE),
    "a plan of 1 in 20": ("plan=plan-7", PAGE),
    "a plan of 1 in 10,000": ("plan=rare", 10),
    "a status": ("status=passed", PAGE),
    "a label that all have": ("label=branch=main", PAGE),
    "a label that one has": ("label=commit=c77", 1),
    "a host of 1 in 25": ("host=host7", PAGE),
    "plan, status, label and host": ("plan=plan-7&status=passed&label=branch=main&host=host7", PAGE),
    "a rare plan and a label that all have": ("plan=rare&label=branch=main", 10),
    "a text that none has": ("text=nowhere", 0),
}
LS = "`tutti results ls`, a plan of 1 in 20"
TABLE, JSON, SHOW = "GET result as a table", "GET result as JSON", "`tutti results show`"
OPENINGS = (TABLE, SHOW, JSON)
SERIES = "series of the result"
PLAN = f"""version: 1
name: long
roles:
  sender: {{hosts: [a]}}
  receiver: {{hosts: [b]}}
traffic:
  - name: tcp
    from: sender
    to: receiver
    pattern: pairs
    streams: {STREAMS_OF_EACH}
    protocol: tcp
    message_size: 128KiB
  - name: udp
    from: sender
    to: receiver
    pattern: pairs
    streams: {STREAMS_OF_EACH}
    protocol: udp
    message_size: 1472B
    socket_buffer: {{send: 1MiB, receive: 1MiB}}
timing: {{warmup: 1s, measure: {MEASURE_S}s, cooldown: 200ms, interval: 100ms}}
repeat: 1
"""
# `tutti results show` ends with the run's exit code: whether that run was over a limit or suspect is not asked here.
SHOWN_CODES = (0, 4, 7)


def list_name(what: str) -> str:
    return f"first page of {RUNS:,}: {what}"


def conditions() -> tuple[str, ...]:
    return (*(list_name(what) for what in LISTS), LS, *OPENINGS, SERIES)


def one_of_each_run(rounds: list[dict]) -> list[dict]:
    """What was measured of a kept run does not change: the first of each, in the order of the rounds."""
    found: dict[str, dict] = {}
    for data in rounds:
        found.setdefault(data["run_id"], data)
    return list(found.values())


class Bench:
    name = "store"
    title = f"{RUNS:,} kept runs, and a result of {2 * STREAMS_OF_EACH} streams x {MEASURE_S} s at 100 ms"
    default_rounds = 25
    conditions = conditions()

    def __init__(self, bin_dir: Path, seed: int):
        self._bin_dir = bin_dir
        self._stack = ExitStack()

    def settings(self) -> dict:
        return {"runs": RUNS, "lists": LISTS, "plan": PLAN}

    def __enter__(self) -> "Bench":
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tutti-bench-"))
            self._state = Path(folder) / "state"
            self._store_figures("fill", self._state)
            pair = stack.enter_context(NetworkPair())
            with TuttiPair(pair, self._bin_dir, service=Service(self._state)) as tutti:
                self._run_id = self._run_long(tutti)
            self._series = None
            self._tutti = stack.enter_context(TuttiPair(pair, self._bin_dir, service=Service(self._state)))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception) -> None:
        self._stack.__exit__(*exception)

    def _run_long(self, tutti: TuttiPair) -> str:
        print(f"  {RUNS:,} runs are made; now a run of {MEASURE_S} s", flush=True)
        with HttpApi(tutti.http_socket) as api:
            run_id = api.submit(PLAN)
        time.sleep(MEASURE_S)
        with HttpApi(tutti.http_socket) as api:
            info = api.wait_for_end(run_id, 60)
        status, reasons = info["summary"]["status"], "; ".join(info["reasons"])
        if status in ("failed", "cancelled"):
            raise RuntimeError(f"{run_id} is {status}: {reasons}")
        print(f"  {run_id} is {status} {reasons}", flush=True)
        return run_id

    def _store_figures(self, *arguments: object) -> str:
        command = [str(self._bin_dir.parent / "tests" / "store_figures"), *(str(each) for each in arguments)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"store_figures: exit {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def run_round(self, condition: str, round_: int) -> dict:
        if condition == SERIES:
            if self._series is None:
                self._series = json.loads(self._store_figures("read", self._state, self._run_id))
            return {"run_id": self._run_id, **self._series}
        if condition == LS:
            return self._command("results", "ls", "--plan", "plan-7")
        if condition == SHOW:
            return self._command("results", "show", self._run_id)
        if condition in OPENINGS:
            format_ = "table" if condition == TABLE else "json"
            return self._get(f"/v1/runs/{self._run_id}/result?format={format_}")
        query, expected = next(LISTS[what] for what in LISTS if list_name(what) == condition)
        data = self._get(f"/v1/runs?{query}")
        found = len(json.loads(data.pop("text"))["runs"])
        if found != expected:
            raise RuntimeError(f"GET /v1/runs?{query} has {found} runs, not {expected}")
        return data

    def _get(self, target: str) -> dict:
        began = time.perf_counter()
        with HttpApi(self._tutti.http_socket, timeout_s=60) as api:
            status, body = api.request("GET", target)
            took_s = time.perf_counter() - began
        if status != 200:
            raise RuntimeError(f"GET {target}: {status}: {body[:400].decode(errors='replace')}")
        data = {"ms": 1e3 * took_s, "bytes": len(body)}
        return data | {"text": body.decode()} if target.startswith("/v1/runs?") else data

    def _command(self, *arguments: str) -> dict:
        command = [self._bin_dir / "tutti", *arguments, "--coordinator", self._tutti.coordinator]
        began = time.perf_counter()
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            env=self._tutti.environment(),
        )
        took_s = time.perf_counter() - began
        if done.returncode not in SHOWN_CODES or not done.stdout:
            words = done.stderr.decode(errors="replace").strip()
            raise RuntimeError(f"tutti {' '.join(arguments)}: exit {done.returncode}: {words[-400:]}")
        return {"ms": 1e3 * took_s, "bytes": len(done.stdout)}

    def rows(self, log) -> list[Row]:
        rows = [_time_row(log, list_name(what), LIST_BAR_MS) for what in LISTS]
        rows.append(_time_row(log, LS, None))
        rows += [_time_row(log, condition, None if condition == JSON else OPEN_BAR_MS) for condition in OPENINGS]
        return rows + series_rows(one_of_each_run(log.good(SERIES)))


def _time_row(log, condition: str, bar_ms: float | None) -> Row:
    seen = log.good(condition)
    times_ms = [data["ms"] for data in seen]
    note = f"worst {max(times_ms):.1f}, {seen[-1]['bytes']} bytes" if seen else ""
    if bar_ms is None:
        row = row_of(condition, "request to answer", times_ms, "ms")
        row.note = note or row.note
        return row
    return judged_row(
        condition,
        "request to answer",
        times_ms,
        "ms",
        f"< {bar_ms:g}",
        lambda interval: verdict_below(interval, bar_ms),
        note,
    )


def series_rows(runs: list[dict]) -> list[Row]:
    """A row for each byte counter, of as many values as there were real runs."""
    names = list(dict.fromkeys(name for data in runs for name in data["counters"]))
    rows = []
    for name in names or ["byte counters"]:
        counters = [data["counters"][name] for data in runs if name in data["counters"]]
        bytes_each = [each["bytes"] / each["samples"] for each in counters if each["samples"]]
        rows.append(
            every_row(
                SERIES,
                f"stored bytes per sample: {name}",
                bytes_each,
                "B",
                f"<= {SAMPLE_BAR_BYTES:g}",
                [value <= SAMPLE_BAR_BYTES for value in bytes_each],
                f"{min((each['samples'] for each in counters), default=0)} samples",
            )
        )
    whole = [data["stored_bytes"] / (data["streams"] * data["intervals"]) for data in runs if data["intervals"]]
    stored = row_of(SERIES, "all of it, stored bytes per stream and interval", whole, "B")
    read = row_of(SERIES, "read by the store alone", [data["read_ms"] for data in runs], "ms")
    if runs:
        stored.note = f"{runs[-1]['streams']} streams, {runs[-1]['intervals']} intervals"
        read.note = "median of 25 readings, without a coordinator"
    return [*rows, stored, read]
