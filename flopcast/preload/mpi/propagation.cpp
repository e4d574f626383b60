#include "flopcast/preload/mpi/propagation.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace flopcast::preload::mpi {
namespace {

constexpr std::size_t max_records = 8;  ///< in one message

}  // namespace

selective::KernelCounts Propagation::counts() const {
  return options_.policy == selective::Policy::online ? kernels_.counts.most_frequent(Channel::max_counts) : selective::KernelCounts();
}

Agreement Propagation::agreement(bool execute, const Channel* channel) const {
  Agreement mine{ledger_.path_to_send().mark(), execute ? 1 : 0, skipping_.epoch()};
  mine.skipped = skipping_.has_skipped() ? 1 : 0;
  if (options_.policy == selective::Policy::eager && channel != nullptr && channel->aggregate() &&
      kernels_.eager.has_something_to_announce(*channel->aggregate())) {
    mine.times_rank = channel->rank();
  }
  return mine;
}

void Propagation::follow(const path::PathMark& mark, std::int32_t epoch, std::span<const selective::KernelCount> counts) {
  if (epoch == skipping_.epoch() && ledger_.follow(mark) && options_.policy == selective::Policy::online) {
    kernels_.counts.replace(counts);
  }
}

void Propagation::follow(const Agreement& agreement, Channel& channel) {
  if (options_.policy == selective::Policy::online && channel.size() > 1) {
    skipping_.note_elsewhere(agreement.skipped != 0, agreement.epoch);
    take_counts(agreement, channel);
    return;
  }
  follow(agreement);
  if (agreement.times_rank != Agreement::nobody) {
    take_times(agreement, channel);
  }
}

/// Takes the counts of the process on the longest path.
void Propagation::take_counts(const Agreement& agreement, Channel& channel) {
  selective::KernelCounts all = counts();
  all.resize(Channel::max_counts);
  channel.broadcast(all.data(), all.size() * sizeof(selective::KernelCount), channel.rank_of(agreement.mark.place.rank));
  while (!all.empty() && all.back().count == 0) {
    all.pop_back();
  }
  follow(agreement.mark, agreement.epoch, all);
}

/// Takes the times of the process that has new ones.
void Propagation::take_times(const Agreement& agreement, Channel& channel) {
  std::array<selective::EagerRecord, max_records> records{};
  if (channel.rank() == agreement.times_rank) {
    const std::vector<selective::EagerRecord> mine = kernels_.eager.to_announce(*channel.aggregate(), max_records);
    std::copy(mine.begin(), mine.end(), records.begin());
  }
  channel.broadcast(records.data(), sizeof records, agreement.times_rank);
  for (const selective::EagerRecord& record : records) {
    if (record.times.count == 0) {
      break;
    }
    const std::uint32_t kernel = kernels_.table.number(record.key);
    if (kernels_.eager.receive_announcement(kernel, record, *channel.aggregate())) {
      kernels_.decisions.know_everywhere(kernel, record.key, record.times);
    }
  }
}

}  // namespace flopcast::preload::mpi
