// Random changes of inputs, for where there is no libFuzzer: blind to what they reach, but they need no
// compiler of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tutti::fuzz {

// The same seed gives the same inputs. Not thread-safe.
class Mutator {
 public:
  // Inputs have at most `most_bytes`; longer ones of `inputs` are cut.
  Mutator(uint64_t seed, std::vector<std::string> inputs, size_t most_bytes);

  // One of the inputs with one to eight changes.
  std::string Next();

 private:
  size_t Below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(random_() % limit); }
  const std::string& Any() { return inputs_[Below(inputs_.size())]; }
  std::string Part(const std::string& of);
  std::string Number();
  void Change(std::string& input);

  std::mt19937_64 random_;
  std::vector<std::string> inputs_;  // not empty
  const size_t most_bytes_;
};

}  // namespace tutti::fuzz
