#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/tasks/ask/command.hpp"

namespace flopcast {

/// Returns the commands of all families.
const std::vector<Command>& all_commands();

/// Returns the request with the member "workbench" if it has none.
std::string request_with_libraries(std::string_view request, const machine::LibraryChoice& libraries);

/// Returns whether the request's command runs a program of the user (Command::shows_program). Throws bad_input as ask().
bool shows_program(std::string_view request);

/// Returns the schema of requests.
nlohmann::ordered_json request_schema();

}  // namespace flopcast
