#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "flopcast/path/aggregate.hpp"
#include "flopcast/selective/kernel_table.hpp"

/// Eager propagation (Hutter and Solomonik 2021, sections III-B and IV-B). A kernel that one process knows well is made known on one
/// channel after the other, until an aggregate of channels covers all processes. From then on nobody executes the kernel. In each blocking
/// collective the process of lowest rank with something to announce is heard.
///
/// Programs needn't be as regular as a grid suggests. Therefore times that count as known everywhere are announced once more on each
/// channel. Of different times, those of the lowest rank win, so that in the end all processes use the same ones.
namespace flopcast::selective {

/// A kernel's times while they are propagated to all processes. A plain record: it travels in messages.
struct EagerRecord {
  static constexpr std::size_t max_dimensions = 4;
  KernelKey key;
  KernelStatistics times;
  std::array<path::Dimension, max_dimensions> reached{};  ///< the grid of processes that have it; dimensions of size 1 come last
  std::int32_t origin = 0;                                ///< the process that measured the times
  std::int32_t everywhere = 0;                            ///< all have it
};

/// Knowledge of one process about kernels whose times it makes known to others, or has got from them, on one channel after the other.
/// KernelDecisions offers times, and Propagation announces them.
class EagerPropagation {
 public:
  explicit EagerPropagation(int rank = 0, int processes = 1) : rank_(rank), processes_(processes) {}

  /// Notes that this process knows kernel `number` well enough by itself.
  void offer(std::uint32_t number, const KernelKey& key, const KernelStatistics& times);
  /// Returns at most `max_records` records that reach new processes if they are announced to `channel`.
  [[nodiscard]] std::vector<EagerRecord> to_announce(const path::Aggregate& channel, std::size_t max_records) const;
  [[nodiscard]] bool has_something_to_announce(const path::Aggregate& channel) const { return !to_announce(channel, 1).empty(); }
  /// Takes the record of kernel `number` that a process announced to all of `channel`. Returns true if this process uses these times from
  /// now on instead of executing the kernel.
  bool receive_announcement(std::uint32_t number, const EagerRecord& record, const path::Aggregate& channel);

 private:
  struct Known {
    KernelKey key;
    KernelStatistics times;
    path::Aggregate reached;
    std::int32_t origin = 0;
    bool everywhere = false;
    std::vector<path::Aggregate> announced;  ///< channels that it was announced on after it was known everywhere
  };
  /// Returns true if times that are known everywhere stay although `record` was announced on `channel`. Notes who has them there.
  static bool outlasts(Known& mine, const EagerRecord& record, const path::Aggregate& channel);
  /// Returns true if announcing it on `channel` reaches a process that needs it.
  static bool is_news(const Known& known, const path::Aggregate& channel);

  int rank_, processes_;
  std::map<std::uint32_t, Known> known_;
};

}  // namespace flopcast::selective
