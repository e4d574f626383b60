#include "flopcast/preload/smpi/simulation.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

#include "flopcast/core/routine.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::preload::smpi {
namespace {

/// Returns this thread's CPU time, which SMPI uses for the program's own code, too.
Seconds cpu_seconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  constexpr double nano = 1e-9;
  return static_cast<double>(time.tv_sec) + nano * static_cast<double>(time.tv_nsec);
}

/// Writes to the first byte of each page of [begin, end) that doesn't exist yet, without changing it. Returns the seconds taken.
Seconds touch_missing_pages(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t page) {
  begin = begin / page * page;
  thread_local std::vector<unsigned char> present;
  present.assign(ceil_div(end - begin, page), 1);
  if (mincore(reinterpret_cast<void*>(begin), end - begin, present.data()) != 0 ||
      std::all_of(present.begin(), present.end(), [](unsigned char state) { return (state & 1U) != 0; })) {
    return 0;
  }
  const Seconds start = cpu_seconds();
  for (std::size_t i = 0; i < present.size(); ++i) {
    if ((present[i] & 1U) == 0) {
      auto* byte = reinterpret_cast<volatile char*>(begin + i * page);
      *byte = *byte;
    }
  }
  return cpu_seconds() - start;
}

/// Touches a region; columns that lie close together are touched as one run.
Seconds touch(const Region& region, std::uintptr_t page) {
  const auto stride = static_cast<std::uintptr_t>(std::max<std::int64_t>(region.stride_bytes, 0));
  if (region.empty() || region.columns <= 1 || stride < 2 * page) {
    return region.empty() ? 0 : touch_missing_pages(region.begin(), region.end(), page);
  }
  Seconds seconds = 0;
  for (std::int64_t j = 0; j < region.columns; ++j) {
    const std::uintptr_t begin = region.address + static_cast<std::uintptr_t>(j) * stride;
    const std::int64_t bytes = region.column_bytes + j * region.growth_bytes;
    seconds += bytes > 0 ? touch_missing_pages(begin, begin + static_cast<std::uintptr_t>(bytes), page) : 0;
  }
  return seconds;
}

}  // namespace

Seconds touch_written_memory(const Call& call) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  Seconds seconds = 0;
  for (const Operand& operand : operands(call)) {
    for (const Region& part : operand.parts) {
      seconds += operand.access != Access::read && part.address != 0 ? touch(part, page) : 0;
    }
  }
  return seconds;
}

Seconds first_call_seconds() {
  using Size = const FortranInteger*;
  using Product = void (*)(const char*, const char*, Size, Size, Size, const double*, const double*, Size, const double*, Size,
                           const double*, double*, Size, std::size_t, std::size_t);
  const auto product = reinterpret_cast<Product>(routine_of_program("dgemm"));
  if (product == nullptr) {
    return 0;
  }
  constexpr FortranInteger order = 384;  // large enough to use all buffers
  constexpr double one = 1;
  const std::vector<double> a(static_cast<std::size_t>(order) * order, 1.0);
  std::vector<double> c(a.size(), 0.0);
  const auto seconds_of_one = [&] {
    const Seconds start = cpu_seconds();
    product("N", "N", &order, &order, &order, &one, a.data(), &order, a.data(), &order, &one, c.data(), &order, 1, 1);
    return cpu_seconds() - start;
  };
  const Seconds first = seconds_of_one();
  return std::max(0.0, first - std::min(seconds_of_one(), seconds_of_one()));
}

}  // namespace flopcast::preload::smpi
