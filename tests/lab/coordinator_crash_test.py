#!/usr/bin/env python3
"""kill -9 of a coordinator at any instant of a run's life: nothing that it has acknowledged is lost.

Two workers, the coordinator and its clients are real processes in a network namespace of the test's own. Each round
submits two runs that need the same hosts, so that one waits, kills the coordinator at a random instant after that, and
starts another one on the same folder. What has to be there is what the clients had been told by then: they write it
down (--jsonl, --json). The instants are spread over the life of a run, a slice for each round, in random order.

usage: coordinator_crash_test.py [--rounds N] [--seed S] [arguments of unittest]
"""
import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

INSIDE = "TUTTI_CRASH_TEST_INSIDE"
ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("TUTTI_BIN", ROOT / "build/release/bin")).resolve()
COORDINATOR = ("127.0.0.1", 7117)
WORKERS = {"a": "127.0.0.11", "b": "127.0.0.12"}
LEASE_S = 2
ROUNDS = 20
# Rounds with runs of two cases, of all rounds: each case has an idle second, in which not much can go wrong.
LARGE_EVERY = 3
INTERRUPTED = "the coordinator ended before this run did"
NOT_FOUND = "no run"

PLAN = """\
version: 1
name: crash
roles: {sender: {hosts: [a]}, receiver: {hosts: [b]}}
matrix: {streams: [1, 2]}
traffic:
  - {name: udp, from: sender, to: receiver, streams: "${streams}", protocol: udp, message_size: 1472B, rate: 5Mbps}
  - {name: tcp, from: sender, to: receiver, protocol: tcp, message_size: 4KiB, rate: 5Mbps}
timing: {warmup: 50ms, measure: 300ms, cooldown: 20ms, interval: 100ms}
repeat: 2
"""
SMALL = ("--set", "matrix.streams=[1]")

options = argparse.Namespace(rounds=ROUNDS, seed=None)


def await_true(condition, timeout_s):
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def load_sockets():
    """Of this network namespace, those that carry load: the control connections have other addresses."""
    found = []
    for protocol in ("tcp", "udp"):
        lines = Path(f"/proc/net/{protocol}").read_text(encoding="ascii").splitlines()[1:]
        for line in lines:
            local, remote, state = line.split()[1:4]
            ends = {socket.inet_ntoa(int(end.split(":")[0], 16).to_bytes(4, sys.byteorder)) for end in (local, remote)}
            if ends & set(WORKERS.values()) and state != "06":  # TIME_WAIT
                found.append(f"{protocol} {local} {remote} state {state}")
    return found


def told_lines(path):
    """Whole lines only: a client that was killed may have written half of its last one."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


class Client:
    """One `tutti run`, and what it was told."""

    def __init__(self, test, number, arguments):
        self.lines_path = test.folder / f"{number}.jsonl"
        self.result_path = test.folder / f"{number}.json"
        command = [BIN / "tutti", "run", test.plan, *arguments, "--quiet", "--jsonl", self.lines_path,
                   "--json", self.result_path, "--label", f"number={number}"]
        self.process = subprocess.Popen(command, env=test.environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.said = ""
        self.lines = []

    def stop(self, within_s):
        await_true(lambda: self.process.poll() is not None, within_s)
        self.process.kill()
        self.said = self.process.communicate()[1]
        self.lines = told_lines(self.lines_path)

    def told(self, event):
        return [line for line in self.lines if line["event"] == event]

    @property
    def run_id(self):
        """Of a run whose submission was acknowledged; None: it was not."""
        accepted = self.told("accepted")
        return accepted[0]["run_id"] if accepted else None

    def result(self):
        """The result as it was delivered; None: the client did not get that far."""
        if not self.told("ended") or self.process.returncode < 0:
            return None
        return json.loads(self.result_path.read_text(encoding="utf-8"))


class CoordinatorCrash(unittest.TestCase):
    def setUp(self):
        self.seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
        self.random = random.Random(self.seed)
        print(f"seed {self.seed}, {options.rounds} rounds", flush=True)
        self.temporary = tempfile.TemporaryDirectory(prefix="tutti-crash-")
        self.folder = Path(self.temporary.name)
        self.environment = os.environ | {"XDG_STATE_HOME": str(self.folder / "state"), "HOME": str(self.folder)}
        self.plan = self.folder / "plan.yaml"
        self.plan.write_text(PLAN, encoding="ascii")
        self.processes = []
        self.addCleanup(self.end_all)
        self.coordinator = None
        self.clients = 0
        self.kept = {}  # run id -> its result as it was read first
        self.undisturbed = []  # clients whose run nobody disturbed
        self.workers = [
            self.start("tutti-worker", "--coordinator", COORDINATOR[0], "--name", name, "--address", address,
                       log=f"worker-{name}")
            for name, address in WORKERS.items()
        ]

    # --- processes

    def start(self, program, *arguments, log):
        with open(self.folder / f"{log}.log", "a", encoding="utf-8") as file:
            process = subprocess.Popen([BIN / program, "--no-config", *arguments], env=self.environment, stdout=file,
                                       stderr=file)
        self.processes.append(process)
        return process

    def end_all(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.temporary.cleanup()

    def start_coordinator(self, *arguments):
        self.coordinator = self.start("tutti-coordinator", "--listen", COORDINATOR[0], "--state-dir",
                                      self.folder / "kept", *arguments, log="coordinator")

    def kill_coordinator(self):
        self.coordinator.send_signal(signal.SIGKILL)
        self.coordinator.wait()
        self.processes.remove(self.coordinator)

    def await_listening(self):
        def listens():
            self.assertIsNone(self.coordinator.poll(), self.logs())
            with socket.socket() as client:
                return client.connect_ex(COORDINATOR) == 0
        self.assertTrue(await_true(listens, 20), self.logs())

    def logs(self):
        tails = []
        for path in sorted(self.folder.glob("*.log")):
            tails.append(f"--- {path.name}\n" + "\n".join(path.read_text(encoding="utf-8").splitlines()[-30:]))
        return "\n".join(tails)

    def tutti(self, *arguments):
        return subprocess.run([BIN / "tutti", *arguments], env=self.environment, capture_output=True, text=True,
                              timeout=60, check=False)

    def submit(self, *arguments):
        self.clients += 1
        return Client(self, self.clients, arguments)

    # --- what the coordinator has

    def listed(self):
        """The kept runs by their ids."""
        done = self.tutti("results", "ls", "--limit", "1000", "--output", "json")
        self.assertEqual(done.returncode, 0, done.stderr + self.logs())
        return {run["run_id"]: run for run in json.loads(done.stdout)["runs"]}

    def export(self, run_id):
        """The run's result; None: there is no such run. Anything between these is a failure."""
        done = self.tutti("results", "export", run_id)
        if done.returncode != 0 and NOT_FOUND in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, f"{run_id}: {done.stderr}\n{self.logs()}")
        return json.loads(done.stdout)

    def worker_states(self):
        done = self.tutti("workers")
        return {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()[1:]}

    def await_idle(self):
        self.assertTrue(await_true(lambda: self.worker_states() == dict.fromkeys(WORKERS, "idle"), 20),
                        f"{self.worker_states()}\n{self.logs()}")
        for worker in self.workers:
            self.assertIsNone(worker.poll(), f"a worker has ended\n{self.logs()}")

    # --- what must hold

    def check_load_is_gone(self, killed_at):
        # And a second for the processes to be given the CPU.
        left_s = killed_at + LEASE_S + 1 - time.monotonic()
        self.assertTrue(await_true(lambda: not load_sockets(), max(left_s, 0)), f"{load_sockets()}\n{self.logs()}")

    def check_trials(self, client, result):
        """Each trial that was told is there, with the status and the reasons that were told."""
        for told in client.told("trial_ended"):
            trials = {trial["repetition"]: trial for trial in result["cases"][told["case_index"]]["trials"]}
            self.assertIn(told["repetition"], trials, f"{client.run_id} has lost {told}")
            trial = trials[told["repetition"]]
            self.assertEqual((trial["status"], trial["reasons"]), (told["status"], told["reasons"]), client.run_id)

    def check_client(self, client, listed):
        run_id = client.run_id
        if run_id is None:
            self.assertEqual(client.lines, [], "nothing is told before the acceptance")
            return
        self.assertIn(run_id, listed, f"an acknowledged run is lost\n{self.logs()}")
        result = self.kept[run_id]
        self.check_trials(client, result)
        ended = client.told("ended")
        if ended:
            self.assertEqual({key: result[key] for key in ("status", "exit_code", "reasons")},
                             {key: ended[0][key] for key in ("status", "exit_code", "reasons")}, run_id)
            delivered = client.result()
            if delivered is not None:
                self.assertEqual(result, delivered, run_id)

    def check_closed(self, listed):
        """No run goes on, and what was not ended says why."""
        for run_id, run in listed.items():
            self.assertNotEqual(run["status"], "running", f"{run_id}\n{self.logs()}")
            self.assertGreater(run["finished_unix_ns"], 0, run_id)
            if run_id in self.kept:
                continue
            result = self.export(run_id)
            self.assertEqual((result["run_id"], result["status"]), (run_id, run["status"]))
            self.assertEqual(len(result["cases"]), run["cases"], run_id)
            interrupted = [reason for reason in result["reasons"] if reason.startswith(INTERRUPTED)]
            complete = all(len(case["trials"]) == 2 for case in result["cases"])
            self.assertTrue(interrupted or complete, f"{run_id} is neither whole nor interrupted: {result['reasons']}")
            self.kept[run_id] = result

    def check_kept(self, run_ids):
        """What was read once reads the same ever after; a run that was removed is not there at all."""
        listed = self.listed()
        for run_id in run_ids:
            self.assertEqual(self.export(run_id), self.kept[run_id] if run_id in listed else None, run_id)
        self.assertLessEqual(set(listed), set(self.kept))
        return listed

    def measure_life(self, *arguments):
        """How long a run takes that nobody disturbs, with the start of its client."""
        self.await_idle()
        began = time.monotonic()
        client = self.submit(*arguments)
        client.stop(within_s=60)
        life_s = time.monotonic() - began
        self.assertEqual(client.process.returncode, 0, client.said + self.logs())
        self.undisturbed.append(client)
        return life_s

    def crash(self, after_s, arguments):
        """One round. What a client had been told of: acceptance, a trial, the end."""
        began = time.monotonic()
        clients = [self.submit(*arguments), self.submit(*arguments)]
        time.sleep(max(began + after_s - time.monotonic(), 0))
        self.kill_coordinator()
        killed_at = time.monotonic()
        for client in clients:
            client.stop(within_s=0.2)  # it reads what had arrived
        self.start_coordinator()
        self.await_listening()
        listed = self.listed()
        self.check_closed(listed)
        for client in clients:
            self.check_client(client, listed)
        self.check_load_is_gone(killed_at)
        self.await_idle()
        return [any(client.told(event) for client in clients) for event in ("accepted", "trial_ended", "ended")]

    def instants(self, lives_s):
        """(seconds after the submission, arguments of the client) of each round, in random order."""
        chosen = []
        for arguments, life_s in lives_s.items():
            large = not arguments
            rounds = [r for r in range(options.rounds) if (r % LARGE_EVERY == 0) == large]
            # Beyond its end too: then the second run is under way.
            slice_s = (life_s + 0.5) / max(len(rounds), 1)
            chosen += [(slice_s * (i + self.random.random()), arguments) for i in range(len(rounds))]
        self.random.shuffle(chosen)
        return chosen

    def crash_while_deleting(self):
        victims = self.random.sample(sorted(self.kept), min(len(self.kept) // 4, 10))
        with subprocess.Popen([BIN / "tutti", "results", "delete", *victims], env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
            time.sleep(self.random.uniform(0.02, 0.12))
            self.kill_coordinator()
            self.start_coordinator()
            client.wait(timeout=60)
        self.await_listening()
        listed = self.check_kept(victims)
        if client.returncode == 0:
            self.assertFalse(set(victims) & set(listed), "an acknowledged deletion is undone")
        self.kept = {run_id: self.kept[run_id] for run_id in listed}

    def crash_while_old_runs_go(self):
        """At its start a coordinator removes what is too much: with such a limit all runs but the newest."""
        self.kill_coordinator()
        self.start_coordinator("--keep-size", "1KiB")
        time.sleep(self.random.uniform(0.01, 0.1))
        self.kill_coordinator()
        self.start_coordinator()
        self.await_listening()
        listed = self.check_kept(self.kept)
        if self.kept:
            self.assertIn(max(self.kept, key=lambda run_id: self.kept[run_id]["submitted_unix_ns"]), listed)
        self.kept = {run_id: self.kept[run_id] for run_id in listed}

    def test_nothing_that_was_acknowledged_is_lost(self):
        began = time.monotonic()
        self.start_coordinator()
        self.await_listening()
        lives_s = {arguments: self.measure_life(*arguments) for arguments in ((), SMALL)}
        reached = []
        for number, (after_s, arguments) in enumerate(self.instants(lives_s)):
            print(f"round {number}: kill after {after_s:.3f} s{' of a small run' if arguments else ''}", flush=True)
            reached.append(self.crash(after_s, arguments))
        # The instants have to have been those of a whole life, or the test proves little.
        if options.rounds >= ROUNDS:
            self.assertGreater(sum(accepted for accepted, _, _ in reached), 0, "no kill came behind an acceptance")
            self.assertGreater(sum(trial for _, trial, _ in reached), 0, "no kill came behind a trial")
            self.assertLess(sum(ended for _, _, ended in reached), len(reached), "every kill came after the end")
        listed = self.check_kept(self.kept)
        for client in self.undisturbed:
            self.assertIsNotNone(client.result())
            self.check_client(client, listed)
        self.measure_life(*SMALL)  # a new run succeeds
        self.check_closed(self.listed())
        for _ in range(3):
            self.crash_while_deleting()
        for _ in range(3):
            self.crash_while_old_runs_go()
        self.await_idle()
        print(f"{len(reached)} kills, {time.monotonic() - began:.1f} s; a run took "
              f"{', '.join(f'{life_s:.2f} s' for life_s in lives_s.values())}", flush=True)


if __name__ == "__main__":
    if INSIDE not in os.environ:
        # A network of its own: as root directly, otherwise as root of a user namespace.
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        command = ["unshare", *user, "--net", "--kill-child", "--fork", sys.executable, "-B", *sys.argv]
        sys.exit(subprocess.run(command, env=os.environ | {INSIDE: "1"}, check=False).returncode)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seed", type=int)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
