#include "flopcast/measure/integers.hpp"

#include <set>

#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

constexpr std::int64_t factor = 2;

/// Visits every call of the experiment.
template <class Some, class Visit>
void for_each_call(Some& experiment, Visit visit) {
  for (auto& action : experiment.setup) {
    if (action.call.routine != nullptr) {
      visit(action.call);
    }
  }
  for (auto& call : experiment.timed) {
    visit(call);
  }
}

/// Visits the array arguments of all calls that have an address, with their calls.
template <class Visit>
void for_each_array(const Experiment& experiment, Visit visit) {
  for_each_call(experiment, [&](const Call& call) {
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (is_operand(call.routine->arguments[i]) && call.address(i) != 0) {
        visit(call, i);
      }
    }
  });
}

[[noreturn]] void refuse(const Call& call, int integer_bytes) {
  throw bad_input(
      "{} can't be timed with a library whose integers have {} bits: the integers of this call have {}. Choose --blas and --lapack "
      "with {}-bit integers",
      call.routine->name, 8 * integer_bytes, 8 * call.integer_bytes, 8 * call.integer_bytes);
}

std::uintptr_t base_of(std::uintptr_t address) { return virtual_base((address >> 40U) - 1); }

/// Returns the address twice as far from the beginning of its allocation.
std::uintptr_t spread(std::uintptr_t address) { return base_of(address) + factor * (address - base_of(address)); }

Region spread(Region region) {
  region.address = spread(region.address);
  for (std::int64_t* const bytes : {&region.column_bytes, &region.stride_bytes, &region.growth_bytes}) {
    *bytes *= factor;
  }
  return region;
}

}  // namespace

Experiment with_integers(const Experiment& experiment, int integer_bytes) {
  std::set<std::uintptr_t> integers;  // the allocations of integer arrays
  for_each_array(experiment, [&](const Call& call, std::size_t i) {
    if (has_integers(call.routine->arguments[i]) && call.integer_bytes != integer_bytes) {
      integer_bytes == 8 ? void(integers.insert(base_of(call.address(i)))) : refuse(call, integer_bytes);
    }
  });
  if (integers.empty()) {
    return experiment;
  }
  for_each_array(experiment, [&](const Call& call, std::size_t i) {
    if (!has_integers(call.routine->arguments[i]) && integers.count(base_of(call.address(i))) > 0) {
      refuse(call, integer_bytes);
    }
  });
  Experiment wide = experiment;
  for (Allocation& allocation : wide.memory) {
    allocation.bytes *= integers.count(allocation.address) > 0 ? factor : 1;
  }
  for (Action& action : wide.setup) {
    if (!action.region.empty() && integers.count(base_of(action.region.address)) > 0) {
      action.region = spread(action.region);
    }
  }
  for_each_call(wide, [&](Call& call) {
    call.integer_bytes = integer_bytes;
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (is_operand(call.routine->arguments[i]) && call.address(i) != 0 && integers.count(base_of(call.address(i))) > 0) {
        call.arguments[i] = static_cast<std::int64_t>(spread(call.address(i)));
      }
    }
  });
  return wide;
}

}  // namespace flopcast::measure
