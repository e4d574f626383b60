#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "flopcast/contract/planner/trials.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Keeps decisions in a store by a connection of its own, because decisions are made while other threads may use the plans' store, and
/// maybe after that store was closed. May be called from several threads, and in forked processes.
class ChoiceKeeper {
 public:
  /// Connects to the store. An error is told by keep().
  explicit ChoiceKeeper(std::filesystem::path store);
  ~ChoiceKeeper();
  ChoiceKeeper(const ChoiceKeeper&) = delete;
  ChoiceKeeper& operator=(const ChoiceKeeper&) = delete;

  /// Keeps a choice under a name that wisdom_name() made. Returns the reason if the store can't be written, otherwise an empty text.
  std::string keep(const std::string& name, const Environment& environment, const Candidate& chosen);

 private:
  struct Connection;
  std::mutex mutex_;  ///< held while the connection is used
  std::filesystem::path path_;
  std::unique_ptr<Connection> connection_;
};

/// The trials of a process by the contraction and its conditions: what was measured so far serves every plan of an equal contraction, also
/// one that is made after the others are gone. May be used from several threads at once.
class TrialMemory {
 public:
  /// `now` returns the time in seconds since any moment, by which executions are timed.
  explicit TrialMemory(std::function<Seconds()> now = clock_of_machine());
  static std::function<Seconds()> clock_of_machine();

  [[nodiscard]] const std::function<Seconds()>& now() const { return now_; }
  /// Returns the trials of this name, or null.
  std::shared_ptr<Trials> find(const std::string& name);
  /// Returns the trials of this name, which are `made` if there were none.
  std::shared_ptr<Trials> add(const std::string& name, std::shared_ptr<Trials> made);
  void forget(const std::string& name);
  /// Returns the keeper for the store at `path`.
  std::shared_ptr<ChoiceKeeper> keeper(const std::filesystem::path& path);

 private:
  static constexpr std::size_t most = 1024;  ///< those that weren't asked for longest are forgotten

  std::function<Seconds()> now_;
  std::mutex mutex_;                                                   ///< held while one of the following is used
  std::list<std::pair<std::string, std::shared_ptr<Trials>>> trials_;  ///< the latest first
  std::map<std::filesystem::path, std::shared_ptr<ChoiceKeeper>> keepers_;
};

}  // namespace flopcast::contract
