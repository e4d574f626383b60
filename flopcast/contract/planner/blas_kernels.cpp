#include "flopcast/contract/planner/blas_kernels.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <limits>
#include <string>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// Returns the lock of all calls of a library that several threads may not call at once. All plans share the lock. A forked child has a new
/// one, because another thread of its parent may have been in such a call.
std::mutex& turn_of_all() {
  static std::atomic<std::mutex*> mutex = new std::mutex;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { mutex = new std::mutex; });
  static_cast<void>(registered);
  return *mutex;
}

/// Returns whether gemv multiplies a 2 x 3 matrix correctly, both untransposed and transposed.
bool is_right(Gemv gemv, Precision precision) {
  return with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    const std::array<Element, 6> a = {Element(1), Element(2), Element(3), Element(4), Element(5), Element(6)};
    const std::array<Element, 3> x = {Element(1), Element(2), Element(3)};
    const Integer m = 2, n = 3, step = 1;
    const Element one(1), none(0);
    const Element never_read(std::numeric_limits<float>::quiet_NaN());
    std::array<Element, 2> y{};
    std::array<Element, 3> transposed{};
    y.fill(never_read);
    transposed.fill(never_read);
    gemv("N", &m, &n, &one, a.data(), &m, x.data(), &step, &none, y.data(), &step, 1);
    gemv("T", &m, &n, &one, a.data(), &m, x.data(), &step, &none, transposed.data(), &step, 1);
    return y == std::array<Element, 2>{Element(22), Element(28)} &&
           transposed == std::array<Element, 3>{Element(5), Element(11), Element(17)};
  });
}

/// Checks gemm on a product of 2 x 3 x 2, which costs less than a microsecond, before it is trusted with data. Throws environment_error if
/// the result is wrong.
void require_right(Gemm gemm, Precision precision, const std::string& routine) {
  with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    const std::array<Element, 4> a = {Element(1), Element(2), Element(3), Element(4)};
    const std::array<Element, 6> b = {Element(1), Element(0), Element(2), Element(1), Element(0), Element(5)};
    std::array<Element, 6> c{};
    c.fill(Element(std::numeric_limits<float>::quiet_NaN()));  // beta = 0 must overwrite the NaNs
    const std::array<Element, 6> expected = {Element(1), Element(2), Element(5), Element(8), Element(15), Element(20)};
    const Integer m = 2, n = 3, k = 2;
    const Element one(1), none(0);
    gemm("N", "N", &m, &n, &k, &one, a.data(), &m, b.data(), &k, &none, c.data(), &m, 1, 1);
    if (c != expected) {
      throw environment_error("{} of the open library gives wrong results for a product of 2 x 3 x 2", routine);
    }
  });
}

}  // namespace

std::unique_lock<std::mutex> BlasKernels::turn() const {
  return takes_turns ? std::unique_lock(turn_of_all()) : std::unique_lock<std::mutex>();
}

bool takes_turns(const FindRoutine& find) {
  const kernel::Function gemm = find("dgemm");
  return gemm != nullptr && !machine::may_be_called_by_several_threads(reinterpret_cast<const void*>(gemm));
}

BlasKernels find_blas_kernels(Precision precision, const FindRoutine& find) {
  const std::string routine = static_cast<char>(precision) + std::string("gemm");
  const kernel::Function gemm = find(routine);
  if (gemm == nullptr) {
    throw environment_error("no open library has {}", routine);
  }
  BlasKernels kernels{reinterpret_cast<Gemm>(gemm), nullptr,
                      !machine::may_be_called_by_several_threads(reinterpret_cast<const void*>(gemm))};
  const std::unique_lock lock = kernels.turn();
  const auto gemv = reinterpret_cast<Gemv>(find(static_cast<char>(precision) + std::string("gemv")));
  if (gemv != nullptr && is_right(gemv, precision)) {
    kernels.gemv = gemv;
  }
  require_right(kernels.gemm, precision, routine);
  return kernels;
}

}  // namespace flopcast::contract
