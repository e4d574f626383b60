#include "flopcast/measure/reference_kernel.hpp"

#include "flopcast/core/error.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/address_map.hpp"
#include "flopcast/measure/placed_call.hpp"

namespace flopcast::measure {
namespace {

Call virtual_reference() {
  return with_addresses(kernel::parse_call(kernel::require("dgemm"), {{"m", "256"}, {"n", "256"}, {"k", "256"}, {"beta", "0"}}));
}

kernel::Invocation invocation(const Backend& backend, std::uint64_t seed, Memory& memory) {
  const kernel::Function dgemm = backend.find("dgemm");
  if (dgemm == nullptr) {
    throw environment_error("the libraries {} have no dgemm, which times are normalised with; measure without normalising",
                            backend.libraries);
  }
  const Call call = virtual_reference();
  const std::vector<Allocation> allocations = memory_of({&call, 1}, {});
  memory.reserve(lay_out(allocations, 1, 0).size_bytes);
  const Call real = lay_out(allocations, 1, memory.begin()).copies.front().real(call);
  kernel::fill(real, seed);
  return {dgemm, real};
}

}  // namespace

ReferenceKernel::ReferenceKernel(const Backend& backend, std::uint64_t seed) : invocation_(invocation(backend, seed, memory_)) {}

Seconds ReferenceKernel::time(const Timer& timer) {
  invocation_.run();
  const std::int64_t begin = timer.ticks();
  invocation_.run();
  const std::int64_t end = timer.ticks();
  return timer.between(begin, end) - timer.overhead;
}

}  // namespace flopcast::measure
