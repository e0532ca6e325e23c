// The events of a run as JSON Lines, written while the run goes on.
#pragma once

#include <fstream>
#include <iosfwd>
#include <string>

#include "absl/status/status.h"
#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// Every line is flushed when its event comes. A place that cannot be written does not disturb the run: it
// gets no further line, and its status says why. Not thread-safe.
class EventLines {
 public:
  // `out` gets the lines too and outlives the object; nullptr: it does not.
  explicit EventLines(std::ostream* out) : out_(out) {}

  // The lines go to this file, which is emptied or made. A pipe blocks until somebody reads it.
  absl::Status OpenFile(const std::string& path);

  void OnAccepted(const std::string& run_id);
  void OnEvent(const tutti::v1::RunEvent& event);

  // The end of the run was written.
  bool ended() const { return ended_; }
  const absl::Status& out_status() const { return out_status_; }
  const absl::Status& file_status() const { return file_status_; }

 private:
  void Write(const std::string& line);

  std::ostream* const out_;
  std::string path_;  // empty: no file
  std::ofstream file_;
  bool ended_ = false;
  absl::Status out_status_;
  absl::Status file_status_;
};

}  // namespace tutti::cli
