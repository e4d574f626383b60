#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/run.hpp"

/// Texts that explain how a run of an MPI program ended.
namespace flopcast {

/// Returns the reason for which the first process has no profile, such as "the program never called MPI_Init".
[[nodiscard]] std::string why_no_profile(const MpiRun& run, const MpiRunRequest& request);

/// Returns facts that limit the meaning of a profile.
[[nodiscard]] std::vector<std::string> warnings_about(const MpiProfile& profile);

/// Returns what made the profile's times unreliable, as RunContext::tell_noisy() takes it; empty if nothing did.
[[nodiscard]] std::string noise_of(const MpiProfile& profile);

/// Returns whether the request skips kernels.
[[nodiscard]] bool skips_kernels(const MpiRunRequest& request) noexcept;

/// Returns the warning that skipping kernels makes results garbage, for the user to read before the program starts.
[[nodiscard]] std::string results_warning(selective::Policy policy);

/// Returns the text on the end of a program in which kernels might be skipped; empty if there is nothing to tell. `profile` says whether
/// any kernel was; without one it is assumed.
[[nodiscard]] std::string end_with_skipped_kernels(const MpiRun& run, const std::optional<MpiProfile>& profile,
                                                   const MpiRunRequest& request);

}  // namespace flopcast
