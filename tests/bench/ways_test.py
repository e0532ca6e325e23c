"""The mean over all cells where some cells have more rounds than others."""

import tempfile
import unittest
from pathlib import Path

from round_log import RoundLog
from ways import CELLS, RAW, Bench


def _data(contenders: tuple[str, ...], ratio: float) -> dict:
    figures = {"own_received_bps": None, "elapsed_s": 1.0, "cpu_s": 1.0}
    data = {name: {**figures, "received_bps": 100.0, "cpu_ns_per_byte": 1.0} for name in contenders}
    data["tutti"] = {**figures, "received_bps": 100.0 * ratio, "cpu_ns_per_byte": 1 / ratio}
    return data


class Mean(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = RoundLog(Path(folder.name) / "ways.rounds.jsonl", {"bench": "ways", "seed": 7})

    def add(self, condition: str, round_: int, ratio: float, error: str | None = None) -> None:
        data = _data((RAW, *CELLS[condition].peers), ratio)
        self.log.add(condition, round_, None if error else data, error)

    def rows(self) -> dict:
        return {(row.condition, row.figure): row for row in Bench(Path("bin"), 7).rows(self.log)}

    def test_rounds_that_lack_a_cell_count_for_their_cells_alone(self):
        first = next(iter(CELLS))
        for condition in CELLS:
            self.add(condition, 0, 0.9)
            self.add(condition, 1, 0.5, "it broke" if condition == first else None)
        self.add(first, 2, 0.1)
        rows = self.rows()
        mean = rows["all cells", f"received, geometric mean of tutti / {RAW}"]
        self.assertEqual(1, mean.count)
        self.assertAlmostEqual(0.9, mean.median)
        self.assertEqual(2, rows[first, f"received, tutti / {RAW}"].count)
        self.assertAlmostEqual(0.5, rows[first, f"received, tutti / {RAW}"].median)


if __name__ == "__main__":
    unittest.main()
