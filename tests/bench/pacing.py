"""How well a paced sender keeps its rate over every single second, and what it costs.

Judged by the sender's own counters between the edges that its host really read. What UDP loses on the way is
none of the pacing's business and is shown beside it.
"""

from judged_row import Row, every_row, row_of
from pair_bench import PairBench
from tutti_pair import PlanText, host_of, require_good, trials_of

SECONDS = 4
MOST_DEVIATION = 0.01
UDP_BUFFER_BYTES = 1 << 20
# A datagram for each call keeps up to some 100,000 a second here; above, segments that the kernel cuts.
BY_SEGMENTS = {"send": "gso", "receive": "gro"}

RATES_BPS = {
    "1 Mbps": 10**6,
    "10 Mbps": 10**7,
    "100 Mbps": 10**8,
    "1 Gbps": 10**9,
    "2.5 Gbps": 25 * 10**8,
    "5 Gbps": 5 * 10**9,
    "10 Gbps": 10**10,
}


def _plan(protocol: str, rate_bps: int) -> PlanText:
    fast = rate_bps >= 10**9
    udp = protocol == "udp"
    return PlanText(
        "pacing",
        protocol,
        1,
        1472 if udp else 131072 if fast else 1024,
        warmup_ms=500,
        measure_ms=SECONDS * 1000,
        cooldown_ms=100,
        interval_ms=1000,
        buffer_bytes=UDP_BUFFER_BYTES if udp else None,
        rate=f"{rate_bps}bps",
        further=BY_SEGMENTS if udp and fast else {},
    )


PLANS = {
    f"{protocol.upper()} {name}": _plan(protocol, rate_bps)
    for protocol in ("tcp", "udp")
    for name, rate_bps in RATES_BPS.items()
}


class Bench(PairBench):
    name = "pacing"
    title = "How well a sender keeps its rate over each second"
    default_rounds = 10
    conditions = tuple(PLANS)

    def settings(self) -> dict:
        return {"seconds": SECONDS, "plans": {name: plan.text() for name, plan in PLANS.items()}}

    def run_round(self, condition: str, round_: int) -> dict:
        plan = PLANS[condition]
        trial = require_good(trials_of(self._tutti.run(plan))[0])
        stream = trial["streams"][0]
        rate_bytes_per_ns = int(plan.rate.removesuffix("bps")) / 8e9
        deviations = []
        for interval, sent in zip(trial["timeline"], stream["sent_bytes_intervals"]):
            edges = next(host for host in interval["hosts"] if host["host"] == "a")
            asked = rate_bytes_per_ns * (edges["end_trial_ns"] - edges["begin_trial_ns"])
            deviations.append((sent - asked) / asked)
        return {
            "deviations": deviations,
            "message_share": plan.message_bytes / (rate_bytes_per_ns * 1e9),
            "sender_cores": host_of(trial, "a")["load_thread_cores"],
            "worst_behind_us": stream["sender"]["worst_behind_ns"] / 1e3,
            "lost_ratio": stream["loss"]["lost_ratio"],
        }

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            worst = [max(data["deviations"], key=abs) for data in rounds]
            allowed = [max(MOST_DEVIATION, data["message_share"]) for data in rounds]
            inside = [abs(value) <= most for value, most in zip(worst, allowed)]
            bar = "each second within 1% or one message"
            behind = [data["worst_behind_us"] for data in rounds]
            note = f"a burst was up to {max(behind):.0f} us late" if behind else ""
            rows.append(
                every_row(condition, "worst second", [100 * value for value in worst], "%", bar, inside, note)
            )
            cores = [data["sender_cores"] for data in rounds]
            gbps = int(PLANS[condition].rate.removesuffix("bps")) / 1e9
            lost = [data["lost_ratio"] for data in rounds if data["lost_ratio"] is not None]
            rows.append(
                row_of(
                    condition,
                    "CPU of the sending thread",
                    [100 * value for value in cores],
                    "% of a CPU",
                    note=(f"{sum(cores) / len(cores) / gbps:.2f} CPUs per Gbps" if cores else "")
                    + (f"; lost up to {100 * max(lost):.1f}%" if lost else ""),
                )
            )
        return rows
