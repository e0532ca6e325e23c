// The user's folder for what lives as long as labs do: mount points and records.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace tutti::lab {

// $XDG_RUNTIME_DIR/tutti, else /run/user/UID/tutti, else /tmp/tutti-UID: the first whose parent may be
// written to and whose path leaves room for a socket's (108 bytes). Made if missing, mode 0700.
// PermissionDenied if it belongs to somebody else or others may write to it.
absl::StatusOr<std::string> RuntimeFolder();

// Makes RuntimeFolder()/NAME anew and returns its path.
absl::StatusOr<std::string> MakeLabFolder(const std::string& name);

// Removes a lab's folder with the files in it (two levels), and the runtime folder if it is empty then. Never
// fails: what it cannot remove, the next lab does.
void RemoveLabFolder(const std::string& path);

// Removes a record file, and the runtime folder if it is empty then.
void RemoveRecord(const std::string& path);

// Removes the folders of labs whose process is gone, and the runtime folder if it is empty then.
void RemoveStaleLabFolders();

}  // namespace tutti::lab
