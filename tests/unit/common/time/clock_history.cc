#include "tests/unit/common/time/clock_history.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti {
namespace {

constexpr double kUsNs = 1e3;
constexpr double kMsNs = 1e6;
constexpr double kSecondNs = 1e9;
constexpr double kDayNs = 86'400e9;
constexpr double kWander = 0.98e-6;  // a little inside the budget: each piece of the clock rounds

double Uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

double LogUniform(std::mt19937_64& random, double low, double high) {
  return low * std::pow(high / low, Uniform(random, 0, 1));
}

bool Chance(std::mt19937_64& random, double probability) { return Uniform(random, 0, 1) < probability; }

// The path of one history: what each way takes at least, and how heavy its tail is.
struct Path {
  double forth_ns;
  double back_ns;
  double alpha;
  double most_ns;

  static Path Draw(std::mt19937_64& random, double most_ns) {
    Path path{LogUniform(random, 200, kMsNs), 0, Uniform(random, 0.7, 3), most_ns};
    path.back_ns = Chance(random, 0.5) ? path.forth_ns : LogUniform(random, 200, kMsNs);
    if (Chance(random, 0.2)) path.back_ns = 0;
    if (Chance(random, 0.2)) std::swap(path.forth_ns, path.back_ns);
    return path;
  }
  // Pareto.
  int64_t Delay(std::mt19937_64& random, double least_ns) const {
    const double stretch = std::pow(1 - Uniform(random, 0, 1), -1 / alpha);
    return static_cast<int64_t>(std::min(least_ns * stretch, most_ns));
  }
};

ClockExchange Garbage(std::mt19937_64& random, ClockExchange exchange) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  switch (random() % 5) {
    case 0:
      exchange.reply_sent.ns = exchange.probe_received.ns - 1 - static_cast<int64_t>(random() % 1'000'000);
      break;
    case 1:
      exchange.reply_received.ns = exchange.probe_sent.ns - 1 - static_cast<int64_t>(random() % 1'000'000);
      break;
    case 2:
      exchange.probe_received.ns = kMin;
      break;
    case 3:
      exchange.reply_sent.ns = kMax;
      break;
    default:
      exchange.uncertainty_ns = -1;
  }
  return exchange;
}

// Each stamp is wrong by up to a share of the uncertainty.
void Blur(std::mt19937_64& random, int64_t uncertainty_ns, ClockExchange* exchange) {
  exchange->uncertainty_ns = uncertainty_ns;
  const auto most = static_cast<double>(uncertainty_ns / 4);
  const auto error_ns = [&] { return static_cast<int64_t>(Uniform(random, -most, most)); };
  exchange->probe_sent.ns += error_ns();
  exchange->probe_received.ns += error_ns();
  exchange->reply_sent.ns += error_ns();
  exchange->reply_received.ns += error_ns();
}

// Rates of a clock from begin to end: near one rate and never farther from it than the budget, or on a slow
// way that stays within the budget in every 25 s (the window, the longest gap, and the instants asked for
// later).
void DrawRates(std::mt19937_64& random, double begin, double end, ClockHistory* history) {
  const double center = Uniform(random, -499e-6, 499e-6);
  history->drift = -center / (1 + center);
  double trend = 2 * kWander / (25 * kSecondNs);
  double moved = 0;
  for (double t = begin; t < end;) {
    double length = Uniform(random, 100 * kMsNs, 3 * kSecondNs);
    if (history->trend) length = 500 * kMsNs;
    const double wander = history->trend ? moved : (Chance(random, 0.5) ? kWander : -kWander);
    const double rate = std::clamp(center + wander, -499.5e-6, 499.5e-6);
    history->clock.SetRate({static_cast<int64_t>(t)}, rate);
    t += length;
    moved += trend * length;
    if (Chance(random, 0.01)) trend = -trend;
  }
}

void DrawSteps(std::mt19937_64& random, double begin, double end, ClockHistory* history) {
  const int count = Chance(random, 0.3) ? 1 + static_cast<int>(random() % 3) : 0;
  for (int i = 0; i < count; ++i) {
    const auto size_ns = static_cast<int64_t>(LogUniform(random, 10 * kUsNs, kDayNs));
    history->steps.push_back(
        {{static_cast<int64_t>(Uniform(random, begin, end))}, Chance(random, 0.5) ? size_ns : -size_ns});
  }
  std::sort(history->steps.begin(), history->steps.end(),
            [](const ClockHistory::Step& a, const ClockHistory::Step& b) { return a.at < b.at; });
}

}  // namespace

const TrueClock::Piece& TrueClock::PieceAt(TimelineTime t) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), t.ns,
                                      [](int64_t ns, const Piece& piece) { return ns < piece.from_ns; });
  return after == pieces_.begin() ? *after : *(after - 1);
}

TrueClock::Piece TrueClock::Continue(TimelineTime at) const {
  const Piece& piece = PieceAt(at);
  const int64_t passed_ns = at.ns - piece.from_ns;
  const double gained_ns = piece.part_ns + static_cast<double>(passed_ns) * piece.rate;
  const double whole_ns = std::floor(gained_ns);
  return {at.ns, piece.host_ns + passed_ns + static_cast<int64_t>(whole_ns), gained_ns - whole_ns,
          piece.rate};
}

HostTime TrueClock::At(TimelineTime t) const { return {Continue(t).host_ns}; }

void TrueClock::SetRate(TimelineTime at, double rate) {
  pieces_.push_back(Continue(at));
  pieces_.back().rate = rate;
}

void TrueClock::Step(TimelineTime at, int64_t step_ns) {
  // All pieces from here on are shifted; one begins here.
  const Piece here = Continue(at);
  auto after = std::upper_bound(pieces_.begin(), pieces_.end(), at.ns,
                                [](int64_t ns, const Piece& piece) { return ns < piece.from_ns; });
  after = pieces_.insert(after, here);
  for (; after != pieces_.end(); ++after) after->host_ns += step_ns;
}

ClockHistory MakeClockHistory(std::mt19937_64& random) {
  const double begin = Uniform(random, kSecondNs, 1'000 * kDayNs);
  ClockHistory history{
      .clock = TrueClock({static_cast<int64_t>(begin)}, {static_cast<int64_t>(Uniform(random, -4e16, 4e16))}),
      .deliveries = {},
      .steps = {}};
  history.trend = Chance(random, 0.15);
  // Bursts, the usual pace, or few and far between.
  const double paces[] = {3 * kMsNs, 200 * kMsNs, 2 * kSecondNs};
  const double pace = paces[random() % 3];
  const int probes = 1 + static_cast<int>(random() % (history.trend ? 200 : 60));
  const double end = begin + pace * probes * 2;
  DrawRates(random, begin, end + 5 * kSecondNs, &history);
  if (!history.trend) DrawSteps(random, begin, end, &history);
  for (const ClockHistory::Step& step : history.steps) history.clock.Step(step.at, step.step_ns);

  const Path path = Path::Draw(random, history.trend ? 500 * kMsNs : 2 * kSecondNs);
  const double lost = history.trend ? 0 : Uniform(random, 0, 0.5);
  const double garbled = Chance(random, 0.3) ? 0.1 : 0;
  const int64_t uncertainty_ns =
      Chance(random, 0.5) ? static_cast<int64_t>(LogUniform(random, 4, 10'000)) : 0;
  const bool late = Chance(random, 0.5);
  double t = begin;
  for (int i = 0; i < probes; ++i) {
    t += history.trend ? std::min(pace, 1.5 * kSecondNs) : Uniform(random, 0.01, 2) * pace;
    const TimelineTime sent{static_cast<int64_t>(t)};
    const TimelineTime arrived = sent + path.Delay(random, path.forth_ns);
    const TimelineTime answered =
        arrived +
        static_cast<int64_t>(LogUniform(random, 100, Chance(random, 0.02) ? 50 * kMsNs : 100 * kUsNs));
    const TimelineTime received = answered + path.Delay(random, path.back_ns);
    const bool stepped = std::any_of(history.steps.begin(), history.steps.end(), [&](const auto& step) {
      return step.at >= sent && step.at <= received;
    });
    if (stepped || Chance(random, lost)) continue;
    ClockHistory::Delivery delivery{
        received, sent, {sent, history.clock.At(arrived), history.clock.At(answered), received}};
    if (uncertainty_ns > 0) Blur(random, uncertainty_ns, &delivery.exchange);
    if (Chance(random, garbled)) {
      delivery.garbage = true;
      delivery.exchange = Garbage(random, delivery.exchange);
    }
    if (late && Chance(random, 0.5)) delivery.at.ns += static_cast<int64_t>(Uniform(random, 0, 300 * kMsNs));
    history.deliveries.push_back(delivery);
  }
  std::stable_sort(history.deliveries.begin(), history.deliveries.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return history;
}

}  // namespace tutti
