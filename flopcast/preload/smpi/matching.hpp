#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "flopcast/support/units.hpp"
#include "flopcast/path/critical_path.hpp"

namespace flopcast::interpose::smpi {

/// Somebody was ready for something, with the longest path that leads there.
struct Arrival {
  Seconds time = 0;
  path::PathMark mark;
};

/// A message, or a receive that waits for one. Both sides know when the other was there as soon as it is.
struct Message {
  std::optional<Arrival> sender, receiver;
};

/// Between which processes (of the world), and where.
struct Route {
  std::uint64_t communicator = 0;
  int source = 0, destination = 0, tag = 0;
  auto operator<=>(const Route&) const = default;
};

/// Which send belongs to which receive: messages of one route are received in the order in which they were sent. All processes of a
/// simulation share it, so that nothing needs to be sent to find out.
class Matching {
 public:
  std::shared_ptr<Message> send(const Route& route, const Arrival& sender);
  std::shared_ptr<Message> receive(const Route& route, const Arrival& receiver);

 private:
  using Queue = std::deque<std::shared_ptr<Message>>;
  static std::shared_ptr<Message> meet(std::map<Route, Queue>& others, std::map<Route, Queue>& own, const Route& route);

  std::map<Route, Queue> unreceived_, unsent_;
};

/// A collective communication that some have begun.
struct Collective {
  std::map<int, Arrival> arrivals;  ///< by rank in the communicator
  int ended = 0;
};

/// The last arrival until `until` of those whose rank is `needed`; nullptr if there is none.
template <class Needed>
const Arrival* last_arrival(const Collective& collective, Seconds until, Needed needed) {
  const Arrival* last = nullptr;
  for (const auto& [rank, arrival] : collective.arrivals) {
    if (needed(rank) && arrival.time <= until && (last == nullptr || arrival.time > last->time)) {
      last = &arrival;
    }
  }
  return last;
}

/// Who takes part in which collective: on one communicator all processes call them in the same order.
class Collectives {
 public:
  using Key = std::pair<std::uint64_t, std::int64_t>;  ///< the communicator, and how many there were on it before

  Collective& arrive(const Key& key, int rank, const Arrival& arrival);
  /// One of `size` processes has left it.
  void leave(const Key& key, int size);
  [[nodiscard]] const Collective& at(const Key& key) const { return open_.at(key); }

 private:
  std::map<Key, Collective> open_;
};

}  // namespace flopcast::interpose::smpi
