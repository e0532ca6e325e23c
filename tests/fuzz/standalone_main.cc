// Runs a fuzz target without libFuzzer: every file and every built-in seed, then random changes of them.
//
//   NAME_replay [--seconds N] [--seed S] [--write-seeds FOLDER] [FILE or FOLDER]...
//
// The input that ended the process is left in crash-NAME_replay in the working folder; that file as the only
// argument does it again.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutation.h"

// A sanitizer's: what it is to call before it ends the process.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 64 * 1024;
constexpr unsigned kLongestSeconds = 20;  // for one input, on a loaded machine and with a sanitizer
constexpr long kMostResidentKib = 2L * 1024 * 1024;  // of which a sanitizer has a part

// For the handlers, which may not allocate.
const std::string* current = nullptr;
char crash_path[512] = "";

void Say(const char* text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

void LeaveInput() {
  if (current == nullptr) return;
  const int fd = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t written = write(fd, current->data(), current->size());
  close(fd);
  current = nullptr;
  Say("the input is in ");
  Say(crash_path);
  Say("\n");
}

void OnSignal(int number) {
  if (number == SIGALRM) Say("fuzz: one input takes too long\n");
  LeaveInput();
  // Once more when this returns, and without a handler.
  signal(number, SIG_DFL);
  raise(number);
}

void CatchEnds() {
  for (const int number : {SIGABRT, SIGALRM}) signal(number, &OnSignal);
  if (&__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(&LeaveInput);
    return;
  }
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(number, &OnSignal);
}

void Try(const std::string& input) {
  current = &input;
  alarm(kLongestSeconds);
  // Of exactly its size, so that a sanitizer sees what is read beyond.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  alarm(0);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  tutti::fuzz::Require(usage.ru_maxrss < kMostResidentKib, "an input takes less than 2 GiB");
  current = nullptr;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void AddFiles(const fs::path& path, std::vector<std::string>& inputs) {
  if (!fs::is_directory(path)) {
    if (!fs::exists(path)) {
      std::fprintf(stderr, "%s does not exist\n", path.c_str());
      std::exit(2);
    }
    inputs.push_back(ReadFile(path));
    return;
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) inputs.push_back(ReadFile(file));
}

void WriteSeeds(const fs::path& folder) {
  fs::create_directories(folder);
  int number = 0;
  for (const std::string& seed : tutti::fuzz::Seeds()) {
    std::ofstream(folder / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = fs::path(argv[0]).filename().string();
  std::snprintf(crash_path, sizeof(crash_path), "crash-%s", name.c_str());
  double seconds = 0;
  uint64_t seed = std::random_device()();
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool is_option = argument.starts_with("--");
    if (is_option && i + 1 == argc) {
      std::fprintf(stderr, "%s: %s needs a value\n", name.c_str(), argv[i]);
      return 2;
    }
    if (argument == "--seconds") {
      seconds = std::strtod(argv[++i], nullptr);
    } else if (argument == "--seed") {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--write-seeds") {
      WriteSeeds(argv[++i]);
      return 0;
    } else if (is_option) {
      std::fprintf(stderr, "%s: unknown option %s\n", name.c_str(), argv[i]);
      return 2;
    } else {
      AddFiles(argument, inputs);
    }
  }
  CatchEnds();
  std::printf("%s: seed %llu\n", name.c_str(), static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  const size_t files = inputs.size();
  for (std::string& each : tutti::fuzz::Seeds()) inputs.push_back(std::move(each));
  for (const std::string& each : inputs) Try(each);
  tutti::fuzz::Mutator mutator(seed, inputs, kMostBytes);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  uint64_t tried = 0;
  for (; std::chrono::steady_clock::now() < end; ++tried) {
    const std::string input = mutator.Next();
    Try(input);
  }
  std::printf("%s: %zu files, %zu seeds, %llu random changes of them\n", name.c_str(), files,
              inputs.size() - files, static_cast<unsigned long long>(tried));
  return 0;
}
