#include "flopcast/machine/libraries/dgemm_peak.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "flopcast/core/routine.hpp"

namespace flopcast::machine {
namespace {

using Integer = const FortranInteger*;
using Dgemm = void (*)(const char* transa, const char* transb, Integer m, Integer n, Integer k, const double* alpha, const double* a,
                       Integer lda, const double* b, Integer ldb, const double* beta, double* c, Integer ldc, std::size_t, std::size_t);

}  // namespace

double dgemm_rate(const WallClock& clock, Function dgemm, int n, Seconds budget) {
  constexpr int fewest_calls = 3;
  const FortranInteger order = n, ld = n + 8;  // powers of two as leading dimension are slow
  const auto elements = static_cast<std::size_t>(ld) * static_cast<std::size_t>(n);
  const std::vector<double> a(elements, 0.5), b(elements, 0.25);
  std::vector<double> c(elements, 0.0);
  const double one = 1;
  const auto call = reinterpret_cast<Dgemm>(dgemm);
  const auto run = [&] { call("N", "N", &order, &order, &order, &one, a.data(), &ld, b.data(), &ld, &one, c.data(), &ld, 1, 1); };
  run();  // first calls initialise the library
  Seconds least = 0, total = 0;
  for (int calls = 0; calls < fewest_calls || total < budget; ++calls) {
    const std::int64_t start = clock.ticks();
    run();
    const Seconds seconds = clock.seconds(clock.ticks() - start);
    least = calls == 0 ? seconds : std::min(least, seconds);
    total += seconds;
  }
  return 2.0 * n * n * n / least;
}

double peak_flops(const WallClock& clock, Function dgemm, Seconds budget) {
  constexpr std::array<int, 3> orders = {240, 480, 720};
  double best = 0;
  for (const int n : orders) {
    best = std::max(best, dgemm_rate(clock, dgemm, n, budget / orders.size()));
  }
  return best;
}

}  // namespace flopcast::machine
