#!/usr/bin/env python3
"""What sse_watchers.py takes for a complete stream."""

import unittest

from sse_watchers import EventStream, tally

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def event(number: int, kind: str = "interval") -> bytes:
    return f'id: {number}\nevent: {kind}\ndata: {{"a":1}}\n\n'.encode()


def fed(*pieces: bytes) -> EventStream:
    stream = EventStream()
    for piece in pieces:
        stream.feed(piece)
    return stream


class Streams(unittest.TestCase):
    def test_numbered_from_1_to_ended_are_complete(self):
        stream = fed(HEAD + event(1, "queued") + event(2), event(3, "ended"))
        self.assertEqual((3, True), (stream.events, stream.complete))

    def test_are_the_same_byte_by_byte(self):
        whole = HEAD + event(1) + b":\n\n" + event(2, "ended")
        stream = fed(*(whole[at : at + 1] for at in range(len(whole))))
        self.assertEqual((2, True), (stream.events, stream.complete))

    def test_with_a_gap_a_late_beginning_or_a_repetition_are_not_complete(self):
        for numbers in ((1, 3), (2, 3), (1, 1, 2)):
            *others, last = numbers
            self.assertFalse(fed(HEAD, *map(event, others), event(last, "ended")).complete, numbers)

    def test_that_do_not_end_with_ended_are_not_complete(self):
        self.assertFalse(fed(HEAD, event(1)).complete)
        self.assertFalse(fed(HEAD, event(1, "ended"), event(2)).complete)
        self.assertFalse(fed(HEAD).complete)

    def test_that_were_refused_are_an_error(self):
        with self.assertRaises(RuntimeError):
            fed(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")


class Tally(unittest.TestCase):
    def test_counts_the_complete_and_both_extremes(self):
        streams = [fed(HEAD, event(1), event(2, "ended")), fed(HEAD, event(1))]
        self.assertEqual(
            {"watchers": 2, "complete": 1, "least_events": 1, "most_events": 2}, tally(streams)
        )


if __name__ == "__main__":
    unittest.main()
