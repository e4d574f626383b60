#pragma once

#include <functional>

#include <nlohmann/json.hpp>

#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// Runs `work` in a child process and returns its JSON. Throws environment_error that contains the child's message or its signal, or says
/// that the child took longer than `limit` seconds.
nlohmann::json in_child(const std::function<nlohmann::json()>& work, Seconds limit);

}  // namespace flopcast::machine
