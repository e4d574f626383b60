#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/units.hpp"

/// Searches of the best gemm by name.
namespace flopcast::roofline {

/// Returns the techniques of paper 003, and "race" and "halving".
std::vector<std::string> study_techniques();
/// Returns the name of a technique without its settings.
std::string_view search_name(std::string_view technique);
/// Returns whether the technique is race or halving. Their one setting is the maximum time of a search, "race:time=60s"; the leader at that
/// time counts.
bool searches_in_one_process(std::string_view technique);
/// Throws usage_error if `text` isn't one of study_techniques(), and as search::technique does for its settings.
void require_technique(std::string_view text);
/// Returns the maximum time of a search by race or halving; infinite without the setting. Throws as require_technique.
Seconds time_limit(std::string_view technique);

}  // namespace flopcast::roofline
