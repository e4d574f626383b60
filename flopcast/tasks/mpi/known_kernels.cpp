#include "flopcast/tasks/mpi/known_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/mpi/profile.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

/// As path::ExecutionDecisions looks at single runs.
bool has_drifted(const path::KernelStatistics& before, const path::KernelStatistics& now) {
  constexpr double deviations = 4;
  constexpr double min_drift = 0.25;
  return now.count > 0 && std::abs(now.mean - before.mean) > std::max(deviations * std::sqrt(before.variance()), min_drift * before.mean);
}

json document_of(const path::KernelStatistics& times) {
  return {{"count", times.count}, {"mean", times.mean}, {"variance", times.variance()}};
}

/// The same mean and variance from fewer executions.
void fade(path::KernelStatistics& times) {
  constexpr std::int64_t most = 1000;
  if (times.count > most) {
    times.squares *= static_cast<double>(most - 1) / static_cast<double>(times.count - 1);
    times.count = most;
  }
}

std::string machine_name() { return machine::hardware_fingerprint(machine::detect_topology()); }

}  // namespace

path::KernelStatistics statistics_of(const json& executed) {
  const auto count = member<std::int64_t>(executed, "count");
  if (count < 0) {
    throw MemberError("count", fmt::format("{} given, expected 0 or more", count));
  }
  const double squares = member<double>(executed, "variance") * static_cast<double>(std::max<std::int64_t>(count - 1, 0));
  return {count, member<double>(executed, "mean"), squares};
}

path::KernelStatistics telling_times(const json& kernel) {
  const char* const name = kernel.contains("in_context") ? "in_context" : "executed";
  return at_place(name, [&] { return statistics_of(kernel.at(name)); });
}

int MpiKnownKernels::add(const json& profile) {
  int drifted = 0;
  const bool selective = member_or(profile, "policy", "full") != "full";
  for_each_element(profile, "kernels", [&](const json& kernel) {
    if (selective && !kernel.contains("in_context")) {
      return;  // times among skipped kernels are good for their own run at most
    }
    const std::string where = member_or(kernel, "where", member_or(profile, "where", std::string()));
    const path::KernelStatistics now = telling_times(kernel);
    const auto [known, added] = kernels_.try_emplace({where, member<std::string>(kernel, "kernel")}, kernel);
    path::KernelStatistics all = added ? now : statistics_of(known->second.at("executed"));
    if (!added && has_drifted(all, now)) {
      all = now;
      ++drifted;
    } else if (!added) {
      all.merge(now);
    }
    fade(all);
    known->second["executed"] = document_of(all);
    known->second.erase("in_context");
    known->second["where"] = where;
  });
  return drifted;
}

void MpiKnownKernels::count_along(const json& profile) {
  for (auto& [name, kernel] : kernels_) {
    kernel["along"]["count"] = 0;
  }
  for (const json& kernel : profile.at("kernels")) {
    const auto known = kernels_.find({member_or(profile, "where", std::string()), member<std::string>(kernel, "kernel")});
    if (known != kernels_.end()) {
      known->second["along"]["count"] = kernel.at("along").at("count");
    }
  }
}

json MpiKnownKernels::document() const {
  json list = json::array();
  for (const auto& [name, kernel] : kernels_) {
    list.push_back(kernel);
  }
  return {{"schema", mpi_profile_schema}, {"kernels", std::move(list)}};
}

MpiKnownKernels stored_mpi_kernels(const model::Store& store) {
  MpiKnownKernels known;
  store.read_artifact(model::artifact::mpi_kernels, machine_name(), [&known](const json& kept) { return known.add(kept); });
  return known;
}

int store_mpi_kernels(model::Store& store, const json& profile) {
  MpiKnownKernels known = stored_mpi_kernels(store);
  const int drifted = known.add(profile);
  store.put_artifact(model::artifact::mpi_kernels, machine_name(), known.document());
  return drifted;
}

}  // namespace flopcast
