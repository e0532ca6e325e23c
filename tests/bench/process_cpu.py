"""CPU time of another process, exact to the ns, with that of its threads that have ended."""

import time


def process_cpu_s(pid: int) -> float:
    """By the process's own CPU clock; clock_getcpuclockid(3) makes its number the same way."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9
