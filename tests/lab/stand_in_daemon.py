#!/usr/bin/python3 -I
"""Stands in for tutti-coordinator and tutti-worker where only the lab itself is tested.

As a coordinator (with --listen) it answers "count" with the number of connections that have said "worker". As a worker (with --coordinator) it holds such a connection, or fails as its
arguments say (--fail: status 3 and a line in the log; --deaf: ignores SIGTERM).
"""
import os
import selectors
import signal
import socket
import sys


def value_of(flag):
    return [sys.argv[i + 1] for i, arg in enumerate(sys.argv) if arg == flag]


def connect(address):
    if address.startswith("unix:"):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(address[5:])
    else:
        host, port = address.rsplit(":", 1)
        sock = socket.create_connection((host, int(port)))
    return sock


def worker():
    if "--fail" in sys.argv:
        print("cannot work today", flush=True)
        sys.exit(3)
    if "--deaf" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sock = connect(value_of("--coordinator")[0])
    sock.sendall(b"worker\n")
    while sock.recv(100):
        pass
    # The coordinator has gone; the lab ends this process.
    signal.pause()


def coordinator():
    selector = selectors.DefaultSelector()
    workers = set()
    for address in value_of("--listen"):
        if address.startswith("unix:"):
            sock = socket.socket(socket.AF_UNIX)
            sock.bind(address[5:])
        else:
            host, port = address.rsplit(":", 1)
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((host, int(port)))
        sock.listen(100)
        selector.register(sock, selectors.EVENT_READ, address)
    while True:
        for key, _ in selector.select():
            if key.data:  # one that listens
                selector.register(key.fileobj.accept()[0], selectors.EVENT_READ, "")
                continue
            said = key.fileobj.recv(100)
            if said == b"worker\n":
                workers.add(key.fileobj)
            elif said == b"count\n":
                key.fileobj.sendall(b"%d" % len(workers))
            else:
                selector.unregister(key.fileobj)
                workers.discard(key.fileobj)
                key.fileobj.close()


if __name__ == "__main__":
    os.umask(0o077)
    (coordinator if "--listen" in sys.argv else worker)()
