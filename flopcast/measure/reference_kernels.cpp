#include "flopcast/measure/reference_kernels.hpp"

#include <algorithm>
#include <limits>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/address_map.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

Call virtual_product() {
  return with_addresses(kernel::parse_call(kernel::require("dgemm"), {{"m", "256"}, {"n", "256"}, {"k", "256"}, {"beta", "0"}}));
}

Call virtual_solve() { return with_addresses(kernel::parse_call(kernel::require("dtrsm"), {{"m", "64"}, {"n", "64"}})); }

kernel::Function require_product(const SessionServices& services) {
  if (const kernel::Function dgemm = services.find("dgemm"); dgemm != nullptr) {
    return dgemm;
  }
  throw environment_error("the libraries {} have no dgemm, which times are normalised with; measure without normalising",
                          services.libraries);
}

/// Returns `call` on operands in `memory`, which is enlarged as needed.
Call placed(const Call& call, Memory& memory) {
  const std::vector<Allocation> allocations = memory_of({&call, 1}, {});
  memory.reserve(lay_out(allocations, 1, 0).size_bytes);
  return lay_out(allocations, 1, memory.begin()).copies.front().real(call);
}

/// Returns a product that is large enough for the path of full register tiles, and has 14 KiB of operands.
Call small_product() {
  return with_addresses(kernel::parse_call(kernel::require("dgemm"), {{"m", "24"}, {"n", "24"}, {"k", "24"}, {"beta", "0"}}));
}

}  // namespace

ReferenceKernels::ReferenceKernel::ReferenceKernel(kernel::Function function, const Call& call, std::uint64_t seed)
    : call_(placed(call, memory_)), seed_(seed), invocation_(function, call_) {
  fill();
}

void ReferenceKernels::ReferenceKernel::fill() { kernel::fill(call_, seed_); }

Seconds ReferenceKernels::ReferenceKernel::time(const Timer& timer, int runs) {
  invocation_.run();
  Seconds shortest = std::numeric_limits<Seconds>::infinity();
  for (int i = 0; i < runs; ++i) {
    const std::int64_t begin = timer.ticks();
    invocation_.run();
    const std::int64_t end = timer.ticks();
    shortest = std::min(shortest, timer.between(begin, end) - timer.overhead);
  }
  return shortest;
}

ReferenceKernels::ReferenceKernels(const SessionServices& services, std::uint64_t seed)
    : product_(require_product(services), virtual_product(), seed) {
  if (const kernel::Function dtrsm = services.find("dtrsm"); dtrsm != nullptr) {
    solve_.emplace(dtrsm, virtual_solve(), seed);
  }
}

ReferenceTimes ReferenceKernels::time(const Timer& timer) {
  ReferenceTimes times = {product_.time(timer, 1), 0};
  if (solve_) {
    solve_->fill();  // the solve overwrites its right-hand side, which would end in denormal numbers after many repetitions
    times.solve = solve_->time(timer, 3);
  }
  return times;
}

VectorWarmup::VectorWarmup(const SessionServices& services, std::uint64_t seed) {
  const kernel::Function dgemm = services.find("dgemm");
  if (dgemm == nullptr) {
    return;
  }
  const Call call = small_product();
  const std::vector<Allocation> allocations = memory_of({&call, 1}, {});
  memory_.reserve(lay_out(allocations, 1, 0).size_bytes);
  const Call real = lay_out(allocations, 1, memory_.begin()).copies.front().real(call);
  kernel::fill(real, seed);
  invocation_.emplace(dgemm, real);
}

void VectorWarmup::wake(const Timer& timer) {
  constexpr Seconds long_enough = 25e-6;
  if (!invocation_) {
    return;
  }
  constexpr int max_calls = 1000;  // limits the loop for a coarse CPU-time clock, which may stand still
  const std::int64_t begin = timer.ticks();
  for (int i = 0; i < max_calls && timer.between(begin, timer.ticks()) < long_enough; ++i) {
    invocation_->run();
  }
}

}  // namespace flopcast::measure
