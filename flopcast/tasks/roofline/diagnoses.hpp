#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/machine_file.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"

namespace flopcast {

/// Facts of a measurement from which its diagnoses follow.
struct DiagnosedRun {
  const RooflineRequest& request;
  const machine::Topology& topology;
  machine::MemoryHierarchy hierarchy = {};     ///< measured caches
  const roofline::Roofline* found = nullptr;   ///< roofs measured so far; nullptr before the first
  std::optional<double> cores_of_others = {};  ///< cores that other processes kept busy; empty: not known
  std::int64_t available_memory_bytes = 0;
};

/// The part of a measurement after which a diagnosis is made.
enum class Moment : std::uint8_t { begin, caches, roofs, points };

/// Returns what the user should know at this moment, as sentences: limits of the machine, disturbances, slow libraries, impossible figures.
std::vector<std::string> diagnoses(Moment moment, const DiagnosedRun& run);

}  // namespace flopcast
