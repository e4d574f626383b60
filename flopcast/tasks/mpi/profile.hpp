#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/support/units.hpp"

/// The document that `flopcast mpi run` writes about an execution.
namespace flopcast {

/// Name and version of the document.
inline constexpr const char* mpi_profile_schema = "flopcast-mpi-profile-1";

/// Returns a member of a document. Throws json's exception if it is missing or no number.
double number(const nlohmann::json& document, const char* name);

/// Returns the share of a profile's critical path that lies in kernels. The rest is computation that flopcast doesn't see into.
double mpi_coverage(const nlohmann::json& profile);

/// Returns "1 process", "2 processes".
std::string processes(std::int64_t count);

inline constexpr const char* default_patience = "60s";
/// Reads --patience in seconds; 0 for `none`. Throws usage_error for what is no duration.
Seconds parse_patience(const std::string& text);

}  // namespace flopcast
