"""What `tutti lab run` costs beyond what its plan asks for.

Wall time of the command minus the plan's timing and the background second. The traffic is paced and loses
nothing, so DRAIN takes milliseconds; it is not subtracted, which makes the figure a little larger than the
claim needs. A round is one run with one trial and one with six; the difference gives what each further trial
costs.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from judged_row import Row, judged_row
from order_statistics import shuffled, verdict_below
from tutti_pair import PlanText, status_of, trials_of

BACKGROUND_S = 1.0
FEW, MANY = 1, 6
FIRST_BAR_S = 1.0
FURTHER_BAR_MS = 200


def _plan(repeat: int) -> PlanText:
    return PlanText(
        "overhead",
        "udp",
        2,
        1472,
        warmup_ms=200,
        measure_ms=500,
        cooldown_ms=100,
        repeat=repeat,
        rate="50Mbps",
        hosts=("host1", "host2"),
    )


class Bench:
    name = "overhead"
    title = "What `tutti lab run` costs beyond the plan's timing"
    default_rounds = 9
    conditions = ("2 lab hosts, 2 paced streams",)

    def __init__(self, bin_dir, seed: int):
        self._bin_dir = bin_dir
        self._seed = seed

    def settings(self) -> dict:
        return {"plan": _plan(FEW).text(), "repeats": [FEW, MANY], "background_s": BACKGROUND_S}

    def __enter__(self) -> "Bench":
        self._dir = Path(tempfile.mkdtemp(prefix="tutti-bench-"))
        return self

    def __exit__(self, *_) -> None:
        shutil.rmtree(self._dir, ignore_errors=True)

    def run_round(self, condition: str, round_: int) -> dict:
        wall_s = {}
        for repeat in shuffled([FEW, MANY], self._seed, condition, round_):
            wall_s[repeat] = self._run(_plan(repeat))
        timing_s = _plan(FEW).duration_s()
        return {
            "wall_s": {str(repeat): seconds for repeat, seconds in wall_s.items()},
            "first_s": wall_s[FEW] - timing_s - BACKGROUND_S,
            "further_s": (wall_s[MANY] - wall_s[FEW]) / (MANY - FEW) - timing_s,
        }

    def _run(self, plan: PlanText) -> float:
        plan_file, result_file = self._dir / "plan.yaml", self._dir / "result.json"
        plan_file.write_text(plan.text())
        result_file.unlink(missing_ok=True)
        begin = time.monotonic()
        done = subprocess.run(
            [self._bin_dir / "tutti", "lab", "run", plan_file, "--hosts", "2", "--json", result_file],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            env={**os.environ, "XDG_STATE_HOME": str(self._dir)},
        )
        wall_s = time.monotonic() - begin
        if done.returncode != 0:
            raise RuntimeError(
                f"tutti lab run: exit {done.returncode}: {' | '.join(done.stdout.strip().splitlines()[-6:])}"
            )
        trials = trials_of(json.loads(result_file.read_text()))
        if len(trials) != plan.repeat or any(status_of(trial) != "good" for trial in trials):
            raise RuntimeError(f"not {plan.repeat} good trials: {[status_of(trial) for trial in trials]}")
        return wall_s

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            first = [data["first_s"] for data in rounds]
            further = [data["further_s"] * 1e3 for data in rounds]
            rows.append(
                judged_row(
                    condition,
                    "first trial",
                    first,
                    "s",
                    f"< {FIRST_BAR_S:g}",
                    lambda interval: verdict_below(interval, FIRST_BAR_S),
                    _worst(first),
                )
            )
            rows.append(
                judged_row(
                    condition,
                    "each further trial",
                    further,
                    "ms",
                    f"< {FURTHER_BAR_MS}",
                    lambda interval: verdict_below(interval, FURTHER_BAR_MS),
                    _worst(further),
                )
            )
        return rows


def _worst(values: list[float]) -> str:
    return f"worst {max(values):.2f}" if values else ""
