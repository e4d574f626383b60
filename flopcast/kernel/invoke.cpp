#include "flopcast/kernel/invoke.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast::kernel {

/// Typed runners cast the function to its true type. All arguments are pointers or string lengths, which all supported ABIs pass alike.
/// std::complex is returned in the same registers as complex numbers of C and Fortran.
struct TypedRunners {
  using Runner = void (*)(Invocation&) noexcept;

  template <class Result, std::size_t... I>
  static Result call(Invocation& invocation, std::index_sequence<I...>) noexcept {
    using Type = Result (*)(decltype(static_cast<void>(I), static_cast<void*>(nullptr))...);
    std::array<void*, sizeof...(I) + 1> pointers;
    for (std::size_t i = 0; i < sizeof...(I); ++i) {
      pointers[i] = invocation.pointer(i);
    }
    return reinterpret_cast<Type>(invocation.function_)(pointers[I]...);
  }

  template <class Result, std::size_t Pointers>
  static void run(Invocation& invocation) noexcept {
    if constexpr (std::is_void_v<Result>) {
      call<void>(invocation, std::make_index_sequence<Pointers>());
    } else {
      const Result result = call<Result>(invocation, std::make_index_sequence<Pointers>());
      invocation.value_ = std::complex<double>(result);
    }
  }

  template <class Result, std::size_t... Pointers>
  static Runner with_pointers(std::size_t pointers, std::index_sequence<Pointers...>) {
    static constexpr Runner table[] = {&run<Result, Pointers>...};
    return table[pointers];
  }

  template <class Result>
  static Runner with_result(std::size_t pointers) {
    return with_pointers<Result>(pointers, std::make_index_sequence<Invocation::max_pointers + 1>());
  }

  static Runner choose(const Routine& routine, std::size_t pointers) {
    const bool complex = is_complex(routine.precision);
    const bool wide = real_bytes(routine.precision) == 8 || routine.double_result;
    switch (routine.returns) {
      case Returns::nothing: return with_result<void>(pointers);
      case Returns::integer: return with_result<std::int32_t>(pointers);
      case Returns::real: return wide ? with_result<double>(pointers) : with_result<float>(pointers);
      case Returns::element:
        if (complex) {
          return wide ? with_result<std::complex<double>>(pointers) : with_result<std::complex<float>>(pointers);
        }
        return wide ? with_result<double>(pointers) : with_result<float>(pointers);
    }
    throw internal_error("routine {} has an unknown kind of result", routine.name);
  }
};

Invocation::Invocation(Function function, const Call& call) : function_(function), call_(call) {
  const Routine& routine = *call.routine;
  pointers_ = routine.arguments.size();
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    switch (routine.arguments[i].kind) {
      case Kind::flag:
        slots_[i].flag = call.flag(i);
        fixed_[pointers_++] = 1;  // hidden string length
        break;
      case Kind::scalar:
      case Kind::real_scalar: set_scalar(i, call.scalars[static_cast<std::size_t>(call.arguments[i])]); break;
      case Kind::data:
      case Kind::work:
      case Kind::pivots: fixed_[i] = call.address(i); break;
      default: slots_[i].integer = call.arguments[i];
    }
  }
  runner_ = TypedRunners::choose(routine, pointers_);
}

void Invocation::set_scalar(std::size_t argument, std::complex<double> value) noexcept {
  const Routine& routine = *call_.routine;
  Slot& slot = slots_[argument];
  const bool complex = routine.arguments[argument].kind == Kind::scalar && is_complex(routine.precision);
  if (real_bytes(routine.precision) == 8) {
    complex ? void(slot.z = value) : void(slot.d = value.real());
  } else {
    complex ? void(slot.c = std::complex<float>(value)) : void(slot.s = static_cast<float>(value.real()));
  }
}

void* Invocation::pointer(std::size_t i) noexcept {
  return i >= Call::max_arguments || fixed_[i] != 0 ? reinterpret_cast<void*>(fixed_[i]) : &slots_[i];
}

Outcome Invocation::outcome() const noexcept {
  Outcome outcome;
  outcome.value = value_;
  for (std::size_t i = 0; i < call_.routine->arguments.size(); ++i) {
    if (call_.routine->arguments[i].kind == Kind::info) {
      outcome.info = static_cast<std::int32_t>(slots_[i].integer);
    }
  }
  return outcome;
}

}  // namespace flopcast::kernel
