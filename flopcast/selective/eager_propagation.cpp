#include "flopcast/selective/eager_propagation.hpp"

#include <algorithm>

namespace flopcast::selective {

void EagerPropagation::offer(std::uint32_t number, const KernelKey& key, const KernelStatistics& times) {
  known_.try_emplace(number, Known{key, times, {}, rank_, false, {}});
}

bool EagerPropagation::is_news(const Known& known, const path::Aggregate& channel) {
  if (known.everywhere) {
    return std::find(known.announced.begin(), known.announced.end(), channel) == known.announced.end();
  }
  const std::optional<path::Aggregate> further = path::Aggregate::combined(known.reached, channel);
  return further && further->dimensions().size() <= EagerRecord::max_dimensions;
}

std::vector<EagerRecord> EagerPropagation::to_announce(const path::Aggregate& channel, std::size_t max_records) const {
  std::vector<EagerRecord> records;
  if (channel.processes() == 1 && processes_ > 1) {
    return records;
  }
  for (const auto& [number, known] : known_) {
    if (records.size() == max_records) {
      break;
    }
    if (is_news(known, channel)) {
      EagerRecord& record = records.emplace_back(EagerRecord{known.key, known.times, {}, known.origin, known.everywhere ? 1 : 0});
      std::copy(known.reached.dimensions().begin(), known.reached.dimensions().end(), record.reached.begin());
    }
  }
  return records;
}

bool EagerPropagation::outlasts(Known& mine, const EagerRecord& record, const path::Aggregate& channel) {
  const auto announced = std::find(mine.announced.begin(), mine.announced.end(), channel);
  const bool is_announced = announced != mine.announced.end();
  if (record.everywhere == 0 || record.origin > mine.origin) {
    if (is_announced) {
      mine.announced.erase(announced);  // a process of the channel doesn't have this process's knowledge
    }
    return true;
  }
  if (record.origin == mine.origin && !is_announced) {
    mine.announced.push_back(channel);
  }
  return record.origin == mine.origin;
}

bool EagerPropagation::receive_announcement(std::uint32_t number, const EagerRecord& record, const path::Aggregate& channel) {
  const auto before = known_.find(number);
  if (before != known_.end() && before->second.everywhere && outlasts(before->second, record, channel)) {
    return false;
  }
  const std::optional<path::Aggregate> reached = path::Aggregate::of_dimensions({record.reached.begin(), record.reached.end()});
  const std::optional<path::Aggregate> further = record.everywhere != 0 ? reached
                                                 : reached              ? path::Aggregate::combined(*reached, channel)
                                                                        : std::nullopt;
  if (!further || (before != known_.end() && record.everywhere == 0 && before->second.reached.processes() > further->processes())) {
    return false;
  }
  const bool everywhere = record.everywhere != 0 || further->covers(processes_);
  known_[number] = {record.key, record.times, *further, record.origin, everywhere, {}};
  if (everywhere) {
    known_[number].announced.push_back(channel);
  }
  return everywhere;
}

}  // namespace flopcast::selective
