"""What being measured costs: the thread that reads all counters, and the tool's own share of a message.

The sampler's thread clock is read from outside (schedstat of the thread of that name), every 20 ms, from half an
interval behind the window's begin to half an interval before its end, at which the thread ends: exactly one
reading of all counters per interval lies in between. The null workload does everything that a sender does but the call into the kernel (null_cost.cc).
"""

import json
import subprocess
import time
from pathlib import Path

from judged_row import Row, judged_row, row_of
from kernel_counters import CounterSampler
from order_statistics import verdict_below
from pair_bench import PairBench
from tutti_pair import PlanText, require_good, trials_of, window_on_timeline

STREAMS = 64
INTERVAL_MS = 100
MEASURE_MS = 3000
COOLDOWN_MS = 200
STEP_S = 0.020
BAR_PERCENT = 0.5
NULL_SECONDS = 2
THREAD = "tutti-sampler"  # worker/load/load_trial.cc
HOSTS = {"a": "sending", "b": "receiving"}
# Protocol, size of a message, rate of a stream.
LOADS = {
    f"{STREAMS} TCP streams of 128 KiB, saturating": ("tcp", 128 * 1024, None),
    f"{STREAMS} TCP streams at 1 Mbps": ("tcp", 1472, "1Mbps"),
    f"{STREAMS} UDP streams of 1472 B, saturating": ("udp", 1472, None),
    f"{STREAMS} UDP streams at 1 Mbps": ("udp", 1472, "1Mbps"),
}
NULL_STREAMS = {"null workload, 1 stream": 1, "null workload, 2 streams": 2}


class ThreadClock:
    """CPU time of a process's thread of one name, from when it is there."""

    def __init__(self, pid: int, thread: str):
        self._tasks = Path(f"/proc/{pid}/task")
        self._thread = thread
        self._schedstat: Path | None = None

    def read_ns(self) -> int | None:
        if self._schedstat is None:
            self._schedstat = self._find()
        try:
            return int(self._schedstat.read_text().split()[0]) if self._schedstat else None
        except OSError:  # the trial is over
            return None

    def _find(self) -> Path | None:
        for task in self._tasks.iterdir():
            try:
                if (task / "comm").read_text().strip() == self._thread:
                    return task / "schedstat"
            except OSError:
                pass  # it ended meanwhile
        return None


class Bench(PairBench):
    name = "sampler"
    title = "What being measured costs"
    default_rounds = 10
    conditions = (*LOADS, *NULL_STREAMS)

    def settings(self) -> dict:
        return {
            "loads": LOADS,
            "interval_ms": INTERVAL_MS,
            "measure_ms": MEASURE_MS,
            "step_s": STEP_S,
            "null_streams": NULL_STREAMS,
            "null_seconds": NULL_SECONDS,
        }

    def run_round(self, condition: str, round_: int) -> dict:
        if condition in NULL_STREAMS:
            return self._run_null(NULL_STREAMS[condition])
        protocol, message_bytes, rate = LOADS[condition]
        plan = PlanText(
            "sampler",
            protocol,
            STREAMS,
            message_bytes,
            warmup_ms=300,
            measure_ms=MEASURE_MS,
            cooldown_ms=COOLDOWN_MS,
            interval_ms=INTERVAL_MS,
            rate=rate,
        )
        with self._clocks() as clocks:
            trial = require_good(trials_of(self._tutti.run(plan))[0])
        return {f"{host}_percent": _share_percent(clocks.series, trial, host) for host in HOSTS}

    def _clocks(self) -> CounterSampler:
        def read(clocks: dict[str, ThreadClock]):
            values = {host: clock.read_ns() for host, clock in clocks.items()}
            return time.monotonic_ns(), {host: ns for host, ns in values.items() if ns is not None}

        pids = {host: self._tutti.worker_pid(host) for host in HOSTS}
        return CounterSampler(
            STEP_S, lambda: {host: ThreadClock(pid, THREAD) for host, pid in pids.items()}, read
        )

    def _run_null(self, streams: int) -> dict:
        program = self._bin_dir.parent / "tests" / "null_cost"
        command = [program, str(streams), str(NULL_SECONDS)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"null_cost: exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in LOADS:
            for host, what in HOSTS.items():
                values = [data[f"{host}_percent"] for data in log.good(condition)]
                rows.append(
                    judged_row(
                        condition,
                        f"sampler's thread of the {what} worker, of one core",
                        values,
                        "%",
                        f"< {BAR_PERCENT:g}",
                        lambda interval: verdict_below(interval, BAR_PERCENT),
                        f"worst {max(values):.3f}" if values else "",
                    )
                )
        for condition in NULL_STREAMS:
            rounds = log.good(condition)
            cost = [data["cpu_ns_per_message"] for data in rounds]
            rate = [data["messages_per_s"] / 1e6 for data in rounds]
            rows.append(row_of(condition, "CPU per message", cost, "ns"))
            rows.append(row_of(condition, "messages", rate, "million/s"))
        return rows


def _share_percent(series, trial: dict, host: str) -> float:
    half_ns = INTERVAL_MS * 1_000_000 // 2
    begin, end = window_on_timeline(trial, host)
    begin, end = begin + half_ns, end - half_ns
    if host not in series:
        raise RuntimeError(f"worker {host} had no thread {THREAD}")
    return 100 * (series[host].at(end) - series[host].at(begin)) / (end - begin)
