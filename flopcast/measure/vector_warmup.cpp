#include "flopcast/measure/vector_warmup.hpp"

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/address_map.hpp"
#include "flopcast/measure/placed_call.hpp"

namespace flopcast::measure {
namespace {

/// Returns a product that is large enough for the path of full register tiles, and has 14 KiB of operands.
Call small_product() {
  return with_addresses(kernel::parse_call(kernel::require("dgemm"), {{"m", "24"}, {"n", "24"}, {"k", "24"}, {"beta", "0"}}));
}

}  // namespace

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
