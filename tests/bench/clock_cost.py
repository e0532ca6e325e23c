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
WORKER = "one idle worker, session included"


def cpu_seconds(pid: int) -> float:
    """Exact CPU time of all threads of the process, dead ones left out."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
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
        begin, began = cpu_seconds(pid), time.monotonic()
        time.sleep(SECONDS)
        return {"busy_percent": 100 * (cpu_seconds(pid) - begin) / (time.monotonic() - began)}

    def rows(self, log) -> list[Row]:
        bars = {FLEET: FLEET_BAR_PERCENT, WORKER: WORKER_BAR_PERCENT}
        return [
            judged_row(
                condition,
                "of one core",
                [data["busy_percent"] for data in log.good(condition)],
                "%",
                f"< {bars[condition]:g}",
                lambda interval, bar=bars[condition]: verdict_below(interval, bar),
            )
            for condition in self.conditions
        ]
