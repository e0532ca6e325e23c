#!/usr/bin/env python3
"""So many clients that watch one run by server-sent events, each on a connection of its own.

usage: sse_watchers.py HOST PORT RUN COUNT. Prints "watching" when each has had its first event, and when all
streams have ended a line of JSON: how many watched, how many of them got every event (numbered from 1 without
a gap, `ended` the last), and how many events the one with the fewest and the one with the most got.
"""

import json
import selectors
import socket
import sys
import time

RECEIVE_BYTES = 256 * 1024
TIMEOUT_S = 120


class EventStream:
    """Counts the events of one answer, whatever pieces it comes in."""

    def __init__(self):
        self.events = 0
        self._gapless = True
        self._ended = False
        self._head_over = False
        self._waiting = bytearray()

    @property
    def complete(self) -> bool:
        return self._gapless and self._ended

    def feed(self, data: bytes) -> None:
        """RuntimeError for an answer that is no event stream."""
        self._waiting += data
        if not self._head_over and not self._take_head():
            return
        *blocks, rest = self._waiting.split(b"\n\n")
        for block in blocks:
            self._take_block(block)
        if blocks:
            self._waiting = rest

    def _take_head(self) -> bool:
        head, end, rest = self._waiting.partition(b"\r\n\r\n")
        if not end:
            return False
        if not head.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(f"no event stream: {bytes(self._waiting[:400]).decode(errors='replace')}")
        self._head_over, self._waiting = True, rest
        return True

    def _take_block(self, block: bytes) -> None:
        if block.startswith(b":"):  # keeps the connection alive
            return
        self.events += 1
        lines = bytes(block).split(b"\n", 2)
        self._gapless = self._gapless and not self._ended and lines[0] == b"id: %d" % self.events
        self._ended = len(lines) > 1 and lines[1] == b"event: ended"


def connect(host: str, port: int, run_id: str) -> socket.socket:
    connection = socket.create_connection((host, port), timeout=10)
    request = f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n\r\n"
    connection.sendall(request.encode())
    connection.setblocking(False)
    return connection


def tally(streams: list[EventStream]) -> dict:
    return {
        "watchers": len(streams),
        "complete": sum(stream.complete for stream in streams),
        "least_events": min(stream.events for stream in streams),
        "most_events": max(stream.events for stream in streams),
    }


def main() -> int:
    host, port, run_id, count = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    selector = selectors.DefaultSelector()
    streams = [EventStream() for _ in range(count)]
    for stream in streams:
        selector.register(connect(host, port, run_id), selectors.EVENT_READ, stream)
    silent, deadline = set(streams), time.monotonic() + TIMEOUT_S
    while selector.get_map():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{len(selector.get_map())} streams have not ended after {TIMEOUT_S} s")
        for key, _ in selector.select(1):
            data = key.fileobj.recv(RECEIVE_BYTES)
            if not data:
                selector.unregister(key.fileobj)
                key.fileobj.close()
                continue
            key.data.feed(data)
            if silent and key.data.events:
                silent.discard(key.data)
                if not silent:
                    print("watching", flush=True)
    print(json.dumps(tally(streams)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
