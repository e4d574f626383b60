#pragma once

#include <functional>
#include <optional>

#include "flopcast/contract/network/schedule.hpp"

namespace flopcast::contract {

/// Cuts labels into blocks until the intermediates of a tree that exist at once have at most `room_bytes` bytes. The labels and lengths are
/// those by which the predicted time rises least. Returns `model` with these blocks, or nothing if no blocks are short enough or
/// `cancelled` returns true.
std::optional<StepModel> cut_to_fit(const JoinTree& tree, const StepModel& model, double room_bytes,
                                    const std::function<bool()>& cancelled);

}  // namespace flopcast::contract
