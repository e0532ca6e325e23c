#include "worker/observe/missing_facts.h"

namespace tutti::observe {

void AddMissing(const std::string& fact, const absl::Status& why, v1::HostFacts* facts) {
  if (why.ok()) return;
  v1::MissingFact* missing = facts->add_missing();
  missing->set_fact(fact);
  missing->set_reason(std::string(why.message()));
}

}  // namespace tutti::observe
