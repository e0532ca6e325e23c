"""What measuring clocks costs: the coordinator with many workers, and a worker that does nothing else."""

import json
import subprocess
import time
from pathlib import Path

from judged_row import Row, judged_row
from order_statistics import verdict_below
from pair_bench import PairBench

WORKERS = 1000
SECONDS = 5
FLEET_BAR_PERCENT = 5.0
WORKER_BAR_PERCENT = 0.1
FLEET = f"{WORKERS} simulated workers"
WORKER = "one idle worker"
CLOCK_THREAD = "tutti-clock"  # answers the coordinator's datagrams (worker/session/clock_responder.cc)


def cpu_seconds(pid: int, thread: str | None = None) -> float:
    """Exact CPU time of the process's threads of that name, or of all, dead ones left out."""
    tasks = [
        task
        for task in Path(f"/proc/{pid}/task").iterdir()
        if thread is None or (task / "comm").read_text().strip() == thread
    ]
    if not tasks:
        raise RuntimeError(f"process {pid} has no thread {thread}")
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


class Bench(PairBench):
    name = "clock_cost"
    title = "CPU time that measuring clocks takes"
    default_rounds = 9
    conditions = (FLEET, WORKER)

    def settings(self) -> dict:
        return {"workers": WORKERS, "seconds": SECONDS}

    def run_round(self, condition: str, round_: int) -> dict:
        if condition == FLEET:
            program = self._bin_dir.parent / "tests" / "clock_fleet"
            done = subprocess.run(
                [program, str(WORKERS), str(SECONDS)], capture_output=True, text=True, timeout=60, check=True
            )
            figures = json.loads(done.stdout)
            if figures["measured"] != WORKERS:
                raise RuntimeError(f"only {figures['measured']} of {WORKERS} clocks were measured")
            return {"busy_percent": 100 * figures["busy"]}
        pid = self._tutti.worker_pid("b")
        begin, clock_begin, began = cpu_seconds(pid), cpu_seconds(pid, CLOCK_THREAD), time.monotonic()
        time.sleep(SECONDS)
        elapsed_s = time.monotonic() - began
        return {
            "busy_percent": 100 * (cpu_seconds(pid) - begin) / elapsed_s,
            "clock_percent": 100 * (cpu_seconds(pid, CLOCK_THREAD) - clock_begin) / elapsed_s,
        }

    def rows(self, log) -> list[Row]:
        def judged(condition: str, figure: str, key: str, bar: float) -> Row:
            values = [data[key] for data in log.good(condition)]
            return judged_row(
                condition, figure, values, "%", f"< {bar:g}", lambda interval: verdict_below(interval, bar)
            )

        return [
            judged(FLEET, "of one core", "busy_percent", FLEET_BAR_PERCENT),
            judged(WORKER, "its clock thread, of one core", "clock_percent", WORKER_BAR_PERCENT),
            judged(WORKER, "all of it, session included, of one core", "busy_percent", WORKER_BAR_PERCENT),
        ]
