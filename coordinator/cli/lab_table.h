// Labs and their hosts in words and as documents. Pure but for the time zone; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/lab/lab_registry.h"
#include "coordinator/report/document.h"

namespace tutti::cli {

// What `tutti lab up` prints: the hosts with all their addresses, and what to do with the lab.
std::string DescribeLab(const lab::LabRecord& lab);

// What `tutti lab list` prints: name, hosts, supervisor's pid, when it was started (local time), where its
// coordinator listens.
std::string RenderLabs(const std::vector<lab::LabRecord>& labs);

// One lab with its hosts; {"labs": [...]} of several.
report::Document LabDocument(const lab::LabRecord& lab);
report::Document LabsDocument(const std::vector<lab::LabRecord>& labs);

}  // namespace tutti::cli
