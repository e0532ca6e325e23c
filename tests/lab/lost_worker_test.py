"""A worker that dies or stops, in each phase of a trial: the run says who and when, and everybody else serves on.

host1 sends to host2, host3 and the victim over TCP. A phase that would be over in milliseconds waits for the victim,
which is stopped or killed before it answers: CONNECT and ARM while a receiver's host has no route back to the sender.
Whichever it is, the victim is lost when its lease is over: a worker whose connection breaks may come back until then.
"""
import contextlib
import os
import re
import signal
import subprocess
import time
import unittest

import lab_system
from lab_case import TUTTI, FleetCase
from lab_system import await_true

# In which phase a worker is missed that was lost in another one: its lease ends after the window.
MISSED_IN = {"PREPARE": "PREPARE", "CONNECT": "CONNECT", "ARM": "ARM", "WARMUP": "COOLDOWN", "MEASURE": "COOLDOWN",
             "DRAIN": "DRAIN"}
TRIAL_FAILED = 11
PARTIAL = 7
LEASE_S = 2
# The run's first line, a second before PREPARE, in which the machine is idle; then the trial's, which is PREPARE.
ANNOUNCED = r"on host1, host2"
PREPARE_BEGAN = r"trial 1/1"
FIRST_INTERVAL = r"(?m)^ +0\.40-0\.50 "
LAST_INTERVAL = r"(?m)^ +0\.60-0\.70 "


def plan(*receivers):
    return f"""
version: 1
name: losses
roles: {{sender: {{hosts: [host1]}}, receiver: {{hosts: [{', '.join(receivers)}]}}}}
traffic:
  - {{name: bulk, from: sender, to: receiver, pattern: fan_out, protocol: tcp, message_size: 1KiB, rate: 5Mbps}}
timing: {{warmup: 400ms, measure: 300ms, cooldown: 400ms, interval: 100ms}}
"""


class LiveRun:
    """`tutti run`, and what it has said so far."""

    def __init__(self, case, text):
        self.case = case
        self.path = os.path.join(case.folder, "said")
        command = [TUTTI, "run", case.write(text), "--coordinator", case.lab.facts["address"], "--json", case.out]
        with open(self.path, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen(command, env=case.marked.environment, stdout=file, stderr=subprocess.STDOUT)

    def said(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def await_said(self, pattern):
        self.case.assertTrue(await_true(lambda: re.search(pattern, self.said()), 10), self.said())


class LostWorkerTest(FleetCase):
    def kill(self, name):
        lab_system.kill(self.pids[name])
        self.assertTrue(await_true(lambda: not lab_system.is_running(self.pids[name]), 2))

    def stop(self, name):
        os.kill(self.pids[name], signal.SIGSTOP)

    def go_on(self, name):
        os.kill(self.pids[name], signal.SIGCONT)

    @contextlib.contextmanager
    def unreachable(self, name):
        """While host1 connects, so that it has to wait for an answer; its next attempt comes after a second."""
        self.block_route(name, "host1")
        try:
            yield
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):  # its host may have gone with it
                self.unblock_route(name, "host1")

    def await_tcp(self, state, peer):
        """Until host1 has such a connection with a host, and none but of earlier trials beside it."""
        def states():
            return lab_system.tcp_states(self.pids["host1"], self.addresses[peer]) - {"TIME_WAIT"}
        self.assertTrue(await_true(lambda: states() == {state}, 5), f"{peer}: {states()}")

    # Each acts on the victim in one phase of the trial that was just submitted.

    def meet_prepare(self, run, victim, act):
        run.await_said(ANNOUNCED)
        self.stop(victim)
        run.await_said(PREPARE_BEGAN)
        act(victim)

    def meet_connect(self, _, victim, act):
        with self.unreachable(victim):
            self.await_tcp("SYN_SENT", victim)
            act(victim)

    def meet_arm(self, _, victim, act):
        with self.unreachable("host2"):
            self.await_tcp("SYN_SENT", "host2")
            self.await_tcp("ESTABLISHED", victim)
            time.sleep(0.2)  # and it has said so
            act(victim)

    def meet_warmup(self, _, victim, act):
        before = lab_system.received_bytes(self.pids[victim])
        self.assertTrue(await_true(lambda: lab_system.received_bytes(self.pids[victim]) > before + 50_000, 10))
        act(victim)

    def meet_measure(self, run, victim, act):
        run.await_said(FIRST_INTERVAL)
        act(victim)

    def meet_drain(self, run, victim, act):
        run.await_said(LAST_INTERVAL)
        time.sleep(0.1)  # every receiver has told that it sends nothing
        act(victim)

    def check(self, phase, victim, act):
        # Of a trial that ends before its window nothing is known.
        exit_code = TRIAL_FAILED if phase in ("PREPARE", "CONNECT", "ARM") else PARTIAL
        run = LiveRun(self, plan("host2", "host3", victim))
        getattr(self, f"meet_{phase.lower()}")(run, victim, act)
        began = time.monotonic()
        code = run.process.wait(timeout=20)
        took_s = time.monotonic() - began
        self.assertEqual(code, exit_code, run.said())
        self.assertLess(took_s, 3 + LEASE_S)
        self.check_trial(self.result()["cases"][0]["trials"][0], victim)
        self.assertIn(victim, run.said())
        self.assertIn(MISSED_IN[phase], " ".join(self.result()["cases"][0]["trials"][0]["reasons"]))

    def check_trial(self, trial, victim):
        lost = [reason for reason in trial["reasons"] if "session lost" in reason or "did not confirm" in reason]
        self.assertTrue(lost, trial["reasons"])
        for reason in lost:
            self.assertIn(f"host {victim}: ", reason)
        for entry in trial["entries"]:
            received = entry["received_bytes"]
            self.assertEqual(received["parts"], 3)
            if received["parts_known"] < 3:  # what is missing is not 0
                self.assertIsNone(received["value"])
                self.assertIsNone(entry["received_bps"])

    def test_killed(self):
        self.start_fleet(3 + len(MISSED_IN), "offsets")
        for number, phase in enumerate(MISSED_IN, 4):
            with self.subTest(phase=phase):
                self.check(phase, f"host{number}", self.kill)
                self.await_idle("host1", "host2", "host3")
        self.assert_passes(plan("host2", "host3"))
        self.end_fleet()

    def test_stopped(self):
        self.start_fleet(4, "offsets")
        for phase in MISSED_IN:
            with self.subTest(phase=phase):
                try:
                    self.check(phase, "host4", self.stop)
                finally:
                    self.go_on("host4")
                self.await_idle(*self.pids)
        self.assert_passes(plan("host2", "host3", "host4"))
        self.end_fleet()


if __name__ == "__main__":
    unittest.main()
