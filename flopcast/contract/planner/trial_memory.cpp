#include "flopcast/contract/planner/trial_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "flopcast/contract/planner/wisdom.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/no_fork_scope.hpp"

namespace flopcast::contract {

/// An open store, or the reason why there is none.
struct ChoiceKeeper::Connection {
  explicit Connection(const std::filesystem::path& path) {
    try {
      if (path == ":memory:") {  // SQLite's name of such a database
        reason = "the store of this process is in memory";
        return;
      }
      if (!std::filesystem::exists(path)) {
        reason = path.string() + " doesn't exist any more";
        return;
      }
      store.emplace(model::Store::open(path));
    } catch (const std::exception& error) {
      reason = error.what();
    }
  }

  std::optional<model::Store> store;
  std::string reason;
  pid_t process = ::getpid();
};

ChoiceKeeper::ChoiceKeeper(std::filesystem::path store) : path_(std::move(store)), connection_(std::make_unique<Connection>(path_)) {}
ChoiceKeeper::~ChoiceKeeper() {
  if (connection_->process != ::getpid()) {
    static_cast<void>(connection_.release());  // the parent goes on with its connection
  }
}

std::string ChoiceKeeper::keep(const std::string& name, const Environment& environment, const Candidate& chosen) {
  const ForkSafeLock lock(mutex_);
  if (connection_->process != ::getpid()) {
    static_cast<void>(connection_.release());  // a connection isn't for two processes
    connection_ = std::make_unique<Connection>(path_);
  }
  if (!connection_->store) {
    return connection_->reason;
  }
  try {
    keep_wisdom(*connection_->store, name, environment, chosen);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

TrialMemory::TrialMemory(std::function<Seconds()> now) : now_(std::move(now)) {}

std::function<Seconds()> TrialMemory::clock_of_machine() {
  return [] { return 1e-9 * static_cast<Seconds>(machine::monotonic_nanoseconds()); };
}

std::shared_ptr<Trials> TrialMemory::find(const std::string& name) {
  const ForkSafeLock lock(mutex_);
  const auto found = std::find_if(trials_.begin(), trials_.end(), [&](const auto& one) { return one.first == name; });
  if (found == trials_.end()) {
    return nullptr;
  }
  trials_.splice(trials_.begin(), trials_, found);
  return found->second;
}

std::shared_ptr<Trials> TrialMemory::add(const std::string& name, std::shared_ptr<Trials> made) {
  if (std::shared_ptr<Trials> known = find(name)) {  // another thread was faster
    return known;
  }
  const ForkSafeLock lock(mutex_);
  trials_.emplace_front(name, made);
  if (trials_.size() > most) {
    trials_.pop_back();
  }
  return made;
}

void TrialMemory::forget(const std::string& name) {
  const ForkSafeLock lock(mutex_);
  trials_.remove_if([&](const auto& one) { return one.first == name; });
}

std::shared_ptr<ChoiceKeeper> TrialMemory::keeper(const std::filesystem::path& path) {
  const ForkSafeLock lock(mutex_);
  std::shared_ptr<ChoiceKeeper>& known = keepers_[path];
  if (known == nullptr) {
    known = std::make_shared<ChoiceKeeper>(path);
  }
  return known;
}

}  // namespace flopcast::contract
