#include "flopcast/preload/mpi/kernel_decisions.hpp"

#include <optional>

namespace flopcast::preload::mpi {
namespace {

/// Returns an upper limit of a communication's own time, for any algorithm: a message for each process, each much slower than those between
/// ranks 0 and 1. A process that waits for a core takes longer, because a time slice lasts milliseconds.
Seconds longest_plausible(const path::MessageModel& messages, const Communication& communication) {
  constexpr double slower = 8;
  constexpr Seconds calls = 5e-5;
  const int processes = communication.processes;
  return calls + slower * processes * messages.seconds(path::Pattern::message, static_cast<double>(communication.bytes), processes);
}

}  // namespace

KernelDecisions::KernelDecisions(const protocol::MpiOptions& options, Skipping& skipping)
    : decisions(options.policy, options.precision, options.across_sizes,
                options.windows ? std::optional<selective::ExecutionWindows>(selective::ExecutionWindows()) : std::nullopt),
      options_(options),
      skipping_(skipping) {}

void KernelDecisions::begin(int rank, int processes) {
  decisions.seed(static_cast<std::uint32_t>(rank) + 1);
  eager = selective::EagerPropagation(rank, processes);
}

std::uint32_t KernelDecisions::looked_up(const Communication& communication) {
  const auto& [routine, bytes, processes, stride, pattern] = communication;
  const auto index = static_cast<std::uint32_t>(routine);
  const std::uint32_t found = table.number({selective::KernelKind::communication, index, {bytes, processes, stride}});
  latest_[index % latest_.size()] = {communication, found};
  decisions.expect_at_most(found, longest_plausible(messages, communication));
  return found;
}

Seconds KernelDecisions::estimate(const Communication& communication) {
  const Seconds known = estimate(number(communication));
  return known > 0 ? known : modelled(communication);
}

bool KernelDecisions::wants_execution(std::uint32_t kernel, Seconds path) {
  const selective::KernelKey& key = table[kernel].key;
  const std::int64_t along = options_.policy == selective::Policy::online ? counts.count(selective::KernelKeyHash()(key)) : 0;
  const bool wants = decisions.wants_execution(kernel, table[kernel], {along, path});
  if (options_.policy == selective::Policy::eager &&
      key.kind != selective::KernelKind::region) {  // only processes that have executed a region know whether it communicates
    if (const std::optional<selective::KernelStatistics> times = decisions.predictable(kernel)) {
      eager.offer(kernel, key, *times);
    }
  }
  return wants;
}

}  // namespace flopcast::preload::mpi
