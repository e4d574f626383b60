#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/tasks/ask/job.hpp"

namespace flopcast {

/// Returns the commands of all families.
const std::vector<Job>& all_jobs();

/// Returns the request with the member "workbench" if it has none.
std::string question_with_libraries(std::string_view question, const machine::LibraryChoice& libraries);

/// Returns whether the request's command runs a program of the user (Job::shows_program). Throws bad_input as ask().
bool shows_program(std::string_view question);

/// Returns the schema of requests.
nlohmann::ordered_json question_schema();

}  // namespace flopcast
