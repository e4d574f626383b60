#pragma once

#include <string>

#include "flopcast/model/store.hpp"
#include "flopcast/scale/machine_description.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast {

/// Returns the description that a ping-pong shows. `result` is the text that flopcast-ping-pong prints, `cores` are those of this machine,
/// `cores_of_others` those that other programs kept busy meanwhile. Throws bad_input for another text, unusable_measurement for times that
/// don't grow with the size.
[[nodiscard]] scale::MachineDescription description_of_ping_pong(const std::string& result, int cores, double cores_of_others);

/// Keeps a description of this host in the store. A disturbed one is kept only if the store has no undisturbed one; a note warns of it.
void keep_description(const scale::MachineDescription& machine, model::Store& store, const RunContext& context);

}  // namespace flopcast
