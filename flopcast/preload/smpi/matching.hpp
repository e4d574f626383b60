#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "flopcast/path/critical_path.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::smpi {

/// The time at which a process was ready for a communication, with the longest path that leads there.
struct ProcessArrival {
  Seconds time = 0;
  path::PathMark mark;
  MpiWaitKind kind = MpiWaitKind::collective;  ///< reason for waiting for the process
};

/// A message, or a receive that waits for one. Each side learns at once when the other one was ready.
struct Message {
  std::optional<ProcessArrival> sender, receiver;
};

/// Processes (world ranks), communicator and tag of messages.
struct Route {
  std::uint64_t communicator = 0;
  int source = 0, destination = 0, tag = 0;
  auto operator<=>(const Route&) const = default;  // NOLINT(modernize-use-nullptr): a 0 of the compiler
};

/// Matches sends and receives: messages of one route are received in the order in which they were sent. All processes of a simulation share
/// this object, so that matching needs no communication.
class Matching {
 public:
  std::shared_ptr<Message> send(const Route& route, const ProcessArrival& sender);
  std::shared_ptr<Message> receive(const Route& route, const ProcessArrival& receiver);

 private:
  using Queue = std::deque<std::shared_ptr<Message>>;
  static std::shared_ptr<Message> meet(std::map<Route, Queue>& others, std::map<Route, Queue>& own, const Route& route);

  std::map<Route, Queue> unreceived_, unsent_;
};

/// A collective communication that some processes have begun.
struct OpenCollective {
  std::map<int, ProcessArrival> arrivals;  ///< index: rank in the communicator
  int ended = 0;
};

/// Returns the last arrival up to `until` of those ranks that are `needed`; nullptr if there is none.
template <class Needed>
const ProcessArrival* last_arrival(const OpenCollective& collective, Seconds until, Needed needed) {
  const ProcessArrival* last = nullptr;
  for (const auto& [rank, arrival] : collective.arrivals) {
    if (needed(rank) && arrival.time <= until && (last == nullptr || arrival.time > last->time)) {
      last = &arrival;
    }
  }
  return last;
}

/// Collectives in progress. All processes of a communicator call its collectives in the same order.
class Collectives {
 public:
  using Key = std::pair<std::uint64_t, std::int64_t>;  ///< the communicator, and the number of collectives on it before

  OpenCollective& arrive(const Key& key, int rank, const ProcessArrival& arrival);
  /// Notes that one of `size` processes has left the collective.
  void leave(const Key& key, int size);
  [[nodiscard]] const OpenCollective& at(const Key& key) const { return open_.at(key); }

 private:
  std::map<Key, OpenCollective> open_;
};

}  // namespace flopcast::preload::smpi
