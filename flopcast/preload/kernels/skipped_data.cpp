#include "flopcast/preload/kernels/skipped_data.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "flopcast/kernel/fill.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/resident_pages.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace flopcast::preload::mpi {

bool can_fail(const flopcast::Routine& routine) {
  return std::any_of(routine.arguments.begin(), routine.arguments.end(), [](const Argument& a) { return a.kind == Kind::info; });
}

namespace {

char* pointer_to(std::uintptr_t address) { return reinterpret_cast<char*>(address); }

std::int64_t run_bytes(const Region& part, std::int64_t column) { return part.column_bytes + column * part.growth_bytes; }

std::uintptr_t run_begin(const Region& part, std::int64_t column) {
  return part.address + static_cast<std::uintptr_t>(column * part.stride_bytes);
}

/// Returns whether a number is zero or denormal, for which the processor is slow. Remains in memory, such as addresses, are often denormal
/// numbers.
template <class Real>
bool is_tiny(Real number) {
  return std::abs(number) < std::numeric_limits<Real>::min();
}

/// Returns whether the numbers in a cache line aren't the program's: all are zero, so that they were never written, or some are denormal.
template <class Real>
bool is_stale(std::uintptr_t address, std::int64_t bytes, bool zeros_count) {
  const auto* const begin = reinterpret_cast<const Real*>(pointer_to(address));
  const auto* const end = begin + std::min(bytes, cache_line_bytes) / static_cast<std::int64_t>(sizeof(Real));
  if (std::all_of(begin, end, [](Real number) { return number == 0; })) {
    return zeros_count;
  }
  return std::any_of(begin, end, [](Real number) { return number != 0 && is_tiny(number); });
}

/// Returns the distance in bytes between the lines examined. A matrix without gaps is one run, and may be filled in part. Contents for
/// which a routine could give up, such as columns of zeros, are searched for more closely.
std::int64_t probe_distance(const Operand& operand, bool closely) {
  constexpr std::int64_t probes = 32;
  constexpr std::int64_t min_distance = 512;
  constexpr std::int64_t close = 2048;
  const std::int64_t distance = std::max(min_distance, operand.bytes() / probes);
  return (closely ? std::min(close, distance) : distance) / cache_line_bytes * cache_line_bytes;
}

/// Returns whether an operand looks stale. Only some lines are examined, because they come into the caches. They include the first one,
/// where memory that was used before contains addresses.
template <class Real>
bool looks_stale(const Operand& operand, bool zeros_count, bool closely) {
  constexpr std::int64_t max_columns = 32;  // unless examined closely
  const std::int64_t distance = probe_distance(operand, closely);
  for (const Region& part : operand.parts) {
    const std::int64_t usual_bytes = std::max<std::int64_t>(1, run_bytes(part, part.columns / 2));
    const std::int64_t step = std::max<std::int64_t>(1, std::min(part.columns / max_columns, distance / usual_bytes));
    for (std::int64_t j = 0; j < part.columns; j += step) {
      const std::int64_t bytes = run_bytes(part, j);
      for (std::int64_t at = j == 0 ? 0 : std::min(bytes, distance) / cache_line_bytes / 2 * cache_line_bytes; at < bytes; at += distance) {
        if (is_stale<Real>(run_begin(part, j) + static_cast<std::uintptr_t>(at), bytes - at, zeros_count)) {
          return true;
        }
      }
    }
  }
  return false;
}

/// Writes numbers between 1/128 and 1/64 in place of tiny ones. They differ from line to line. Otherwise a matrix of equal columns would
/// have rank one, and its factors soon would be zero, for which routines take shortcuts.
template <class Real>
void write_numbers(std::uintptr_t address, std::int64_t bytes) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  auto* const begin = reinterpret_cast<Real*>(pointer_to(address));
  auto state = static_cast<std::uint32_t>(address * odd >> 32U);
  std::for_each(begin, begin + bytes / static_cast<std::int64_t>(sizeof(Real)), [&](Real& number) {
    constexpr std::uint32_t factor = 1664525;
    constexpr std::uint32_t summand = 1013904223;
    state = factor * state + summand;
    number = is_tiny(number) ? static_cast<Real>((1 + 0x1p-32 * state) / 128) : number;
  });
}

/// Writes those lines of an operand that aren't the program's.
template <class Real>
void renew(const Operand& operand, bool zeros_count, bool closely) {
  if (!looks_stale<Real>(operand, zeros_count, closely)) {
    return;
  }
  for (const Region& part : operand.parts) {
    for (std::int64_t j = 0; j < part.columns; ++j) {
      const std::int64_t bytes = run_bytes(part, j);
      for (std::int64_t at = 0; at < bytes; at += cache_line_bytes) {
        const std::uintptr_t address = run_begin(part, j) + static_cast<std::uintptr_t>(at);
        if (is_stale<Real>(address, bytes - at, zeros_count)) {
          write_numbers<Real>(address, std::min(bytes - at, cache_line_bytes));
        }
      }
    }
  }
}

bool needs_definite(const Routine& routine) {
  return can_fail(routine) && std::any_of(routine.arguments.begin(), routine.arguments.end(),
                                          [](const Argument& a) { return a.kind == Kind::data && a.fill == Fill::definite; });
}

bool has_numbers(const Argument& argument) { return argument.kind == Kind::data && !argument.integer && argument.access != Access::write; }

/// Returns whether an operand must hold data. BLAS may legitimately update fresh memory, and then the first write is part of the routine's
/// time. LAPACK's routines never start from unwritten memory.
bool must_be_written(const Routine& routine, const Argument& argument) { return argument.access == Access::read || can_fail(routine); }

/// Returns whether a number isn't finite, or is so large that damped updates couldn't compensate the product of two such numbers.
template <class Real>
bool is_unusual(Real number) {
  constexpr Real max_usual = 65536;
  return !(std::abs(number) <= max_usual);
}

/// Replaces unusual numbers. Returns whether there were any.
template <class Real>
bool clean(char* place, std::int64_t bytes) {
  constexpr std::int64_t block = 64;
  constexpr Real usual = Real(1) / 128;
  auto* const numbers = reinterpret_cast<Real*>(place);
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Real));
  bool any_at_all = false;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t end = std::min(count, begin + block);
    bool any = false;
    for (std::int64_t i = begin; i < end; ++i) {
      any |= is_unusual(numbers[i]);
    }
    for (std::int64_t i = begin; any && i < end; ++i) {
      numbers[i] = is_unusual(numbers[i]) ? usual : numbers[i];
    }
    any_at_all |= any;
  }
  return any_at_all;
}

void clean(std::uintptr_t begin, std::int64_t bytes, std::int64_t element_bytes) {
  clean_numbers(pointer_to(begin), bytes, static_cast<int>(element_bytes));
}

/// Replaces unusual numbers except in pages that were never used, which hold no remains; reading them would allocate a page each. Numbers
/// must not lie across pages.
void clean_used(const ResidentPages& used, std::uintptr_t begin, std::int64_t bytes, std::int64_t element_bytes) {
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(bytes);
  while (begin < end) {
    const bool is_used = used.contain(begin);
    std::uintptr_t same = std::min(end, ResidentPages::end_of_page(begin));
    while (same < end && used.contain(same) == is_used) {
      same = std::min(end, ResidentPages::end_of_page(same));
    }
    if (is_used) {
      clean(begin, static_cast<std::int64_t>(same - begin), element_bytes);
    }
    begin = same;
  }
}

/// Returns whether it pays to query which pages from `begin` to `end` are in use. The query takes as long as examining 64 KiB, and a byte
/// for each page, also for those between columns. It isn't made if numbers lie across pages.
bool pays_to_ask(std::uintptr_t begin, std::uintptr_t end, std::int64_t looked_at, std::int64_t element_bytes) {
  constexpr std::int64_t worth_asking = std::int64_t{64} << 10U;
  const bool is_aligned = begin % static_cast<std::uintptr_t>(element_bytes) == 0;
  return is_aligned && end > begin && looked_at >= worth_asking && 2 * static_cast<std::uintptr_t>(looked_at) >= end - begin;
}

void clean(const Operand& operand, std::int64_t element_bytes) {
  for (const Region& part : operand.parts) {
    const std::int64_t last = part.columns - 1;
    const std::uintptr_t end = part.columns > 0 ? run_begin(part, last) + static_cast<std::uintptr_t>(run_bytes(part, last)) : part.address;
    const ResidentPages used(part.address, pays_to_ask(part.address, end, operand.bytes(), element_bytes) ? end : part.address);
    for (std::int64_t j = 0; j < part.columns; ++j) {
      clean_used(used, run_begin(part, j), run_bytes(part, j), element_bytes);
    }
  }
}

/// Returns whether some of a few probed numbers are unusual. Remains of other data seldom are single numbers.
template <class Real>
bool looks_unusual(const char* place, std::int64_t bytes) {
  constexpr std::int64_t probes = 8;
  const auto* const numbers = reinterpret_cast<const Real*>(place);
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Real));
  for (std::int64_t i = 0; i < probes && count > 0; ++i) {
    if (is_unusual(numbers[i * (count - 1) / (probes - 1)])) {
      return true;
    }
  }
  return false;
}

/// Returns whether all of `bytes` at `place` must be examined: the first time, at intervals after that, and where probed numbers are
/// unusual.
bool is_due(const char* place, std::int64_t bytes, std::int64_t element_bytes) {
  constexpr std::uint32_t looked_at = 8;  // examines all one time out of this many
  struct OutputRange {
    const char* address = nullptr;
    std::int64_t bytes = 0;
    std::uint32_t times = 0;
  };
  constexpr unsigned bits = 12;
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  // With fewer entries, programs with thousands of buffers would be examined every time.
  static std::array<OutputRange, std::size_t{1} << bits> places;
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  OutputRange& found = places.at((address / cache_line_bytes + static_cast<std::uintptr_t>(bytes)) * odd >> (64U - bits));
  if (found.address != place || found.bytes != bytes) {
    found = {place, bytes, 0};
  }
  return found.times++ % looked_at == 0 || (element_bytes == 4 ? looks_unusual<float>(place, bytes) : looks_unusual<double>(place, bytes));
}

constexpr std::int64_t short_bytes = 4096;  ///< examining all of it takes less than a page's first use

/// Returns whether a matrix must be examined; it is probed in its first column.
bool is_due(const Operand& operand, std::int64_t element_bytes) {
  const std::int64_t bytes = operand.bytes();
  return bytes > 0 && (bytes <= short_bytes || is_due(pointer_to(operand.parts[0].address), run_bytes(operand.parts[0], 0), element_bytes));
}

/// Returns whether `call` overwrites its output without reading it (beta = 0).
bool replaces(const Call& call) {
  const int beta = call.routine->index("beta");
  return beta >= 0 && call.scalars[static_cast<std::size_t>(call.arguments[static_cast<std::size_t>(beta)])] == 0.0;
}

/// Returns whether a BLAS routine computes x := op(A)^-1 x or op(A) x with a triangle A.
bool has_triangle(const Routine& routine) {
  constexpr std::array<std::string_view, 8> families = {"trsm", "trmm", "trsv", "trmv", "tbsv", "tbmv", "tpsv", "tpmv"};
  return std::find(families.begin(), families.end(), routine.family) != families.end();
}

/// Returns whether `call` adds a term with factor alpha to an operand that isn't scaled.
bool is_update(const Call& call) {
  const Routine& routine = *call.routine;
  if (const int beta = routine.index("beta"); beta >= 0) {
    return call.scalars[static_cast<std::size_t>(call.arguments[static_cast<std::size_t>(beta)])] == 1.0;
  }
  constexpr std::array<std::string_view, 12> families = {"axpy", "ger",  "geru", "gerc", "syr", "syr2",
                                                         "her",  "her2", "spr",  "spr2", "hpr", "hpr2"};
  return std::find(families.begin(), families.end(), routine.family) != families.end();
}

}  // namespace

void make_safe(const Call& call) {
  const Routine& routine = *call.routine;
  if (needs_definite(routine)) {
    kernel::fill(call, 1);
    return;
  }
  const bool closely = can_fail(routine);
  for (const Operand& operand : operands(call)) {
    const Argument& argument = routine.arguments[operand.argument];
    if (has_numbers(argument) && call.address(operand.argument) != 0) {
      const bool written = must_be_written(routine, argument);
      real_bytes(routine.precision) == 4 ? renew<float>(operand, written, closely) : renew<double>(operand, written, closely);
    }
  }
}

void clean_outputs(const Call& call) {
  const Routine& routine = *call.routine;
  const bool replacing = replaces(call);
  const auto is_output = [&](const Argument& a) {
    return a.kind == Kind::data && !a.integer && (a.access == Access::write || (replacing && a.access == Access::update));
  };
  if (std::none_of(routine.arguments.begin(), routine.arguments.end(), is_output)) {
    return;
  }
  for (const Operand& operand : operands(call)) {
    if (is_output(routine.arguments[operand.argument]) && call.address(operand.argument) != 0 &&
        is_due(operand, real_bytes(routine.precision))) {
      clean(operand, real_bytes(routine.precision));
    }
  }
}

void clean_solution(const Call& call) {
  const Routine& routine = *call.routine;
  if (!has_triangle(routine)) {
    return;
  }
  for (const Operand& operand : operands(call)) {
    if (routine.arguments[operand.argument].access == Access::update) {
      clean(operand, real_bytes(routine.precision));
    }
  }
}

bool clean_numbers(char* place, std::int64_t bytes, int element_bytes) {
  return element_bytes == 4 ? clean<float>(place, bytes) : clean<double>(place, bytes);
}

void clean_message(void* place, std::int64_t bytes, int element_bytes) {
  char* const begin = static_cast<char*>(place);
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  if (bytes <= short_bytes || is_due(begin, bytes, element_bytes)) {
    const std::uintptr_t end = address + static_cast<std::uintptr_t>(bytes);
    clean_used(ResidentPages(address, pays_to_ask(address, end, bytes, element_bytes) ? end : address), address, bytes, element_bytes);
  }
}

void DampedUpdate::apply(const Call& call, std::span<void* const> pointers) noexcept {
  constexpr double damping = 0x1p-50;
  const int alpha = call.routine->index("alpha");
  if (alpha < 0 || !is_update(call)) {
    return;
  }
  const auto index = static_cast<std::size_t>(alpha);
  const std::complex<double> value = damping * call.scalars[static_cast<std::size_t>(call.arguments[index])];
  if (real_bytes(call.routine->precision) == 4) {
    const std::complex<float> single(value);
    std::memcpy(alpha_.data(), &single, sizeof single);
  } else {
    std::memcpy(alpha_.data(), &value, sizeof value);
  }
  const_cast<void*&>(pointers[index]) = alpha_.data();  // NOLINT: an array of the caller's that isn't constant, see intercept()
}

void DenormalsAsZero::begin() noexcept {
#if defined(__x86_64__)
  constexpr unsigned int results_to_zero = 0x8000, operands_are_zero = 0x0040;
  saved_ = _mm_getcsr();
  _mm_setcsr(saved_ | results_to_zero | operands_are_zero);
  active_ = true;
#endif
}

void DenormalsAsZero::end() noexcept {
#if defined(__x86_64__)
  if (active_) {
    _mm_setcsr(saved_);
  }
#endif
  active_ = false;
}

}  // namespace flopcast::preload::mpi
