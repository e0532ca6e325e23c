"""How far the offset that tutti states lies from the true one where no datagram comes through.

The coordinator's UDP port is taken, so that clocks are measured over the gRPC session. All clocks are one clock
here: a stated offset is an error. A round is some looks with `tutti doctor --clocks`, once idle, once while
the hosts load both CPUs with saturating streams.
"""

import time

from clocks import LOOK_STEP_S, LOOKS_PER_ROUND, SETTLE_S, STREAMS, look, saturating_plan, start_load
from judged_row import Row, every_row
from order_statistics import quantile
from pair_bench import PairBench

ERROR_BAR_US = {"idle": 100.0, "saturated": 1000.0}
IDLE_BOUND_BEYOND_HALF_US = 200.0


def inside(condition: str, one: dict) -> bool:
    """The bound covers the error; idle it is also little more than half of the round trip."""
    if abs(one["offset_ns"]) > one["bound_ns"]:
        return False
    return condition != "idle" or one["bound_ns"] <= one["round_trip_ns"] / 2 + IDLE_BOUND_BEYOND_HALF_US * 1e3


class Bench(PairBench):
    name = "clocks_session"
    title = "The stated clock offset, measured over the session alone"
    default_rounds = 25
    conditions = ("idle", "saturated")
    udp_clocks = False

    def settings(self) -> dict:
        return {"looks_per_round": LOOKS_PER_ROUND, "streams": STREAMS}

    def __enter__(self) -> "Bench":
        super().__enter__()
        time.sleep(SETTLE_S)
        return self

    def run_round(self, condition: str, round_: int) -> dict:
        load = self._start_load() if condition == "saturated" else None
        try:
            if load:
                time.sleep(1.5)
            looks = []
            for _ in range(LOOKS_PER_ROUND):
                looks.extend(look(self._bin_dir / "tutti", self._tutti.coordinator, {"a", "b"}).values())
                time.sleep(LOOK_STEP_S)
            if load and load.poll() is not None:
                raise RuntimeError("the load ended before the last look")
        finally:
            if load:
                load.terminate()
                load.communicate(timeout=20)
        if {one["source"] for one in looks} != {"session"}:
            raise RuntimeError(f"measured by {sorted({one['source'] for one in looks})}")
        return {"looks": looks}

    def _start_load(self):
        plan_file = self._tutti.folder / "load.yaml"
        plan_file.write_text(saturating_plan(("a", "b")).text())
        environment = self._tutti.environment()
        return start_load(self._bin_dir / "tutti", plan_file, self._tutti.coordinator, environment)

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            looks = [one for data in log.good(condition) for one in data["looks"]]
            errors = [abs(one["offset_ns"]) / 1e3 for one in looks]
            bounds = [one["bound_ns"] / 1e3 for one in looks]
            bar = ERROR_BAR_US[condition]
            rows.append(
                every_row(
                    condition,
                    "|stated - true offset|",
                    errors,
                    "us",
                    f"p99 <= {bar:g}",
                    [quantile(errors, 0.99) <= bar] if errors else [],
                    f"p99 {quantile(errors, 0.99):.1f}, worst {max(errors):.1f}" if errors else "",
                )
            )
            half = f", <= round trip / 2 + {IDLE_BOUND_BEYOND_HALF_US:g}" if condition == "idle" else ""
            rows.append(
                every_row(
                    condition,
                    "stated bound",
                    bounds,
                    "us",
                    f"covers{half}",
                    [inside(condition, one) for one in looks],
                    f"largest {max(bounds):.1f}" if bounds else "",
                )
            )
        return rows
