"""tutti's busy time of the machine beside the kernel's exact counter, at partial load.

cpuacct.usage of the root cgroup bills every process and misses interrupts taken in idle: a lower bound, about
3% low at 1 Gbps of datagrams. A thread samples it all the time; it is interpolated to the window's edges as
the result states them (T0 on the coordinator's CLOCK_MONOTONIC plus the reader's actual edges).
"""

from judged_row import Row, every_row, row_of
from kernel_counters import cpuacct_sampler
from order_statistics import NOT_DECIDED
from pair_bench import PairBench
from tutti_pair import PlanText, TuttiPair, require_good, trials_of, window_on_timeline

SAMPLE_STEP_S = 0.005
WINDOW_MS = 4000
UDP_BUFFER_BYTES = 1 << 20
SATURATED = 0.95  # of the machine's CPUs: both readings agree then, whatever they are worth
IDLE = "no load"
# Without load there is still a plan: ten datagrams a second.
RATES = {IDLE: "10Kbps", "UDP 10 Mbps": "10Mbps", "UDP 100 Mbps": "100Mbps", "UDP 1 Gbps": "1Gbps"}


def within(condition: str, busy_s: float, cpuacct_s: float) -> bool:
    if condition == IDLE:
        return abs(busy_s - cpuacct_s) <= 0.020
    return cpuacct_s - 0.010 <= busy_s <= cpuacct_s * 1.05 + 0.040 * WINDOW_MS / 4000


def busy_beside_cpuacct(tutti: TuttiPair, plan: PlanText) -> dict:
    """One trial: CPU time of the machine in its window, as the result states it and as the kernel does."""
    with cpuacct_sampler(SAMPLE_STEP_S) as sampler:
        result = tutti.run(plan)
    trial = require_good(trials_of(result)[0])
    if len(trial["machines"]) != 1:
        raise RuntimeError(f"{len(trial['machines'])} machines where the two hosts share one")
    machine = trial["machines"][0]
    begin, end = window_on_timeline(trial, machine["reader"])
    series = sampler.series["cpuacct"]
    return {
        "busy_s": machine["cores_busy"] * machine["elapsed_ns"] / 1e9,
        "cpuacct_s": (series.at(end) - series.at(begin)) / 1e9,
        "widest_gap_ms": series.widest_gap_ns(begin, end) / 1e6,
        "cpu_time_s": machine["elapsed_ns"] / 1e9 * machine["cpus"],
        "from_cpuidle": machine.get("from_cpuidle"),
    }


class Bench(PairBench):
    name = "cpu"
    title = "CPU at partial load beside the kernel's exact counter"
    default_rounds = 10
    conditions = tuple(RATES)

    def settings(self) -> dict:
        return {"window_ms": WINDOW_MS, "sample_step_s": SAMPLE_STEP_S, "rates": RATES}

    def run_round(self, condition: str, round_: int) -> dict:
        message_bytes = 125 if condition == IDLE else 1472
        plan = PlanText(
            "cpu",
            "udp",
            1,
            message_bytes,
            warmup_ms=300,
            measure_ms=WINDOW_MS,
            cooldown_ms=100,
            rate=RATES[condition],
            buffer_bytes=UDP_BUFFER_BYTES,
        )
        return busy_beside_cpuacct(self._tutti, plan)

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            inside = [within(condition, data["busy_s"], data["cpuacct_s"]) for data in rounds]
            bar = "within +-20 ms" if condition == IDLE else "-10 ms .. 5% + 40 ms"
            differences = [(data["busy_s"] - data["cpuacct_s"]) * 1e3 for data in rounds]
            note = f"{min(differences):.1f} to {max(differences):.1f}" if differences else ""
            row = every_row(condition, "busy - cpuacct.usage", differences, "ms", bar, inside, note)
            if any(data["cpuacct_s"] > SATURATED * data["cpu_time_s"] for data in rounds):
                row.verdict = NOT_DECIDED
                row.note += "; the machine was saturated by something else: this load was not partial"
            rows.append(row)
            for figure, name in (("busy_s", "busy"), ("cpuacct_s", "cpuacct.usage")):
                rows.append(
                    row_of(
                        condition,
                        f"{name} in {WINDOW_MS / 1000:.0f} s",
                        [data[figure] * 1e3 for data in rounds],
                        "ms",
                    )
                )
        return rows
