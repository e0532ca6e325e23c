#include "coordinator/results/fairness.h"

#include <algorithm>

namespace tutti::results {

std::optional<Fairness> FairnessOf(const std::vector<const StreamView*>& streams) {
  if (streams.size() < 2) return std::nullopt;
  Fairness fairness;
  double sum = 0;
  double squares = 0;
  bool first = true;
  for (const StreamView* stream : streams) {
    if (stream->receiver == nullptr || !stream->receiver->bytes.has_value() || stream->to == nullptr ||
        stream->to->elapsed_ns() <= 0) {
      return std::nullopt;
    }
    const double bps =
        static_cast<double>(*stream->receiver->bytes) * 8e9 / static_cast<double>(stream->to->elapsed_ns());
    sum += bps;
    squares += bps * bps;
    if (first || bps < fairness.slowest_bps) {
      fairness.slowest_bps = bps;
      fairness.slowest_stream = stream->flow->stream_id();
    }
    fairness.fastest_bps = std::max(fairness.fastest_bps, bps);
    first = false;
  }
  if (squares == 0) return std::nullopt;
  fairness.jain_index = std::min(1.0, sum * sum / (static_cast<double>(streams.size()) * squares));
  return fairness;
}

}  // namespace tutti::results
