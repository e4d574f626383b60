#pragma once

#include <nlohmann/json_fwd.hpp>

#include "flopcast/protocol/mpi_profile.hpp"

/// Kernel times as rows of numbers. After a few tunings there are tens of thousands of kernels, all of which the next tuning reads and writes
/// again. With the names of all members, as profiles have them, that takes seconds.
namespace flopcast {

/// Name and version of the document.
inline constexpr const char* mpi_kernels_schema = "flopcast-mpi-kernels-1";

/// Returns the document of a list: groups of one place and routine, each with a row per kernel.
[[nodiscard]] nlohmann::json rows_of(const MpiKernelList& list);
/// Returns the kernels of such a document, or of a profile. Throws MemberError for members that are missing or wrong.
[[nodiscard]] MpiKernelList kernel_list_of(const nlohmann::json& document);

}  // namespace flopcast
