#pragma once

#include <string_view>
#include <utility>

#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/machine/libraries/library.hpp"

namespace flopcast::contract {

/// Returns a machine with OpenBLAS and assumed caches, which nobody has measured.
inline const Machine& test_machine() {
  static const machine::Library library = machine::Library::open("openblas-serial");
  static const Machine machine = [] {
    Machine made;
    made.find = [](std::string_view routine) { return library.function(routine); };
    for (const auto& [name, bytes] : {std::pair{"L1", 32 << 10}, std::pair{"L2", 1 << 20}, std::pair{"L3", 16 << 20}}) {
      CacheLevel level;
      level.name = name;
      level.capacity_bytes = bytes;
      made.environment.caches.push_back(level);
    }
    made.environment.fingerprint = "test";
    return made;
  }();
  return machine;
}

}  // namespace flopcast::contract
