#pragma once

#include <filesystem>
#include <functional>

#include <nlohmann/json.hpp>

#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// Runs `work` in a child process and returns its JSON. Throws environment_error that contains the child's message or its signal, or says
/// that the child took longer than `limit` seconds.
nlohmann::json in_child(const std::function<nlohmann::json()>& work, Seconds limit);

/// Throws environment_error if the system's limits for this process keep the library at `path` from working. OpenBLAS allocates a buffer for
/// each of its threads when it is loaded, and retries for ever where address space lacks. Therefore `load`, which loads the library as far
/// as it allocates anything, is tried in a child process first if address space is limited (ulimit -v).
void require_room_for(const std::filesystem::path& path, const std::function<void()>& load);

}  // namespace flopcast::machine
