#include "flopcast/preload/common/fortran_call.hpp"

#include <cctype>
#include <complex>
#include <cstdint>

namespace flopcast::preload {
namespace {

std::complex<double> scalar(const void* pointer, Precision precision, bool complex) {
  switch (precision) {
    case Precision::s: return *static_cast<const float*>(pointer);
    case Precision::d: return *static_cast<const double*>(pointer);
    case Precision::c:
      return complex ? std::complex<double>(*static_cast<const std::complex<float>*>(pointer)) : *static_cast<const float*>(pointer);
    case Precision::z: return complex ? *static_cast<const std::complex<double>*>(pointer) : *static_cast<const double*>(pointer);
  }
  return 0;
}

}  // namespace

Call call_of(const Routine& routine, std::span<void* const> pointers, int integer_bytes) {
  Call call;
  call.routine = &routine;
  call.integer_bytes = integer_bytes;
  std::size_t scalars = 0;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Kind kind = routine.arguments[i].kind;
    switch (kind) {
      case Kind::flag: call.arguments[i] = std::toupper(*static_cast<const unsigned char*>(pointers[i])); break;
      case Kind::scalar:
      case Kind::real_scalar:
        call.arguments[i] = static_cast<std::int64_t>(scalars);
        call.scalars[scalars++] = scalar(pointers[i], routine.precision, kind == Kind::scalar);
        break;
      case Kind::data:
      case Kind::work:
      case Kind::pivots:
      case Kind::info: call.arguments[i] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pointers[i])); break;
      default:
        call.arguments[i] =
            integer_bytes == 8 ? *static_cast<const std::int64_t*>(pointers[i]) : *static_cast<const std::int32_t*>(pointers[i]);
    }
  }
  return call;
}

bool is_workspace_query(const Routine& routine, std::span<void* const> pointers) {
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    if (routine.arguments[i].kind == Kind::work_size && *static_cast<const std::int32_t*>(pointers[i]) == -1) {
      return true;
    }
  }
  return false;
}

}  // namespace flopcast::preload
