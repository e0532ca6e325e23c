// Standard input, output and error, made sure of before anything else opens a file.
#pragma once

namespace tutti::cli {

// A program that is started with one of them closed (`tutti run PLAN >&-`) would get its number for the next
// socket or file, and print its report into that. Each closed one becomes /dev/null, opened so that writing
// the report fails and is reported.
void HoldStandardFiles();

}  // namespace tutti::cli
