#include <algorithm>
#include <numeric>

#include "flopcast/protocol/mpi_profile.hpp"

namespace flopcast {

void keep_longest(std::vector<MpiWaiting>& waits) {
  std::stable_sort(waits.begin(), waits.end(), [](const MpiWaiting& a, const MpiWaiting& b) { return a.seconds > b.seconds; });
  waits.resize(std::min(waits.size(), MpiProfile::max_waits));
}

std::optional<MpiEfficiencies> pop_efficiencies(const std::vector<Seconds>& useful, Seconds run, std::optional<Seconds> ideal_run) {
  const Seconds most = useful.empty() ? 0 : *std::max_element(useful.begin(), useful.end());
  if (!(most > 0) || !(run > 0)) {
    return std::nullopt;
  }
  const Seconds mean = std::accumulate(useful.begin(), useful.end(), 0.0) / static_cast<double>(useful.size());
  MpiEfficiencies found;
  found.run = std::max(run, most);
  found.parallel = mean / found.run;
  found.load_balance = mean / most;
  found.communication = most / found.run;
  if (ideal_run) {
    found.ideal_run = std::clamp(*ideal_run, most, found.run);
    found.serialisation = most / *found.ideal_run;
    found.transfer = *found.ideal_run / found.run;
  }
  return found;
}

}  // namespace flopcast
