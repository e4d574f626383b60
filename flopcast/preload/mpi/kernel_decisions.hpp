#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/skipping.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/selective/eager_propagation.hpp"
#include "flopcast/selective/execution_decisions.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/path_counts.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// The kernels of this process: their numbers, which of them are executed, and how long those take that are skipped.
/// Interceptions get the numbers and estimates here. PathLedger asks for decisions and reports every kernel; Propagation exchanges what
/// the processes know.
class KernelDecisions {
 public:
  KernelDecisions(const protocol::MpiOptions& options, Skipping& skipping);
  /// Sets the process's place among all `processes`.
  void begin(int rank, int processes);

  /// Returns the number of a communication's kernel.
  [[nodiscard]] std::uint32_t number(const Communication& communication) {
    const auto& [known, found] = latest_[static_cast<std::size_t>(communication.routine) % latest_.size()];
    const bool is_known = known.routine == communication.routine && known.bytes == communication.bytes &&
                          known.processes == communication.processes && known.stride == communication.stride;
    return is_known ? found : looked_up(communication);
  }
  /// Returns the model's time of a communication.
  [[nodiscard]] Seconds modelled(const Communication& communication) const {
    return messages.seconds(communication.pattern, static_cast<double>(communication.bytes), communication.processes);
  }
  [[nodiscard]] Seconds estimate(std::uint32_t kernel) { return decisions.estimate(kernel, table[kernel]); }
  /// Returns the estimated time of a communication; the model's where it was never executed.
  [[nodiscard]] Seconds estimate(const Communication& communication);

  /// Returns whether this process still needs executions of kernel `kernel` on a path of length `path`.
  [[nodiscard]] bool wants_execution(std::uint32_t kernel, Seconds path);
  /// Adds a kernel's time to its statistics, if it was executed. Returns the time that counts on the path.
  selective::PathContribution note_time(std::uint32_t kernel, Seconds seconds, bool executed) {
    selective::KernelRecord& known = table[kernel];
    skipping_.note_kernel(known.executed.count + known.skipped == 0);
    if (executed) {
      known.executed.add(seconds);
      return decisions.executed(kernel, known, seconds);
    }
    ++known.skipped;
    skipping_.set(true);
    return decisions.skipped(kernel, seconds);
  }
  /// Counts a kernel that was put on the path, if counts travel with paths.
  void note_on_path(std::uint32_t kernel) {
    if (options_.policy == selective::Policy::online) {
      counts.add(selective::KernelKeyHash()(table[kernel].key));
    }
  }

  path::MessageModel messages;
  selective::KernelTable table;
  selective::ExecutionDecisions decisions;
  selective::PathCounts counts;       ///< counts of kernels along the path (policy online)
  selective::EagerPropagation eager;  ///< times that go to other processes (policy eager)

 private:
  /// The latest communication of a routine, because programs often repeat the same one.
  struct LatestKernel {
    Communication communication{.bytes = -1};
    std::uint32_t number = 0;
  };
  [[nodiscard]] std::uint32_t looked_up(const Communication& communication);

  const protocol::MpiOptions& options_;
  Skipping& skipping_;
  std::array<LatestKernel, 16> latest_;  ///< latest communication kernels, by routine
};

}  // namespace flopcast::preload::mpi
