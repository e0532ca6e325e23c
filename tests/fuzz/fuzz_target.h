// What a fuzz target is made of: NAME_fuzz.cc defines the two functions. libFuzzer calls the first one, and
// so does standalone_main.cc where there is no libFuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// Returns 0. What is wrong ends the process.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tutti::fuzz {

// Inputs to begin with, beside the files of corpus/NAME: those that nobody can write by hand.
std::vector<std::string> Seeds();

// What must hold whatever the input is.
inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: this does not hold: %s\n", what);
  std::abort();
}

}  // namespace tutti::fuzz
