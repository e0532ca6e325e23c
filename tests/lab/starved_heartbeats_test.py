"""A load of more threads than CPUs, pinned to them, beside other work: whoever answers the coordinator still does."""
import contextlib
import json
import os
import re
import subprocess
import sys
import unittest

from lab_case import TUTTI, FleetCase
from lab_system import IS_ROOT, await_true

CPUS = sorted(os.sched_getaffinity(0))[:2]
STREAMS = 32
STREAM = re.compile(r"tutti-s\d+")
PLAN = f"""
version: 1
name: starving
roles: {{sender: {{hosts: [host1]}}, receiver: {{hosts: [host2]}}}}
traffic:
  - name: bulk
    from: sender
    to: receiver
    pattern: pairs
    protocol: tcp
    streams: {STREAMS}
    cpus: {{sender: {CPUS}, receiver: {CPUS}}}
timing: {{warmup: 200ms, measure: 3s, cooldown: 100ms, interval: 100ms}}
"""


def may_raise():
    """Whether the workers of this test may put a thread before others."""
    lower = [sys.executable, "-c", "import os; os.setpriority(os.PRIO_PROCESS, 0, -20)"]
    return IS_ROOT and subprocess.run(lower, capture_output=True, check=False).returncode == 0


def threads(pid):
    """Name, nice value and CPUs of each."""
    found = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            with open(f"/proc/{pid}/task/{thread}/stat", encoding="utf-8", errors="replace") as file:
                text = file.read()
            name = text[text.index("(") + 1:text.rindex(")")]
            found.append((name, int(text.rsplit(")", 1)[1].split()[16]), os.sched_getaffinity(int(thread))))
    return found


@contextlib.contextmanager
def busy_cpus():
    """Two endless loops on each CPU that the streams have."""
    loops = []
    try:
        for cpu in CPUS * 2:
            loops.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            os.sched_setaffinity(loops[-1].pid, {cpu})
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


class StarvedHeartbeatsTest(FleetCase):
    def sessions(self):
        """Where each worker's session comes from: another port after a new one."""
        done = self.tutti("workers", "--coordinator", self.lab.facts["address"], "--output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {worker["name"]: worker["peer"] for worker in json.loads(done.stdout)["workers"]}

    def await_load(self):
        """The threads of each host when its streams had all been pinned."""
        seen = {}
        def look(name):
            found = threads(self.pids[name])
            pinned = [cpus for thread, _, cpus in found if STREAM.fullmatch(thread) and len(cpus) == 1]
            if len(pinned) == STREAMS:
                seen[name] = found
            return name in seen
        self.assertTrue(await_true(lambda: all(name in seen or look(name) for name in self.pids), 20), seen.keys())
        return seen

    def check(self, found):
        everywhere = os.sched_getaffinity(0)
        first = -20 if may_raise() else 0
        names = {thread for thread, _, _ in found}
        self.assertLessEqual({"tutti-worker", "tutti-trial", "tutti-clock"}, names)
        for thread, nice, cpus in found:
            if STREAM.fullmatch(thread):
                self.assertEqual(nice, 0)
                continue
            self.assertEqual(cpus, everywhere, thread)
            ordinary = thread in ("tutti-trial", "tutti-sampler")  # the sampler has a real-time policy instead
            self.assertEqual(nice, 0 if ordinary else first, thread)

    def test_no_session_is_lost_and_only_the_load_is_pinned(self):
        self.start_fleet(2, "offsets")
        before = self.sessions()
        with busy_cpus():
            command = [TUTTI, "run", self.write(PLAN), "--coordinator", self.lab.facts["address"], "--json", self.out]
            with subprocess.Popen(command, env=self.marked.environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as run:
                seen = self.await_load()
                run.wait(timeout=30)
        for found in seen.values():
            self.check(found)
        trial = self.result()["cases"][0]["trials"][0]
        self.assertNotIn(trial["status"], ("partial", "failed"), trial["reasons"])
        self.assertEqual(self.sessions(), before)
        self.end_fleet()


if __name__ == "__main__":
    unittest.main()
