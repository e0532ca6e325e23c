// The phases of a trial, in their order, and what they are called.
#pragma once

namespace tutti::run {

enum class Phase {
  kNew,
  kPrepare,
  kConnect,
  kClocks,  // every stream is connected; waits for OnClocks
  kArm,
  kWarmup,
  kMeasure,
  kCooldown,  // until every host has said that its senders stopped
  kDrain,
  kReport,
  kAbort,  // every host was told to abort; waits until it is idle
  kFinished,
};

// As a report writes it: "PREPARE", ...; kClocks is a part of ARM.
const char* PhaseName(Phase phase);

}  // namespace tutti::run
