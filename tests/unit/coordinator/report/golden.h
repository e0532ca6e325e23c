// Comparison with the files in golden/.
#pragma once

#include <string>

namespace tutti::report {

// The figures in the golden files were checked by hand against the results that they are made of. With
// TUTTI_WRITE_GOLDEN=1 in the environment they are written anew: check them again then.
void ExpectGolden(const std::string& name, const std::string& text);

}  // namespace tutti::report
