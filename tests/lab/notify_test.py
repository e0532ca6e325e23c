"""What the daemons tell systemd: ready, alive, stopping."""
import contextlib
import os
import signal
import socket
import subprocess
import time
import unittest

from lab_case import COORDINATOR, WORKER, LabCase

WATCHDOG_S = 0.6


class NotifyTest(LabCase):
    def start(self, program, *arguments):
        """The daemon, and the socket that it tells systemd by."""
        path = os.path.join(self.folder, os.path.basename(program))
        heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(heard.close)
        heard.bind(path)
        environment = self.marked.environment | {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": str(int(WATCHDOG_S * 1e6))}
        daemon = subprocess.Popen([program, *arguments, "--log-level", "off"], env=environment)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        return daemon, heard

    def hear(self, heard, word, within_s):
        """Everything up to and with the message that has this line."""
        messages = []
        deadline = time.monotonic() + within_s
        while not any(word in message for message in messages):
            heard.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                messages.append(heard.recv(4096).decode().splitlines())
            except TimeoutError:
                self.fail(f"no {word} in {within_s} s, only {messages}")
        return messages

    def check_watchdog(self, heard):
        """From now on, never later than systemd would wait."""
        heard.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while heard.recv(4096):
                pass
        for _ in range(3):
            self.hear(heard, "WATCHDOG=1", WATCHDOG_S)

    def check_stop(self, daemon, heard):
        daemon.send_signal(signal.SIGTERM)
        self.hear(heard, "STOPPING=1", 2)
        self.assertEqual(daemon.wait(timeout=5), 0)

    def test_both_daemons(self):
        address = "unix:" + os.path.join(self.folder, "coordinator.sock")
        worker, from_worker = self.start(WORKER, "--coordinator", address, "--name", "w")
        # Nobody to register with yet: it lives, and is not ready.
        for message in self.hear(from_worker, "WATCHDOG=1", 5) + self.hear(from_worker, "WATCHDOG=1", WATCHDOG_S):
            self.assertNotIn("READY=1", message)
        coordinator, from_coordinator = self.start(COORDINATOR, "--listen", address, "--state-dir", "none")
        self.hear(from_coordinator, "READY=1", 5)
        [*_, ready] = self.hear(from_worker, "READY=1", 5)
        self.assertIn(f"STATUS=Registered with {address}", ready)
        self.check_watchdog(from_worker)
        self.check_watchdog(from_coordinator)
        self.check_stop(worker, from_worker)
        self.check_stop(coordinator, from_coordinator)


if __name__ == "__main__":
    unittest.main()
