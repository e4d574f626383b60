#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "flopcast/path/aggregate.hpp"
#include "flopcast/path/kernel_table.hpp"

namespace flopcast::path {

/// A kernel's times on their way to all processes. A plain record: it travels in messages.
struct EagerRecord {
  static constexpr std::size_t most_dimensions = 4;
  KernelKey key;
  KernelStatistics times;
  std::array<Dimension, most_dimensions> reached{};  ///< the grid of processes that have it, dimensions of size 1 at the end
  std::int32_t origin = 0;                           ///< the process whose times they are
  std::int32_t everywhere = 0;                       ///< all have it
};

/// Eager propagation (paper 004, sections III-B and IV-B): a kernel that one process knows well is made known to the processes of one
/// channel after the other, until an aggregate of channels covers all processes; from then on nobody executes it. In each blocking
/// collective the process of lowest rank with something to tell is heard. Programs needn't be as regular as a grid suggests: what counts as
/// known everywhere is told once more on each channel, and of different times those of the lowest rank win, so that in the end all go by
/// the same.
class EagerPropagation {
 public:
  explicit EagerPropagation(int rank = 0, int processes = 1) : rank_(rank), processes_(processes) {}

  /// This process knows kernel `number` well enough by itself.
  void offer(std::uint32_t number, const KernelKey& key, const KernelStatistics& times);
  /// At most `most` records that telling them to `channel` brings further.
  [[nodiscard]] std::vector<EagerRecord> to_tell(const Aggregate& channel, std::size_t most) const;
  [[nodiscard]] bool has_something_to_tell(const Aggregate& channel) const { return !to_tell(channel, 1).empty(); }
  /// What somebody on `channel` told all its processes of kernel `number`; whether its times are from now on what this process goes by
  /// instead of executing it.
  bool hear(std::uint32_t number, const EagerRecord& record, const Aggregate& channel);

 private:
  struct Known {
    KernelKey key;
    KernelStatistics times;
    Aggregate reached;
    std::int32_t origin = 0;
    bool everywhere = false;
    std::vector<Aggregate> told;  ///< since it is everywhere
  };
  /// Whether telling it on `channel` serves anybody.
  static bool is_news(const Known& known, const Aggregate& channel);

  int rank_, processes_;
  std::map<std::uint32_t, Known> known_;
};

}  // namespace flopcast::path
