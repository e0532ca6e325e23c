#!/usr/bin/env python3
"""Who may include whom: ARROWS below is the list."""

import re
import unittest
from pathlib import Path

from source_tree import files, text

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

LOAD_MAY = {"common/time", "common/units", "common/stats", "common/status", "common/sync"}
COMMON = {"common/*"}
PROTO = {"proto"}

# Room -> what its files may include beside the room itself. A main.cc is a composition root of its own.
ARROWS = {
    "worker/load": LOAD_MAY,
    "worker/observe": {"worker/load"} | COMMON | PROTO,
    "worker/session": {"worker/load", "worker/observe"} | COMMON | PROTO,
    "worker/main.cc": {"worker/*"} | COMMON | PROTO,
    "coordinator/metrics": COMMON | PROTO,
    "coordinator/plan": {"coordinator/metrics"} | COMMON | PROTO,
    "coordinator/fleet": COMMON | PROTO,
    "coordinator/results": {"coordinator/metrics"} | COMMON | PROTO,
    "coordinator/run": {"coordinator/plan", "coordinator/fleet", "coordinator/results"} | COMMON | PROTO,
    "coordinator/report": {"coordinator/metrics"} | COMMON | PROTO,
    "coordinator/store": COMMON | PROTO,
    "coordinator/telemetry": {"coordinator/run", "coordinator/report"} | COMMON | PROTO,
    # A room within a room; see also test_http_has_one_door.
    "coordinator/api/http": {
        "coordinator/api",
        "coordinator/run",
        "coordinator/fleet",
        "coordinator/report",
    }
    | COMMON
    | PROTO,
    # plan: a plan is parsed on the API's threads, never on the thread of decisions.
    "coordinator/api": {
        "coordinator/api/http",
        "coordinator/run",
        "coordinator/results",
        "coordinator/fleet",
        "coordinator/report",
        "coordinator/plan",
        "coordinator/store",
        "coordinator/telemetry",
    }
    | COMMON
    | PROTO,
    "coordinator/lab": COMMON,
    "coordinator/cli": {"coordinator/metrics", "coordinator/plan", "coordinator/report", "coordinator/lab"}
    | COMMON
    | PROTO,
    "coordinator/main.cc": {
        "coordinator/api",
        "coordinator/run",
        "coordinator/fleet",
        "coordinator/results",
        "coordinator/report",
        "coordinator/plan",
        "coordinator/store",
    }
    | COMMON
    | PROTO,
}
ARROWS.update({f"common/{room}": COMMON for room in ("completion", "config", "log", "net", "stats", "status", "suggestion", "sync", "time", "units", "version")})
ARROWS["common/facts"] = COMMON | PROTO

# Outside libraries that only some rooms may touch.
LIBRARY_ROOMS = {
    "yaml-cpp/": {"coordinator/plan", "common/config"},
    "zstd.h": {"coordinator/store"},
    "prometheus/": {"coordinator/telemetry"},
    "boost/": {"coordinator/api/http"},
    "CLI/": {"coordinator/cli", "coordinator/main.cc", "worker/main.cc", "common/completion", "common/config"},
    "grpcpp/": {
        "common/net",
        "common/status",
        "common/log",
        "worker/session",
        "worker/main.cc",
        "coordinator/fleet",
        "coordinator/run",
        "coordinator/api",
        "coordinator/cli",
        "coordinator/main.cc",
    },
}
# What worker/load must not reach, however far away: it can be lifted out whole.
LOAD_NEVER = ("grpc", "tutti/v1/", "google/protobuf", "yaml-cpp/", "spdlog/")


def room_of(path: Path) -> str:
    if path.name == "main.cc" and len(path.parts) == 2:
        return str(path)
    inner = "/".join(path.parts[:3])
    return inner if inner in ARROWS else "/".join(path.parts[:2])


def included_room(name: str) -> str | None:
    """Room of an include of ours; None for everything else."""
    if name.startswith("tutti/v1/"):
        return "proto"
    if name.split("/")[0] in ("common", "worker", "coordinator", "tests"):
        return room_of(Path(name))
    return None


def allowed(room: str, target: str) -> bool:
    may = ARROWS.get(room, set())
    return target == room or target in may or f"{target.split('/')[0]}/*" in may


class IncludeArrows(unittest.TestCase):
    sources = [path for path in files(".h", ".cc") if path.parts[0] != "tests"]

    def test_every_room_has_a_rule(self):
        self.assertEqual([], sorted({room_of(path) for path in self.sources} - set(ARROWS)))

    def test_rooms_include_only_what_they_may(self):
        wrong = []
        for path in self.sources:
            for _, name in INCLUDE.findall(text(path)):
                target = included_room(name)
                if target is not None and not allowed(room_of(path), target):
                    wrong.append(f"{path} includes {name}: {room_of(path)} may not include {target}")
        self.assertEqual([], wrong)

    def test_libraries_stay_in_their_rooms(self):
        wrong = []
        for path in self.sources:
            for _, name in INCLUDE.findall(text(path)):
                for prefix, rooms in LIBRARY_ROOMS.items():
                    if name.startswith(prefix) and room_of(path) not in rooms:
                        wrong.append(f"{path} includes {name}")
        self.assertEqual([], wrong)

    def test_sql_stays_in_one_folder(self):
        home = Path("coordinator/store/sqlite")
        speakers = [path for path in self.sources if "sqlite3" in text(path)]
        self.assertGreater(len(speakers), 0)
        self.assertEqual([], [str(path) for path in speakers if home not in path.parents])
        # Only who puts the coordinator together knows which store it is.
        wrong = [
            str(path)
            for path in self.sources
            if home not in path.parents and path != Path("coordinator/api/coordinator_server.cc")
            if any(name.startswith(f"{home}/") for _, name in INCLUDE.findall(text(path)))
        ]
        self.assertEqual([], wrong)

    def test_http_has_one_door(self):
        # What it asks goes through Operations, in whose terms events come.
        door = {
            "coordinator/api/operations.h",
            "coordinator/api/event_queue.h",
            "coordinator/run/event_log.h",
            "coordinator/fleet/fleet_watcher.h",
        }
        beside = ("coordinator/api/http/", "coordinator/report/", "common/", "tutti/v1/")
        http = [path for path in self.sources if room_of(path) == "coordinator/api/http"]
        self.assertGreater(len(http), 0)
        wrong = [
            f"{path} includes {name}"
            for path in http
            for _, name in INCLUDE.findall(text(path))
            if included_room(name) is not None and not name.startswith(beside) and name not in door
        ]
        self.assertEqual([], wrong)

    def test_load_reaches_no_proto_no_grpc_and_no_yaml(self):
        contents = {str(path): [name for _, name in INCLUDE.findall(text(path))] for path in self.sources}
        wrong = []
        seen = set()
        waiting = [path for path in contents if path.startswith("worker/load/")]
        while waiting:
            path = waiting.pop()
            if path in seen:
                continue
            seen.add(path)
            for name in contents.get(path, []):
                if name.startswith(LOAD_NEVER):
                    wrong.append(f"{path} includes {name}")
                waiting.append(name)
        self.assertGreater(len(seen), 0)
        self.assertEqual([], wrong)

    def test_workers_and_coordinator_do_not_meet_in_unit_tests_either(self):
        wrong = []
        for path in files(".h", ".cc", folders=("tests/unit",)):
            side = path.parts[2]
            other = {"worker": "coordinator/", "coordinator": "worker/"}.get(side)
            wrong += [f"{path}: {n}" for _, n in INCLUDE.findall(text(path)) if other and n.startswith(other)]
        self.assertEqual([], wrong)


class TheRulesThemselves(unittest.TestCase):
    def test_a_forbidden_arrow_is_seen(self):
        self.assertFalse(allowed("worker/load", "proto"))
        self.assertFalse(allowed("worker/session", "coordinator/run"))
        self.assertFalse(allowed("coordinator/report", "coordinator/run"))
        self.assertFalse(allowed("common/net", "tests/unit"))

    def test_an_allowed_arrow_is_not(self):
        self.assertTrue(allowed("worker/load", "common/time"))
        self.assertTrue(allowed("coordinator/cli", "coordinator/lab"))


if __name__ == "__main__":
    unittest.main()
