#include "coordinator/plan/explained_fields.h"

namespace tutti::plan {

// A role's name is the key of whatever fills it.
const std::vector<KeyFields>& RoleFields() {
  static const std::vector<KeyFields> fields = {
      {"count", {"count", "all", "name"}},
      {"hosts", {"hosts", "name"}},
      {"labels", {"labels"}},
      {"same_as", {"same_as", "name"}},
  };
  return fields;
}

// A request is the message that a sender sends.
const std::vector<KeyFields>& EntryFields() {
  static const std::vector<KeyFields> fields = {
      {"name", {"name"}},
      {"from", {"from"}},
      {"to", {"to"}},
      {"pattern", {"pattern"}},
      {"both_ways", {"both_ways"}},
      {"streams", {"streams"}},
      {"protocol", {"protocol"}},
      {"message_size", {"message_size_bytes"}},
      {"read_size", {"read_size_bytes"}},
      {"socket_buffer.send", {"send_buffer_bytes"}},
      {"socket_buffer.receive", {"receive_buffer_bytes"}},
      {"cpus.sender", {"sender_cpus"}},
      {"cpus.receiver", {"receiver_cpus"}},
      {"network", {"network"}},
      {"ip", {"ip_family"}},
      {"nodelay", {"nodelay"}},
      {"congestion", {"congestion"}},
      {"mss", {"mss_bytes"}},
      {"dscp", {"dscp"}},
      {"rate", {"rate_bps"}},
      {"catch_up", {"pacing.catch_up_ns"}},
      {"burst", {"pacing.burst"}},
      {"pacing", {"pacing.keeper", "pacing.spin"}},
      {"send", {"ways.send"}},
      {"receive", {"ways.receive"}},
      {"batch", {"ways.batch"}},
      {"discard", {"ways.discard"}},
      {"receive_wait", {"ways.receive_wait"}},
      {"threads", {"threads"}},
      {"request_response.request", {"request_response.request_bytes", "message_size_bytes"}},
      {"request_response.response", {"request_response.response_bytes"}},
      {"request_response.outstanding", {"request_response.outstanding"}},
      {"request_response.connect", {"request_response.exchange"}},
      {"bytes", {"volume_bytes"}},
      {"priority", {"marks.priority"}},
      {"mark", {"marks.mark"}},
      {"ecn", {"marks.ecn"}},
      {"ports", {"ports"}},
      {"source_ports", {"source_ports"}},
      {"best_effort", {"best_effort"}},
  };
  return fields;
}

const std::vector<KeyFields>& TimingFields() {
  static const std::vector<KeyFields> fields = {
      {"warmup", {"warmup_ns"}},
      {"measure", {"measure_ns"}},
      {"cooldown", {"cooldown_ns"}},
      {"interval", {"interval_ns"}},
  };
  return fields;
}

const std::vector<KeyFields>& LimitFields() {
  static const std::vector<KeyFields> fields = {
      {"start_skew", {"start_skew_ns"}},
      {"overlap", {"overlap_ratio"}},
      {"clock_error", {"clock_error_ns"}},
  };
  return fields;
}

const std::vector<KeyFields>& ThresholdFields() {
  static const std::vector<KeyFields> fields = {
      {"expect", {"metric", "comparison", "limit"}},
      {"entry", {"entry"}},
      {"scope", {"scope", "member"}},
      {"window", {"window"}},
      {"severity", {"severity"}},
      {"abort", {"abort"}},
      {"grace", {"abort_grace_ns"}},
  };
  return fields;
}

const std::vector<KeyFields>& CaseFields() {
  static const std::vector<KeyFields> fields = {{"repeat", {"repeat"}}};
  return fields;
}

std::vector<std::string> FieldsOf(const std::vector<KeyFields>& keys, const std::string& key) {
  for (const KeyFields& each : keys) {
    if (each.key == key) return each.fields;
  }
  return {};
}

}  // namespace tutti::plan
