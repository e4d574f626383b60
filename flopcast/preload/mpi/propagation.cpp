#include <array>

#include "flopcast/preload/mpi/session.hpp"

/// Propagates data with the paths: counts of kernels (policy online) and times of kernels (policy eager).
namespace flopcast::preload::mpi {
namespace {

constexpr std::size_t max_records = 8;  ///< in one message

}  // namespace

void Session::follow(const path::PathMark& mark, std::int32_t epoch, std::span<const selective::KernelCount> counts) {
  if (epoch == skipping_.epoch() && path_.follow(mark) && options_.policy == selective::Policy::online) {
    counts_.replace(counts);
  }
}

selective::KernelCounts Session::counts() const {
  return options_.policy == selective::Policy::online ? counts_.most_frequent(Channel::max_counts) : selective::KernelCounts();
}

Agreement Session::agreement(bool execute, const Channel* channel) const {
  Agreement mine{path_.mark(), execute ? 1 : 0, skipping_.epoch()};
  mine.skipped = skipping_.has_skipped() ? 1 : 0;
  if (options_.policy == selective::Policy::eager && channel != nullptr && channel->aggregate() &&
      eager_.has_something_to_announce(*channel->aggregate())) {
    mine.times_rank = channel->rank();
  }
  return mine;
}

void Session::follow(const Agreement& agreement, Channel& channel) {
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
void Session::take_counts(const Agreement& agreement, Channel& channel) {
  selective::KernelCounts all = counts();
  all.resize(Channel::max_counts);
  channel.broadcast(all.data(), all.size() * sizeof(selective::KernelCount), channel.rank_of(agreement.mark.place.rank));
  while (!all.empty() && all.back().count == 0) {
    all.pop_back();
  }
  follow(agreement.mark, agreement.epoch, all);
}

/// Takes the times of the process that has new ones.
void Session::take_times(const Agreement& agreement, Channel& channel) {
  std::array<selective::EagerRecord, max_records> records{};
  if (channel.rank() == agreement.times_rank) {
    const std::vector<selective::EagerRecord> mine = eager_.to_announce(*channel.aggregate(), max_records);
    std::copy(mine.begin(), mine.end(), records.begin());
  }
  channel.broadcast(records.data(), sizeof records, agreement.times_rank);
  for (const selective::EagerRecord& record : records) {
    if (record.times.count == 0) {
      break;
    }
    const std::uint32_t kernel = kernels_.number(record.key);
    if (eager_.receive_announcement(kernel, record, *channel.aggregate())) {
      decisions_.know_everywhere(kernel, record.key, record.times);
    }
  }
}

}  // namespace flopcast::preload::mpi
