"""A coordinator that answers HTTP, with two workers, all on this host's loopback device; and a proxy that breaks
connections."""
import json
import os
import select
import signal
import socket
import socketserver
import subprocess
import threading
import urllib.error
import urllib.request

from lab_case import COORDINATOR, WORKER, LabCase
from lab_system import SOURCE, await_true

WORKERS = ("w1", "w2")


def free_ports(count):
    """Ports of the loopback address that nobody uses at this moment."""
    listening = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in listening]
    for each in listening:
        each.close()
    return ports


class ServiceCase(LabCase):
    def setUp(self):
        super().setUp()
        self.daemons = []
        session_port, http_port = free_ports(2)
        self.address = f"127.0.0.1:{session_port}"
        self.url = f"http://127.0.0.1:{http_port}"
        self.addCleanup(self.end_daemons)
        self.start_daemon(COORDINATOR, "--listen", self.address, "--http", f"127.0.0.1:{http_port}",
                          "--state-dir", os.path.join(self.folder, "store"))
        for name in WORKERS:
            self.start_daemon(WORKER, "--coordinator", self.address, "--name", name)
        self.assertTrue(await_true(lambda: self.states() == {name: "idle" for name in WORKERS}, 20),
                        f"{self.states()}\n{self.logs()}")

    def start_daemon(self, program, *arguments):
        path = os.path.join(self.folder, f"daemon-{len(self.daemons)}.log")
        with open(path, "w", encoding="utf-8") as log:
            self.daemons.append(subprocess.Popen([program, *arguments], stdout=log, stderr=log,
                                                 env=self.marked.environment))

    def end_daemons(self):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def logs(self):
        texts = []
        for number in range(len(self.daemons)):
            with open(os.path.join(self.folder, f"daemon-{number}.log"), encoding="utf-8") as log:
                texts.append(log.read())
        return "\n".join(texts)

    def get(self, path):
        """Body of an answer; an error is an exception."""
        with urllib.request.urlopen(self.url + path, timeout=20) as answer:
            return answer.read().decode()

    def get_json(self, path):
        return json.loads(self.get(path))

    def states(self):
        try:
            return {worker["name"]: worker["state"] for worker in self.get_json("/v1/workers")["workers"]}
        except (OSError, urllib.error.URLError):
            return {}

    def runs(self, query=""):
        return self.get_json("/v1/runs" + ("?" + query if query else ""))["runs"]

    def example(self, name):
        return os.path.join(SOURCE, "deploy/ci", name)


class BreakingProxy(socketserver.ThreadingTCPServer):
    """Passes everything on to `upstream`, but breaks the first stream of events in the middle of its third event."""
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, upstream):
        super().__init__(("127.0.0.1", 0), _Passing)
        self.upstream = upstream
        self.streams = []  # head of each request for events
        self.broken = False
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def close(self):
        self.shutdown()
        self.server_close()


class _Passing(socketserver.BaseRequestHandler):
    def handle(self):
        head = b""
        while b"\r\n\r\n" not in head:
            data = self.request.recv(65536)
            if not data:
                return
            head += data
        breaks = False
        if b"/events HTTP" in head:
            with self.server.lock:
                self.server.streams.append(head.decode())
                breaks, self.server.broken = not self.server.broken, True
        with socket.create_connection(self.server.upstream) as upstream:
            upstream.sendall(head)
            try:
                self.pass_on(upstream, breaks)
            except OSError:
                pass  # one of the two is gone

    def pass_on(self, upstream, breaks):
        told = b""
        while True:
            ready, _, _ = select.select([self.request, upstream], [], [], 120)
            for source in ready:
                data = source.recv(65536)
                if not data:
                    return
                if source is self.request:
                    upstream.sendall(data)
                elif not breaks:
                    self.request.sendall(data)
                else:
                    told += data
                    if told.count(b"\n\n") >= 3:
                        second_end = told.index(b"\n\n", told.index(b"\n\n") + 2) + 2
                        self.request.sendall(told[:second_end + 12])
                        return
