"""A coordinator's HTTP API by its Unix socket."""

import http.client
import json
import socket
import time
from pathlib import Path
from urllib.parse import quote, urlencode

POLL_S = 0.05


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout_s: float):
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class HttpApi:
    """Context manager: one connection, made by the first request. `labels` are pairs, values as text."""

    def __init__(self, path: Path, timeout_s: float = 30):
        self._connection = _UnixConnection(path, timeout_s)

    def __enter__(self) -> "HttpApi":
        return self

    def __exit__(self, *_) -> None:
        self._connection.close()

    def request(self, method: str, target: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and body, whatever the status is; a body that is sent is a plan."""
        headers = {} if body is None else {"Content-Type": "application/yaml"}
        self._connection.request(method, target, body=body, headers=headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def ask(self, method: str, target: str, body: bytes | None = None) -> dict:
        """The answer's JSON; RuntimeError unless it is a success."""
        status, answer = self.request(method, target, body)
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {target}: {status}: {answer[:400].decode(errors='replace')}")
        return json.loads(answer)

    def submit(self, plan: str, labels: tuple[tuple[str, str], ...] = ()) -> str:
        """The run's id."""
        return self.ask("POST", submit_target(labels), plan.encode())["run_id"]

    def run(self, run_id: str) -> dict:
        return self.ask("GET", f"/v1/runs/{quote(run_id)}")

    def runs(self, **filters: str) -> list[dict]:
        """Every page of a list."""
        found, token = [], ""
        while True:
            query = {**filters, "page_runs": "1000"} | ({"page_token": token} if token else {})
            page = self.ask("GET", f"/v1/runs?{urlencode(query)}")
            found += page["runs"]
            token = page["next_page_token"]
            if not token:
                return found

    def cancel(self, run_id: str) -> None:
        self.ask("POST", f"/v1/runs/{quote(run_id)}/cancel")

    def wait_until(self, run_id: str, reached, what: str, timeout_s: float) -> dict:
        """Asks for the run until `reached` holds of it; RuntimeError if it ends before, or does not come."""
        deadline = time.monotonic() + timeout_s
        while True:
            info = self.run(run_id)
            if reached(info):
                return info
            if info["state"] == "ended":
                raise RuntimeError(f"{run_id} ended before it {what}: {'; '.join(info['reasons'])}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{run_id} is {info['state']} and never {what} within {timeout_s:g} s")
            time.sleep(POLL_S)

    def wait_for_end(self, run_id: str, timeout_s: float) -> dict:
        return self.wait_until(run_id, lambda info: info["state"] == "ended", "ended", timeout_s)


def submit_target(labels: tuple[tuple[str, str], ...]) -> str:
    query = urlencode([("label", f"{key}={value}") for key, value in labels])
    return f"/v1/runs?{query}" if query else "/v1/runs"


def phase_of(info: dict) -> str:
    """Of the trial that the run is in, as "MEASURE"; empty: in none."""
    return (info["progress"] or {}).get("phase", "")
