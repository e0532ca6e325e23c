"""How far apart streams start, by tutti's own certificate.

Judged where the design promises something: at most as many saturating streams as CPUs, and paced streams.
Every trial counts, not only a run's median.
"""

from judged_row import Row, judged_row
from order_statistics import quantile, verdict_below
from pair_bench import PairBench
from tutti_pair import PlanText, only_entry, status_of, trials_of

TRIALS_PER_ROUND = 10
BAR_US = 200
UDP_BUFFER_BYTES = 1 << 20


def _plan(streams: int, message_bytes: int, rate: str | None) -> PlanText:
    return PlanText(
        "start",
        "udp",
        streams,
        message_bytes,
        warmup_ms=100,
        measure_ms=200,
        cooldown_ms=50,
        interval_ms=100,
        repeat=TRIALS_PER_ROUND,
        buffer_bytes=UDP_BUFFER_BYTES,
        rate=rate,
    )


PLANS = {
    "2 saturating streams, UDP 1472 B": _plan(2, 1472, None),
    "8 streams at 1 Mbps, UDP 1472 B": _plan(8, 1472, "1Mbps"),
    "8 streams at 1 Mbps, UDP 125 B": _plan(8, 125, "1Mbps"),
}
FIGURES = {"first send skew": "first_send_skew_ns", "running skew": "running_skew_ns"}


class Bench(PairBench):
    name = "start"
    title = "How far apart the streams of a trial start"
    default_rounds = 10
    conditions = tuple(PLANS)

    def settings(self) -> dict:
        return {
            "trials_per_round": TRIALS_PER_ROUND,
            "plans": {name: plan.text() for name, plan in PLANS.items()},
        }

    def run_round(self, condition: str, round_: int) -> dict:
        trials = trials_of(self._tutti.run(PLANS[condition]))
        good = [only_entry(trial) for trial in trials if status_of(trial) == "good"]
        kept = (*FIGURES.values(), "skew_bound_ns")
        return {
            "trials": [{name: entry.get(name) for name in kept} for entry in good],
            "not_good": [
                f"{status_of(trial)}: {'; '.join(trial.get('reasons', []))}"
                for trial in trials
                if status_of(trial) != "good"
            ],
        }

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            trials = [trial for data in rounds for trial in data["trials"]]
            not_good = sum(len(data["not_good"]) for data in rounds)
            for figure, field in FIGURES.items():
                values = [trial[field] / 1e3 for trial in trials if trial[field] is not None]
                row = judged_row(
                    condition,
                    figure,
                    values,
                    "us",
                    f"median < {BAR_US}",
                    lambda interval: verdict_below(interval, BAR_US),
                )
                row.note = _note(values, trials, not_good)
                rows.append(row)
        return rows


def _note(values: list[float], trials: list[dict], not_good: int) -> str:
    if not values:
        return f"{len(trials)} good trials without the figure, {not_good} not good"
    bounds = [trial["skew_bound_ns"] / 1e3 for trial in trials if trial["skew_bound_ns"] is not None]
    bound = f", clock bound up to {max(bounds):.1f}" if bounds else ""
    missing = len(trials) - len(values)
    return (
        f"p99 {quantile(values, 0.99):.1f}, worst {max(values):.1f}{bound}"
        + (f"; {missing} without the figure" if missing else "")
        + (f"; {not_good} trials not good" if not_good else "")
    )
