"""What the benches on two hosts have in common: the hosts and the daemons live as long as the bench.

A bench is a context manager with `name`, `title`, `default_rounds`, `conditions`, settings() (what the result
states and a resumed run must share), run_round(condition, round) -> data for the log, and rows(log) -> judged
rows.
"""

from contextlib import ExitStack
from pathlib import Path

from network_pair import NetworkPair
from tutti_pair import Service, TuttiPair


class PairBench:
    udp_clocks = True  # False: clocks are measured over the sessions alone
    service: Service | None = None  # None: no run is kept, and there is no HTTP API

    def __init__(self, bin_dir: Path, seed: int):
        self._bin_dir = bin_dir
        self._seed = seed
        self._stack = ExitStack()

    def __enter__(self):
        with ExitStack() as stack:
            self._pair = stack.enter_context(NetworkPair())
            self._tutti = stack.enter_context(
                TuttiPair(self._pair, self._bin_dir, self.udp_clocks, self.service)
            )
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception) -> None:
        self._stack.__exit__(*exception)
