"""The state file of a bench: every finished round, one JSON line each, so that an interrupted bench goes on.

The first line has the seed and the settings. A bench with other settings, programs or another seed does not
go on from it. Since the first run counts, a started log is never thrown away silently: `fresh` moves it aside
and the result tells how many.
"""

import json
import os
import time
from pathlib import Path


class RoundLog:
    def __init__(self, path: Path, head: dict, fresh: bool = False):
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh and path.exists():
            path.rename(path.with_name(f"{path.name}.{len(self._set_aside())}.aside"))
        self.set_aside = len(self._set_aside())
        self.head = head
        self.records: dict[tuple[str, int], dict] = {}
        if path.exists():
            self._load(head)
        else:
            self.head = {**head, "started_unix_s": time.time()}
            self._append(self.head)

    def _set_aside(self) -> list[Path]:
        return list(self._path.parent.glob(f"{self._path.name}.*.aside"))

    def _load(self, head: dict) -> None:
        lines = self._path.read_text().splitlines(keepends=True)
        self.head = json.loads(lines[0])
        for name, value in head.items():
            stored = json.loads(json.dumps(value))
            if name != "seed" and self.head.get(name) != stored:
                raise SystemExit(
                    f"{self._path} was begun with {name} = {self.head.get(name)}, now it is {stored}: "
                    "go on with the same, or begin anew with --fresh"
                )
        whole = 0
        for line in lines[1:]:
            if not line.endswith("\n"):  # the driver was killed while it wrote
                with open(self._path, "r+b") as file:
                    file.truncate(sum(len(kept.encode()) for kept in lines[: 1 + whole]))
                break
            record = json.loads(line)
            self.records[record["condition"], record["round"]] = record
            whole += 1

    def _append(self, value: dict) -> None:
        with open(self._path, "a") as file:
            file.write(json.dumps(value) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def add(self, condition: str, round_: int, data: dict | None, error: str | None) -> None:
        record = {
            "condition": condition,
            "round": round_,
            "at_unix_s": time.time(),
            "data": data,
            "error": error,
        }
        self._append(record)
        self.records[condition, round_] = record

    def good(self, condition: str) -> list[dict]:
        """Data of the good rounds of a condition, in the order of the rounds."""
        return [
            record["data"]
            for (name, _), record in sorted(self.records.items())
            if name == condition and record["error"] is None
        ]

    def errors(self) -> list[str]:
        return [
            f"{name}, round {round_}: {record['error']}"
            for (name, round_), record in sorted(self.records.items())
            if record["error"] is not None
        ]
