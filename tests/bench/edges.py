"""How far apart two hosts read the same edge of the common grid, on the true timeline.

All clocks are one clock here, so a host's true offset is 0 and what it states as its offset is its error: a
recorded edge minus that error is the true instant.
"""

from judged_row import Row, every_row
from order_statistics import quantile
from pair_bench import PairBench
from tutti_pair import PlanText, require_good, trials_of

INTERVAL_MS = 100
TRIAL_S = 2
UDP_BUFFER_BYTES = 1 << 20
BARS_US = {"a free core: 1 stream at 10 Mbps": 100.0, "saturated: 8 streams": 5000.0}


def _plan(streams: int, rate: str | None) -> PlanText:
    return PlanText(
        "edges",
        "udp",
        streams,
        1472,
        warmup_ms=200,
        measure_ms=TRIAL_S * 1000,
        cooldown_ms=50,
        interval_ms=INTERVAL_MS,
        buffer_bytes=UDP_BUFFER_BYTES,
        rate=rate,
    )


PLANS = dict(zip(BARS_US, (_plan(1, "10Mbps"), _plan(8, None))))


class Bench(PairBench):
    name = "edges"
    title = "The same edge of the grid on two hosts"
    default_rounds = 10
    conditions = tuple(PLANS)

    def settings(self) -> dict:
        return {"plans": {name: plan.text() for name, plan in PLANS.items()}}

    def run_round(self, condition: str, round_: int) -> dict:
        trial = require_good(trials_of(self._tutti.run(PLANS[condition]))[0])
        clocks = {host["host"]: host["clock"] for host in trial["hosts"]}
        apart_ns = []
        for interval in trial["timeline"]:
            ends = [host["end_trial_ns"] - clocks[host["host"]]["offset_ns"] for host in interval["hosts"]]
            if len(ends) == 2:
                apart_ns.append(abs(ends[0] - ends[1]))
        return {
            "apart_ns": apart_ns,
            "late_ns": max(host["sampler_worst_lateness_ns"] for host in trial["hosts"]),
            "clocks": [
                {"error_ns": abs(clock["offset_ns"]), "bound_ns": clock["bound_during_ns"]}
                for clock in clocks.values()
            ],
        }

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            apart_us = [ns / 1e3 for data in rounds for ns in data["apart_ns"]]
            bar = BARS_US[condition]
            if apart_us:
                p99 = quantile(apart_us, 0.99)
                note = f"p99 {p99:.1f}, worst {max(apart_us):.1f}, sampler late by {max(data['late_ns'] for data in rounds) / 1e3:.1f} at most"
            rows.append(
                every_row(
                    condition,
                    "two hosts' readings of one edge",
                    apart_us,
                    "us",
                    f"p99 <= {bar:g}",
                    [p99 <= bar] if apart_us else [],
                    note if apart_us else "",
                )
            )
            clocks = [clock for data in rounds for clock in data["clocks"]]
            rows.append(
                every_row(
                    condition,
                    "error of the hosts' time",
                    [clock["error_ns"] / 1e3 for clock in clocks],
                    "us",
                    "within its bound",
                    [clock["error_ns"] <= clock["bound_ns"] for clock in clocks],
                    f"largest bound {max(clock['bound_ns'] for clock in clocks) / 1e3:.1f}" if clocks else "",
                )
            )
        return rows
