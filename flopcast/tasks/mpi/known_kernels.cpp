#include "flopcast/tasks/mpi/known_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/protocol/mpi_kernel_rows.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

/// The same limits as selective::ExecutionDecisions has for single runs.
bool has_drifted(const selective::KernelStatistics& before, const selective::KernelStatistics& now) {
  constexpr double deviations = 4;
  constexpr double min_drift = 0.25;
  return now.count > 0 && std::abs(now.mean - before.mean) > std::max(deviations * std::sqrt(before.variance()), min_drift * before.mean);
}

/// Lowers the count to at most a thousand executions with the same mean and variance.
void fade(selective::KernelStatistics& times) {
  constexpr std::int64_t max_count = 1000;
  if (times.count > max_count) {
    times.squares *= static_cast<double>(max_count - 1) / static_cast<double>(times.count - 1);
    times.count = max_count;
  }
}

std::string machine_name() { return machine::hardware_fingerprint(machine::detect_topology()); }

}  // namespace

int MpiKnownKernels::add(const MpiKernelList& list) {
  int drifted = 0;
  for (const MpiKernel& kernel : list.kernels) {
    if (list.policy != selective::Policy::full && !kernel.in_context) {
      continue;
    }
    const std::string where = kernel.where.value_or(list.where);
    const selective::KernelStatistics now = statistics_of(representative_times(kernel));
    const auto [known, added] = kernels_.try_emplace({where, kernel.name}, kernel);
    selective::KernelStatistics all = added ? now : statistics_of(known->second.executed);
    if (!added && has_drifted(all, now)) {
      all = now;
      ++drifted;
    } else if (!added) {
      all.merge(now);
    }
    fade(all);
    known->second.executed = times_of(all);
    known->second.in_context.reset();
    known->second.along = {};  // counts along the path of one run, not of the next
    known->second.skipped = 0;
    known->second.where = where;
  }
  return drifted;
}

void MpiKnownKernels::set_path_counts(const MpiProfile& profile) {
  for (auto& [name, kernel] : kernels_) {
    kernel.along.count = 0;
  }
  for (const MpiKernel& kernel : profile.kernels) {
    if (const auto known = kernels_.find({profile.where, kernel.name}); known != kernels_.end()) {
      known->second.along.count = kernel.along.count;
    }
  }
}

MpiKernelList MpiKnownKernels::list() const {
  MpiKernelList list;
  for (const auto& [name, kernel] : kernels_) {
    list.kernels.push_back(kernel);
  }
  return list;
}

const MpiKnownKernels& StoredMpiKernels::read() {
  const std::int64_t version = store_.version();
  if (version != version_) {
    kernels_ = {};
    read_artifact(store_, model::artifact::mpi_kernels, machine_name(),
                  [this](const json& kept) { return kernels_.add(kernel_list_of(kept)); });
    version_ = version;
  }
  return kernels_;
}

int StoredMpiKernels::add(const MpiKernelList& list) {
  read();
  const int drifted = kernels_.add(list);
  put_artifact(store_, model::artifact::mpi_kernels, machine_name(), rows_of(kernels_.list()));
  return drifted;
}

}  // namespace flopcast
