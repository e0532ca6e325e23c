// Whether a machine did other work before a case began. Pure; thread-safe.
#pragma once

namespace tutti {

// Above this part of its CPUs a machine's own work is no longer small against what a trial costs.
inline constexpr double kBusyBackgroundRatio = 0.10;

inline bool HasBusyBackground(double background_cores, double cpus) {
  return cpus > 0 && background_cores / cpus > kBusyBackgroundRatio;
}

}  // namespace tutti
