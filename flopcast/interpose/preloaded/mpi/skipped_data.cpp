#include "flopcast/interpose/preloaded/mpi/skipped_data.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "flopcast/kernel/fill.hpp"

namespace flopcast::interpose::mpi {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t probe_bytes = 64;

char* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<char*>(address);  // NOLINT(performance-no-int-to-ptr): addresses are kept as integers in calls
}

bool is_zero(std::uintptr_t address, std::int64_t bytes) {
  const char* const begin = pointer_to(address);
  return std::all_of(begin, begin + std::min(bytes, probe_bytes), [](char byte) { return byte == 0; });
}

std::int64_t run_bytes(const Region& part, std::int64_t column) { return part.column_bytes + column * part.growth_bytes; }

std::uintptr_t run_begin(const Region& part, std::int64_t column) {
  return part.address + static_cast<std::uintptr_t>(column * part.stride_bytes);
}

/// Looks into some of an operand's pages only: what is looked at comes into the caches.
bool looks_unwritten(const Operand& operand) {
  constexpr std::int64_t most_probes = 32;
  for (const Region& part : operand.parts) {
    const std::int64_t step = std::max<std::int64_t>(1, part.columns / most_probes);
    for (std::int64_t j = 0; j < part.columns; j += step) {
      const std::int64_t bytes = run_bytes(part, j);
      if (bytes >= probe_bytes && is_zero(run_begin(part, j) + static_cast<std::uintptr_t>(bytes / probe_bytes / 2 * probe_bytes), probe_bytes)) {
        return true;
      }
    }
  }
  return false;
}

/// Numbers between 1/128 and 1/64.
template <class Real>
void write_numbers(std::uintptr_t address, std::int64_t bytes) {
  auto* const begin = reinterpret_cast<Real*>(pointer_to(address));
  std::uint32_t state = 1;
  std::generate_n(begin, bytes / static_cast<std::int64_t>(sizeof(Real)), [&] {
    constexpr std::uint32_t factor = 1664525;
    constexpr std::uint32_t summand = 1013904223;
    state = factor * state + summand;
    return static_cast<Real>((1 + 0x1p-32 * state) / 128);
  });
}

/// Writes those pages of an operand that are zero.
template <class Real>
void write_zero_pages(const Operand& operand) {
  for (const Region& part : operand.parts) {
    for (std::int64_t j = 0; j < part.columns; ++j) {
      const std::int64_t bytes = run_bytes(part, j);
      for (std::int64_t at = 0; at < bytes; at += page_bytes) {
        const std::uintptr_t address = run_begin(part, j) + static_cast<std::uintptr_t>(at);
        if (is_zero(address, bytes - at)) {
          write_numbers<Real>(address, std::min(bytes - at, page_bytes));
        }
      }
    }
  }
}

bool can_fail(const Routine& routine) {
  return std::any_of(routine.arguments.begin(), routine.arguments.end(), [](const Argument& a) { return a.kind == Kind::info; });
}

bool needs_definite(const Routine& routine) {
  return can_fail(routine) && std::any_of(routine.arguments.begin(), routine.arguments.end(),
                                          [](const Argument& a) { return a.kind == Kind::data && a.fill == Fill::definite; });
}

/// What BLAS updates may rightly be fresh memory: then writing it first is part of the routine's time. LAPACK's routines don't begin with
/// nothing.
bool is_input(const Routine& routine, const Argument& argument) {
  return argument.kind == Kind::data && !argument.integer &&
         (argument.access == Access::read || (argument.access == Access::update && can_fail(routine)));
}

/// Whether alpha stands before what is added to an operand, and that isn't scaled.
bool is_update(const Call& call) {
  const Routine& routine = *call.routine;
  if (const int beta = routine.index("beta"); beta >= 0) {
    return call.scalars[static_cast<std::size_t>(call.arguments[static_cast<std::size_t>(beta)])] == 1.0;
  }
  constexpr std::array<std::string_view, 12> families = {"axpy", "ger",  "geru", "gerc", "syr",  "syr2",
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
  for (const Operand& operand : operands(call)) {
    if (!is_input(routine, routine.arguments[operand.argument]) || call.address(operand.argument) == 0 || !looks_unwritten(operand)) {
      continue;
    }
    real_bytes(routine.precision) == 4 ? write_zero_pages<float>(operand) : write_zero_pages<double>(operand);
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

}  // namespace flopcast::interpose::mpi
