// Who gets a name: hellos of new workers, of those that are back, and of those that claim what another holds.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/status/printable.h"
#include "common/version/version.h"
#include "coordinator/fleet/fleet.h"

namespace tutti::fleet {
namespace {

using tutti::v1::CoordinatorMessage;
using tutti::v1::Hello;
using tutti::v1::WorkerInfo;

constexpr size_t kMaxNameBytes = 64;
// What is known of a worker stays when it is lost, and of a thousand of those at the same time. Facts have a
// few KB, those of hosts with very many CPUs and devices a hundred.
constexpr size_t kMaxHelloBytes = size_t{1024} * 1024;
// A holder that does not answer for this long while its name is claimed is taken for gone.
constexpr int64_t kContendTimeoutNs = 1'000'000'000;

void Refuse(WorkerLink& link, const std::string& reason, bool retry) {
  CoordinatorMessage message;
  message.mutable_refused()->set_reason(reason);
  message.mutable_refused()->set_retry(retry);
  link.Send(std::move(message));
  link.Close();
}

// Empty if the worker may register.
std::string WhyUnfit(const Hello& hello) {
  const auto shorten = [](std::string_view text) { return Printable(text.substr(0, kMaxNameBytes)); };
  const std::string shown = shorten(hello.name());
  if (hello.protocol_version() != static_cast<uint32_t>(kProtocolVersion)) {
    return "worker \"" + shown + "\" speaks protocol " + std::to_string(hello.protocol_version()) +
           " (tutti " +
           (hello.facts().tutti_version().empty() ? "unknown" : shorten(hello.facts().tutti_version())) +
           "), the coordinator speaks protocol " + std::to_string(kProtocolVersion) + " (tutti " + kVersion +
           "); install the same version on both";
  }
  if (hello.name().empty()) return "the worker has no name; give it one with --name";
  const bool clean = std::all_of(hello.name().begin(), hello.name().end(), [](unsigned char each) {
    return std::isalnum(each) != 0 || each == '-' || each == '_' || each == '.';
  });
  if (hello.name().size() > kMaxNameBytes || !clean) {
    return "the worker's name \"" + shown +
           "\" is not 1 to 64 letters, digits, '-', '_' or '.'; choose another with --name";
  }
  if (const size_t bytes = hello.ByteSizeLong(); bytes > kMaxHelloBytes) {
    return absl::StrCat("worker \"", shown, "\" tells ", bytes, " bytes of labels and facts, at most ",
                        kMaxHelloBytes, " are kept; give it fewer labels");
  }
  return "";
}

}  // namespace

void Fleet::HandleHello(std::shared_ptr<WorkerLink> link, Hello hello) {
  if (const std::string why = WhyUnfit(hello); !why.empty()) {
    spdlog::warn("refused a worker from {}: {}", link->peer(), why);
    Refuse(*link, why, false);
    return;
  }
  if (hello.session_id() != 0) return Resume(std::move(link), hello);
  const auto found = workers_.find(hello.name());
  if (found == workers_.end() || found->second.link == nullptr) {
    Register(link, std::move(hello));
    return;
  }
  const Worker& holder = found->second;
  if (holder.hello.incarnation() == hello.incarnation()) {
    // The same process dials again, so its old session is of no use to it.
    Lose(hello.name(), "the worker dialled again: its old session broke" + StandstillText());
  } else if (IsSuccessor(hello, holder)) {
    Lose(hello.name(), holder.link->away_reason() + "; it was started anew");
  } else {
    Contend(std::move(link), std::move(hello), holder);
    return;
  }
  // Whoever contended for the name has it now; else it is free.
  HandleHello(std::move(link), std::move(hello));
}

// A process whose connection is gone while another of its name starts on its machine is taken for ended.
bool Fleet::IsSuccessor(const Hello& hello, const Worker& holder) {
  return holder.link->away() && hello.name() == holder.hello.name() &&
         hello.incarnation() != holder.hello.incarnation() &&
         hello.facts().boot_id() == holder.hello.facts().boot_id();
}

void Fleet::Resume(std::shared_ptr<WorkerLink> link, const Hello& hello) {
  const auto found = workers_.find(hello.name());
  const bool known = found != workers_.end() && found->second.link != nullptr &&
                     found->second.hello.incarnation() == hello.incarnation() &&
                     found->second.link->Fits(hello);
  if (!known) {
    spdlog::info("worker {} from {} cannot take its session up again", hello.name(), link->peer());
    Refuse(*link, "the coordinator does not hold this session any more", true);
    return;
  }
  auto& [name, worker] = *found;
  name_of_.erase(worker.link->connection());
  name_of_[link.get()] = name;
  spdlog::info("worker {} is back from {}", name, link->peer());
  worker.link->Resume(std::move(link), hello, AnswerTo(worker));
  worker.last_heard_ns = executor_.NowNs();
  // What was not measured meanwhile is made up for.
  worker.clock->Start();
  if (worker.listener != nullptr) worker.listener->OnWorkerRegistered(name);
}

tutti::v1::Registered Fleet::AnswerTo(const Worker& worker) const {
  tutti::v1::Registered registered;
  registered.set_lease_ns(options_.lease_ns);
  registered.set_coordinator_version(kVersion);
  if (const auto service = worker.clock->service()) *registered.mutable_clock_service() = *service;
  return registered;
}

void Fleet::Register(const std::shared_ptr<WorkerLink>& link, Hello hello) {
  const std::string name = hello.name();
  const WorkerInfo::State before = ShownState(name);
  Worker& worker = workers_[name];
  worker.link = std::make_shared<Attachment>(link, hello.resumable());
  worker.clock = std::make_unique<WorkerClock>(executor_, worker.link, options_.probes, clocks_);
  CoordinatorMessage message;
  *message.mutable_registered() = AnswerTo(worker);
  message.mutable_registered()->set_session_id(worker.link->session_id());
  link->Send(std::move(message));
  worker.clock->Start();
  spdlog::info("worker {} registered from {} ({})", name, link->peer(), hello.facts().kernel_release());
  name_of_[link.get()] = name;
  worker.hello = std::move(hello);
  worker.last_heard_ns = executor_.NowNs();
  worker.lost_reason.clear();
  Tell(name, before, absl::StrCat("registered from ", worker.link->peer()));
  if (worker.listener != nullptr) worker.listener->OnWorkerRegistered(name);
}

void Fleet::Contend(std::shared_ptr<WorkerLink> link, Hello hello, const Worker& holder) {
  spdlog::info("worker {} from {} claims a name that {} holds", hello.name(), link->peer(),
               holder.link->peer());
  const int64_t now_ns = executor_.NowNs();
  const std::string name = hello.name();
  const TimerId timeout = executor_.PostAfter(std::min(options_.lease_ns, kContendTimeoutNs), [this, name] {
    Lose(name, "it did not answer while another worker claimed its name: replaced by that one");
  });
  contenders_.push_back({std::move(link), std::move(hello), now_ns, timeout});
}

void Fleet::RefuseContenders(const std::string& name, const Worker& holder, int64_t probe_sent_ns) {
  for (auto each = contenders_.begin(); each != contenders_.end();) {
    if (each->hello.name() != name || each->since_ns > probe_sent_ns) {
      ++each;
      continue;
    }
    const bool same_machine = each->hello.facts().boot_id() == holder.hello.facts().boot_id();
    const std::string where =
        same_machine ? "another live worker on the same machine" : "a worker on another machine";
    const std::string why = absl::StrCat("name in use by ", where, " (", holder.link->peer(), "): \"", name,
                                         "\"; stop that one, or start this one with --name");
    spdlog::warn("refused a worker from {}: {}", each->link->peer(), why);
    Refuse(*each->link, why, false);
    executor_.Cancel(each->timeout);
    each = contenders_.erase(each);
  }
}

void Fleet::AdmitContenders(const std::string& name) {
  std::list<Contender> admitted;
  for (auto each = contenders_.begin(); each != contenders_.end();) {
    const auto next = std::next(each);
    if (each->hello.name() == name) admitted.splice(admitted.end(), contenders_, each);
    each = next;
  }
  // The first gets the name, the others contend with it.
  for (Contender& each : admitted) {
    executor_.Cancel(each.timeout);
    HandleHello(std::move(each.link), std::move(each.hello));
  }
}

}  // namespace tutti::fleet
