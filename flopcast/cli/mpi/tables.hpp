#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/cli/options.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/profile.hpp"

/// What the tables of `flopcast mpi` have in common.
namespace flopcast::cli {

/// A profile's kernels, those first that take most of the critical path: at most so many.
std::vector<std::reference_wrapper<const nlohmann::json>> kernels_by_time(const nlohmann::json& profile, std::size_t most);

report::Cell seconds_cell(Seconds seconds);
/// 0 of nothing.
report::Cell percent(double part, double whole);

}  // namespace flopcast::cli
