#include "coordinator/run/phase.h"

namespace tutti::run {

const char* PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kNew:
      return "NEW";
    case Phase::kPrepare:
      return "PREPARE";
    case Phase::kConnect:
      return "CONNECT";
    case Phase::kClocks:
    case Phase::kArm:
      return "ARM";
    case Phase::kWarmup:
      return "WARMUP";
    case Phase::kMeasure:
      return "MEASURE";
    case Phase::kCooldown:
      return "COOLDOWN";
    case Phase::kDrain:
      return "DRAIN";
    case Phase::kReport:
      return "REPORT";
    case Phase::kAbort:
      return "ABORT";
    case Phase::kFinished:
      return "FINISHED";
  }
  return "UNKNOWN";
}

}  // namespace tutti::run
