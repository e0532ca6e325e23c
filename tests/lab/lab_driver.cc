// Starts labs of chosen programs for the scripts beside it, which look at the system from outside.
//
//   lab_driver start WORKER COORDINATOR HOSTS [ipv6] [offsets] [log=DIR] [timeout_ms=N] [registered]
//       prints the lab, then "ready"; ends with its standard input, and prints "stopped" or what failed
//   lab_driver up NAME WORKER COORDINATOR HOSTS [...] | find NAME | list | down NAME | exec NAME HOST
//   COMMAND... lab_driver limits BYTES
//
// Exit status: 0, 1 with the error on standard error, or the command's.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "coordinator/lab/lab.h"
#include "coordinator/lab/lab_limits.h"
#include "coordinator/lab/lab_registry.h"

namespace {

using tutti::lab::LabHost;
using tutti::lab::LabOptions;

int Fail(const absl::Status& status) {
  std::cerr << status << std::endl;
  return 1;
}

// The stand-in coordinator answers with the number of its workers.
absl::StatusOr<int> AskStandIn(const std::string& address) {
  const std::string path = address.substr(address.find(':') + 1);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  char answer[16] = {};
  const bool good = connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0 &&
                    write(fd, "count\n", 6) == 6 && read(fd, answer, sizeof(answer) - 1) > 0;
  close(fd);
  if (!good) return absl::UnavailableError("no answer on " + path);
  return atoi(answer);
}

LabOptions ParseOptions(const std::vector<std::string>& arguments, size_t first) {
  LabOptions options;
  options.worker_program = arguments.at(first);
  options.coordinator_program = arguments.at(first + 1);
  options.hosts = atoi(arguments.at(first + 2).c_str());
  for (size_t i = first + 3; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "ipv6") options.ipv6 = true;
    if (argument == "offsets") options.clock_offsets = true;
    if (argument == "registered") options.registered_workers = AskStandIn;
    if (argument == "end_with_worker") options.end_with_worker = true;
    if (argument.rfind("timeout_ms=", 0) == 0)
      options.start_timeout_ns = atoll(argument.substr(11).c_str()) * 1'000'000;
    if (argument.rfind("log=", 0) == 0) options.log_dir = argument.substr(4);
    if (argument.rfind("worker_arg=", 0) == 0) options.worker_args.push_back(argument.substr(11));
  }
  return options;
}

void PrintHosts(const std::vector<LabHost>& hosts) {
  for (const LabHost& host : hosts) {
    std::cout << "host " << host.name << " " << host.address << " "
              << (host.address6.empty() ? "-" : host.address6) << " " << host.pid << " "
              << host.clock_offset_ns << "\n";
  }
}

int Start(const std::vector<std::string>& arguments) {
  const auto lab = tutti::lab::Lab::Start(ParseOptions(arguments, 1));
  if (!lab.ok()) return Fail(lab.status());
  std::cout << "kind " << (*lab)->kind() << "\nsupervisor " << (*lab)->supervisor_pid() << "\ncoordinator "
            << (*lab)->coordinator_pid() << "\naddress " << (*lab)->coordinator_address() << "\nlogs "
            << (*lab)->log_dir() << "\n";
  PrintHosts((*lab)->hosts());
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    for (const std::string& death : (*lab)->deaths()) std::cout << "death " << death << "\n";
    std::cout << "asked" << std::endl;
  }
  if (const absl::Status status = (*lab)->Stop(); !status.ok()) return Fail(status);
  std::cout << "stopped" << std::endl;
  return 0;
}

int PrintRecord(const absl::StatusOr<tutti::lab::LabRecord>& record) {
  if (!record.ok()) return Fail(record.status());
  std::cout << "name " << record->name << "\nkind " << record->kind << "\nsupervisor "
            << record->supervisor_pid << "\ncoordinator " << record->coordinator_pid << "\naddress "
            << record->coordinator_address << "\n";
  PrintHosts(record->hosts);
  return 0;
}

int Exec(const std::vector<std::string>& arguments) {
  const auto record = tutti::lab::Find(arguments.at(1));
  if (!record.ok()) return Fail(record.status());
  const auto end = tutti::lab::Exec(*record, arguments.at(2), {arguments.begin() + 3, arguments.end()});
  if (!end.ok()) return Fail(end.status());
  if (!end->started.ok()) Fail(end->started);
  return end->exit_status;
}

int Limits(int64_t bytes) {
  const auto limits = tutti::lab::ReadBufferLimits();
  if (!limits.ok()) return Fail(limits.status());
  const absl::Status status = tutti::lab::MayUseBuffer(*limits, tutti::lab::BufferSide::kReceive, bytes);
  return status.ok() ? 0 : Fail(status);
}

int Run(const std::vector<std::string>& arguments) {
  const std::string& command = arguments.at(0);
  if (command == "start") return Start(arguments);
  if (command == "exec") return Exec(arguments);
  if (command == "limits") return Limits(atoll(arguments.at(1).c_str()));
  if (command == "find") return PrintRecord(tutti::lab::Find(arguments.at(1)));
  if (command == "up") {
    LabOptions options = ParseOptions(arguments, 2);
    options.name = arguments.at(1);
    return PrintRecord(tutti::lab::Up(options));
  }
  if (command == "down") {
    const absl::Status status = tutti::lab::Down(arguments.at(1));
    return status.ok() ? 0 : Fail(status);
  }
  if (command == "list") {
    const auto records = tutti::lab::List();
    if (!records.ok()) return Fail(records.status());
    for (const auto& record : *records) std::cout << record.name << "\n";
    return 0;
  }
  return Fail(absl::InvalidArgumentError("unknown command " + command));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return Fail(absl::InvalidArgumentError("no command"));
  return Run({argv + 1, argv + argc});
}
