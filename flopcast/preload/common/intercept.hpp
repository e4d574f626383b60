#pragma once

#include <chrono>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace flopcast::preload {

struct Redirected;

/// Handles one intercepted call of catalogue routine number `routine`. `caller` is the return address, and `pointers` are the arguments as
/// Fortran passes them.
class Interception {
 public:
  Interception(std::size_t routine, const void* caller, std::span<void* const> pointers) noexcept;
  Interception(const Interception&) = delete;
  Interception& operator=(const Interception&) = delete;
  /// Stops the clock and keeps the call.
  ~Interception();

  /// Returns whether the routine is to be executed.
  [[nodiscard]] bool execute() const noexcept { return handling_ != Handling::skipped; }
  /// Returns the value of a function that isn't executed.
  [[nodiscard]] std::complex<double> skipped_value() const noexcept { return skipped_value_; }
  /// Returns the trampoline through which the call came; nullptr for a call by the routine's usual name.
  [[nodiscard]] const Redirected* trampoline() const noexcept { return trampoline_; }
  /// Returns the library's own routine.
  [[nodiscard]] void* next() const noexcept;

 private:
  enum class Handling { transparent, observed, skipped };

  std::size_t routine_;
  const void* caller_;
  Redirected* trampoline_ = nullptr;
  std::span<void* const> pointers_;
  Handling handling_ = Handling::transparent;
  std::complex<double> skipped_value_;
  std::chrono::steady_clock::time_point start_;
};

/// Returns `value` as a result of gfortran's interface.
template <class Result>
Result result_of(std::complex<double> value) {
  if constexpr (std::is_same_v<Result, _Complex float> || std::is_same_v<Result, _Complex double>) {
    Result result;
    __real__ result = static_cast<decltype(__real__ result + 0)>(value.real());
    __imag__ result = static_cast<decltype(__imag__ result + 0)>(value.imag());
    return result;
  } else if constexpr (!std::is_void_v<Result>) {
    return static_cast<Result>(value.real());
  }
}

/// Returns an element's index as in CBLAS, counted from 0. Fortran counts from 1 and returns 0 for no element.
inline std::size_t index_of(std::complex<double> value) { return value.real() < 1 ? 0 : static_cast<std::size_t>(value.real()) - 1; }

template <class Result, class... Pointers, std::size_t... Places>
Result call_with(void* function, void* const* pointers, std::index_sequence<Places...> /*places*/) {
  return reinterpret_cast<Result (*)(Pointers...)>(function)(static_cast<Pointers>(pointers[Places])...);
}

/// The body of every stub. An Interception may replace the program's pointers.
template <class Result, class... Pointers>
Result intercept(std::size_t routine, const void* caller, Pointers... pointers) {
  void* all[] = {pointers...};
  const Interception interception(routine, caller, all);
  if (!interception.execute()) {
    return result_of<Result>(interception.skipped_value());
  }
  return call_with<Result, Pointers...>(interception.next(), all, std::index_sequence_for<Pointers...>());
}

}  // namespace flopcast::preload
