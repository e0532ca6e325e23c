// Where results lie on this machine, and how they are written: whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tutti/v1/result.pb.h"

namespace tutti::cli {

// $XDG_STATE_HOME/tutti/results, by default ~/.local/state/tutti/results. A relative XDG_STATE_HOME is
// ignored, as the XDG Base Directory Specification 0.8 says. FailedPrecondition without any home.
absl::StatusOr<std::string> ResultDirectory();

// Writes beside `path`, syncs, renames: a reader sees the old file or the whole new one. A symbolic link is
// followed; what is not a regular file (/dev/stdout, a pipe) is written directly. Folders are not made.
absl::Status WriteWhole(const std::string& path, std::string_view content);

// InvalidArgument if writing the file that `option` names could not work: told before a run rather than after
// it.
absl::Status CheckWritable(const std::string& path, std::string_view option);

// Leaves `result` as JSON under ResultDirectory(), making the folder; returns the file's path.
absl::StatusOr<std::string> LeaveResult(const tutti::v1::Result& result);

// `file_or_id` is a file, or the id of a run whose result lies in ResultDirectory(). NotFound says where was
// looked. InvalidArgument for a document that is no result of a run.
absl::StatusOr<tutti::v1::Result> ReadResult(const std::string& file_or_id);

}  // namespace tutti::cli
