// What the HTTP server takes of a client before it says no, and why that much.
#pragma once

#include <chrono>
#include <cstddef>

namespace tutti::http {

// A test may choose smaller ones. Sizes in bytes.
struct Limits {
  // A proxy's headers and a label or two fit many times.
  size_t head_bytes = size_t{16} * 1024;
  // What browsers and proxies agree on; fifty labels of the longest kind fit. Part of the head.
  size_t target_bytes = size_t{8} * 1024;
  // A plan has at most 1 MiB, its JSON escapes may double it.
  size_t body_bytes = size_t{2} * 1024 * 1024;

  // A head has to arrive whole within this time, and a body too: who trickles holds a connection no longer.
  std::chrono::milliseconds arrival{10'000};
  // Between the requests of one connection; longer than the pauses of who polls.
  std::chrono::milliseconds idle{60'000};
  // A client whose socket takes nothing for this long is gone, or might as well be.
  std::chrono::milliseconds stall{30'000};
  // What a client still sends is read and dropped for so long after the last answer, which a reset would
  // take from it otherwise.
  std::chrono::milliseconds linger{1'000};
  // Proxies close what is silent, most of them after a minute.
  std::chrono::milliseconds heartbeat{15'000};
  // An event stream's head waits for its first event, so that a refusal can have a status of its own.
  std::chrono::milliseconds stream_open{250};
  // At the end: for events and answers that are on their way.
  std::chrono::milliseconds last_writes{1'000};

  // Of files the process may open 65,536 under systemd and 1,024 often enough elsewhere; workers need theirs.
  size_t connections = 1'024;  // event streams among them
  size_t event_streams = 512;
  // Of answers and events that are made and not taken, together: six readers at a time of a result of ten
  // thousand cases, which has 20 MB as JSON. No large answer or event is begun above it; what goes over it is
  // finished, since its size is known only then, so the most is this, one answer and one event, and of each
  // event stream the small events that it is sent at once.
  size_t unsent_bytes = size_t{128} * 1024 * 1024;
  // From here on it is worth a call to give an answer's memory back.
  size_t large_answer_bytes = size_t{4} * 1024 * 1024;
  // Waiting in the kernel for a reader of events; what comes then waits in the queue, which may drop.
  int event_socket_bytes = 128 * 1024;
};

}  // namespace tutti::http
