"""What a thread per CPU does for streams that outnumber the CPUs: when they start, how evenly they share, and
whether ten thousand of them are each served in time.
"""

from pathlib import Path

from judged_row import Row, every_row, judged_row, row_of
from order_statistics import verdict_at_least, verdict_below
from pair_bench import PairBench
from tutti_pair import PlanText, only_entry, require_good, trials_of

SATURATING = 32
SKEW_BAR_MS = 2
JAIN_BAR = 0.98
MANY = 10_000
MANY_RATE_BPS = 100_000
LOW_RATE_BPS = 40_000  # what two CPUs carry also where a message costs 30 us of them
MANY_MOST_DEVIATION = 0.02
MOST_RSS_MB = 300

PER_STREAM = f"{SATURATING} saturating streams, a thread each"
PER_CPU = f"{SATURATING} saturating streams, a thread per CPU"
THOUSANDS = f"{MANY:,} streams at 100 kbps, a thread per CPU"
THOUSANDS_SLOW = f"{MANY:,} streams at 40 kbps, a thread per CPU"


def _saturating(threads: str) -> PlanText:
    return PlanText(
        "per-cpu",
        "tcp",
        SATURATING,
        131072,
        warmup_ms=1000,
        measure_ms=2000,
        cooldown_ms=200,
        further={"threads": threads},
    )


def _thousands(rate_bps: int) -> PlanText:
    return PlanText(
        "ten-thousand",
        "tcp",
        MANY,
        1024,
        warmup_ms=2000,
        measure_ms=10_000,
        cooldown_ms=500,
        interval_ms=1000,
        rate=f"{rate_bps}bps",
        further={"threads": "per_cpu", "read_size": "16KiB"},
    )


PLANS = {
    PER_STREAM: _saturating("per_stream"),
    PER_CPU: _saturating("per_cpu"),
    THOUSANDS: _thousands(MANY_RATE_BPS),
    THOUSANDS_SLOW: _thousands(LOW_RATE_BPS),
}


def _skew_within_a_cpu_ms(streams: list[dict]) -> float | None:
    """The largest spread of steady starts among the senders of one CPU."""
    starts: dict[int, list[int]] = {}
    for stream in streams:
        if stream["sender"]["cpu"] is not None and stream["sender"]["running_trial_ns"] is not None:
            starts.setdefault(stream["sender"]["cpu"], []).append(stream["sender"]["running_trial_ns"])
    return max(((max(each) - min(each)) / 1e6 for each in starts.values()), default=None)


def _peak_rss_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1000


class Bench(PairBench):
    name = "per_cpu"
    title = "Streams that outnumber the CPUs, with a thread each and with a thread per CPU"
    default_rounds = 25
    conditions = tuple(PLANS)

    def settings(self) -> dict:
        return {"plans": {name: plan.text() for name, plan in PLANS.items()}}

    def run_round(self, condition: str, round_: int) -> dict:
        if condition in (THOUSANDS, THOUSANDS_SLOW) and round_ >= 5:  # 14 s each, and all alike
            return {"left_out": True}
        trial = require_good(trials_of(self._tutti.run(PLANS[condition], timeout_s=120))[0])
        entry = only_entry(trial)
        rates = [stream["received_bps"] for stream in trial["streams"]]
        return {
            "running_skew_ms": entry["running_skew_ns"] / 1e6,
            "skew_within_a_cpu_ms": _skew_within_a_cpu_ms(trial["streams"]),
            "jain_index": entry["jain_index"],
            "received_bps": entry["received_bps"],
            "slowest_bps": min(rates),
            "fastest_bps": max(rates),
            "worker_rss_mb": [_peak_rss_mb(self._tutti.worker_pid(name)) for name in ("a", "b")],
        }

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in (PER_STREAM, PER_CPU):
            rounds = log.good(condition)
            judged = condition == PER_CPU
            skews = [data["running_skew_ms"] for data in rounds]
            jain = [data["jain_index"] for data in rounds]
            if judged:
                rows.append(
                    judged_row(
                        condition,
                        "running skew",
                        skews,
                        "ms",
                        f"median < {SKEW_BAR_MS}",
                        lambda interval: verdict_below(interval, SKEW_BAR_MS),
                        f"worst {max(skews):.2f}" if skews else "",
                    )
                )
                within = [data["skew_within_a_cpu_ms"] for data in rounds]
                rows.append(row_of(condition, "running skew among the streams of one CPU", within, "ms"))
                rows.append(
                    judged_row(
                        condition,
                        "Jain index",
                        jain,
                        "",
                        f"median >= {JAIN_BAR}",
                        lambda interval: verdict_at_least(interval, JAIN_BAR),
                        f"worst {min(jain):.4f}" if jain else "",
                    )
                )
            else:
                rows.append(row_of(condition, "running skew", skews, "ms"))
                rows.append(row_of(condition, "Jain index", jain, ""))
            rows.append(
                row_of(condition, "received", [data["received_bps"] / 1e9 for data in rounds], "Gbps")
            )
        for condition, rate_bps in ((THOUSANDS, MANY_RATE_BPS), (THOUSANDS_SLOW, LOW_RATE_BPS)):
            rounds = [data for data in log.good(condition) if "left_out" not in data]
            rows += self._rows_of_many(condition, rate_bps, rounds)
        return rows

    def _rows_of_many(self, condition: str, rate_bps: int, rounds: list[dict]) -> list[Row]:
        worst = [
            max((data[end] / rate_bps - 1 for end in ("slowest_bps", "fastest_bps")), key=abs)
            for data in rounds
        ]
        memory = [max(data["worker_rss_mb"]) for data in rounds]
        return [
            every_row(
                condition,
                "worst stream",
                [100 * value for value in worst],
                "%",
                f"within {100 * MANY_MOST_DEVIATION:g}%",
                [abs(value) <= MANY_MOST_DEVIATION for value in worst],
            ),
            row_of(condition, "Jain index", [data["jain_index"] for data in rounds], ""),
            row_of(condition, "running skew", [data["running_skew_ms"] for data in rounds], "ms"),
            every_row(
                condition,
                "worker's peak memory",
                memory,
                "MB",
                f"< {MOST_RSS_MB}",
                [value < MOST_RSS_MB for value in memory],
            ),
        ]
