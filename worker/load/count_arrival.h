// Which count of a cohort an arriving datagram belongs to.
#pragma once

#include "worker/load/load_trial.h"
#include "worker/load/sequence_tracker.h"

namespace tutti::load {

// Whether it is payload: a duplicate is counted as one and is not. Its bytes are the caller's to add.
inline bool CountArrival(Arrival arrival, ReceivedCohort& cohort) {
  switch (arrival) {
    case Arrival::kInOrder:
      ++cohort.in_order;
      return true;
    case Arrival::kReordered:
      ++cohort.reordered;
      return true;
    case Arrival::kLate:
      ++cohort.late;
      return true;
    case Arrival::kDuplicate:
      ++cohort.duplicates;
      return false;
  }
  return false;
}

}  // namespace tutti::load
