"""How far the offset that tutti states lies from the true one, between lab hosts whose clocks lie days apart.

A round is some looks with `tutti doctor --clocks`, once idle, once while the lab's hosts load both CPUs with
saturating streams.
"""

import re
import subprocess
import time
from pathlib import Path

from judged_row import Row, every_row
from offset_lab import OffsetLab
from order_statistics import quantile
from tutti_pair import PlanText

HOSTS = 2
LOOKS_PER_ROUND = 10
LOOK_STEP_S = 0.25
SETTLE_S = 3.0
STREAMS = 8
ERROR_BAR_US = {"idle": 2.0, "saturated": 5.0}
BOUND_BAR_US = 10.0
UNIT_NS = {"s": 1e9, "ms": 1e6, "us": 1e3}


def parse_duration_ns(text: str) -> float:
    found = re.fullmatch(r"\*?([0-9.]+)(us|ms|s)", text)
    if not found:
        raise ValueError(f"not a duration: {text!r}")
    return float(found[1]) * UNIT_NS[found[2]]


def parse_clocks(table: str) -> dict[str, dict]:
    """`tutti doctor --clocks` -> {worker: {offset_ns, bound_ns, source}}; the offset exactly."""
    clocks = {}
    for line in table.splitlines():
        found = re.match(
            r"(\S+)\s+([+-])(\d+)\.(\d{9}) s\s+\S+ \S+ ppm\s+(\S+)\s+(\S+)\s+(udp, \w+ stamps|session)", line
        )
        if found:
            name, sign, seconds, nanoseconds, bound, round_trip, source = found.groups()
            offset_ns = int(seconds) * 1_000_000_000 + int(nanoseconds)
            clocks[name] = {
                "offset_ns": -offset_ns if sign == "-" else offset_ns,
                "bound_ns": parse_duration_ns(bound),
                "round_trip_ns": parse_duration_ns(round_trip),
                "source": source,
            }
    return clocks


def look(tutti: Path, coordinator: str, hosts: set[str]) -> dict[str, dict]:
    """What `tutti doctor --clocks` says of exactly these hosts."""
    done = subprocess.run(
        [tutti, "doctor", "--clocks", "--coordinator", coordinator],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
    )
    clocks = parse_clocks(done.stdout)
    if set(clocks) != hosts:
        raise RuntimeError(f"tutti doctor --clocks: exit {done.returncode}: {done.stdout} {done.stderr}")
    return clocks


def saturating_plan(hosts: tuple[str, str]) -> PlanText:
    return PlanText(
        "clocks", "udp", STREAMS, 1472, warmup_ms=500, measure_ms=30_000, cooldown_ms=100, hosts=hosts
    )


def start_load(tutti: Path, plan_file: Path, coordinator: str, environment: dict) -> subprocess.Popen:
    return subprocess.Popen(
        [tutti, "run", plan_file, "--coordinator", coordinator, "--quiet"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


class Bench:
    name = "clocks"
    title = "The stated clock offset beside the true one"
    default_rounds = 25
    conditions = ("idle", "saturated")

    def __init__(self, bin_dir, seed: int):
        self._bin_dir = bin_dir

    def settings(self) -> dict:
        return {"hosts": HOSTS, "looks_per_round": LOOKS_PER_ROUND, "streams": STREAMS}

    def __enter__(self) -> "Bench":
        self._lab = OffsetLab(self._bin_dir, HOSTS, self.name)
        self._lab.__enter__()
        time.sleep(SETTLE_S)
        return self

    def __exit__(self, *_) -> None:
        self._lab.__exit__()

    def run_round(self, condition: str, round_: int) -> dict:
        load = self._start_load() if condition == "saturated" else None
        try:
            if load:
                time.sleep(1.5)
            looks = []
            for _ in range(LOOKS_PER_ROUND):
                looks.extend(self._look())
                time.sleep(LOOK_STEP_S)
            if load and load.poll() is not None:
                raise RuntimeError("the load ended before the last look")
        finally:
            if load:
                load.terminate()
                load.communicate(timeout=20)
        return {"looks": looks}

    def _start_load(self) -> subprocess.Popen:
        plan = saturating_plan(("host1", "host2"))
        plan_file = self._lab.folder / "plan.yaml"
        plan_file.write_text(plan.text())
        return start_load(self._lab.tutti, plan_file, self._lab.coordinator, self._lab.environment)

    def _look(self) -> list[dict]:
        clocks = look(self._lab.tutti, self._lab.coordinator, set(self._lab.true_ns))
        return [
            {**clock, "host": name, "error_ns": clock["offset_ns"] - self._lab.true_ns[name]}
            for name, clock in clocks.items()
        ]

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            looks = [look for data in log.good(condition) for look in data["looks"]]
            errors = [abs(look["error_ns"]) / 1e3 for look in looks]
            bounds = [look["bound_ns"] / 1e3 for look in looks]
            bar = ERROR_BAR_US[condition]
            sources = ", ".join(sorted({look["source"] for look in looks}))
            worst = f"p99 {quantile(errors, 0.99):.3f}, worst {max(errors):.3f}; {sources}" if errors else ""
            rows.append(
                every_row(
                    condition,
                    "|stated - true offset|",
                    errors,
                    "us",
                    f"p99 <= {bar:g}",
                    [quantile(errors, 0.99) <= bar] if errors else [],
                    worst,
                )
            )
            rows.append(
                every_row(
                    condition,
                    "stated bound",
                    bounds,
                    "us",
                    f"covers, <= {BOUND_BAR_US:g}",
                    [
                        abs(look["error_ns"]) <= look["bound_ns"] and look["bound_ns"] <= BOUND_BAR_US * 1e3
                        for look in looks
                    ],
                    f"largest {max(bounds):.3f}" if bounds else "",
                )
            )
        return rows
