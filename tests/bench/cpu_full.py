"""tutti's busy time of the machine beside the kernel's exact counter, where no CPU is ever idle.

At partial load the counter leaves out interrupts taken in idle (cpu.py); at full load there is no idle, and
both have to say the same.
"""

import os

from cpu import SATURATED, UDP_BUFFER_BYTES, busy_beside_cpuacct
from judged_row import Row, every_row, row_of
from order_statistics import NOT_DECIDED
from pair_bench import PairBench
from tutti_pair import PlanText

WINDOW_MS = 4000
STREAMS = max(8, 4 * (os.cpu_count() or 1))
BAR_PERCENT = 2.0
# Protocol, size of a message, socket buffers.
LOADS = {
    f"TCP 128 KiB, {STREAMS} streams": ("tcp", 128 * 1024, None),
    f"UDP 1472 B, {STREAMS} streams": ("udp", 1472, UDP_BUFFER_BYTES),
}


class Bench(PairBench):
    name = "cpu_full"
    title = "CPU at full load beside the kernel's exact counter"
    default_rounds = 10
    conditions = tuple(LOADS)

    def settings(self) -> dict:
        return {"window_ms": WINDOW_MS, "loads": LOADS}

    def run_round(self, condition: str, round_: int) -> dict:
        protocol, message_bytes, buffer_bytes = LOADS[condition]
        plan = PlanText(
            "cpu-full",
            protocol,
            STREAMS,
            message_bytes,
            warmup_ms=300,
            measure_ms=WINDOW_MS,
            cooldown_ms=100,
            buffer_bytes=buffer_bytes,
        )
        return busy_beside_cpuacct(self._tutti, plan)

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            errors = [100 * (data["busy_s"] / data["cpuacct_s"] - 1) for data in rounds]
            inside = [abs(error) <= BAR_PERCENT for error in errors]
            note = f"{min(errors):.2f} to {max(errors):.2f}" if errors else ""
            bar = f"within +-{BAR_PERCENT:g}"
            row = every_row(condition, "busy / cpuacct.usage - 1", errors, "%", bar, inside, note)
            load = [data["cpuacct_s"] / data["cpu_time_s"] for data in rounds]
            if load and min(load) < SATURATED:
                row.verdict = NOT_DECIDED
                row.note += "; the machine was not saturated: this load was not full"
            rows.append(row)
            rows.append(row_of(condition, "cpuacct.usage, of all CPUs", [100 * one for one in load], "%"))
        return rows
