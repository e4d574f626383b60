#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "flopcast/flopcast.h"

/// Measures the overhead of a planned call from C: the time of flopcast_execute() on matrices so small that computing takes next to nothing,
/// beside the time of three plain loops.
namespace {

void require(flopcast_status status) {
  if (status != FLOPCAST_DONE) {
    std::fprintf(stderr, "%s\n", flopcast_error_message());
    std::exit(status);
  }
}

flopcast_workbench* bench() {
  static flopcast_workbench* const opened = [] {
    flopcast_workbench* made = nullptr;
    require(flopcast_workbench_open(&made, nullptr));
    return made;
  }();
  return opened;
}

void planned(benchmark::State& state) {
  const std::int64_t m = state.range(0);
  const std::int64_t shape[] = {m, m};
  const std::int64_t* const shapes[] = {shape, shape};
  flopcast_plan* plan = nullptr;
  require(flopcast_plan_einsum(&plan, bench(), "ij,jk->ik", FLOPCAST_F64, 2, shapes, nullptr, shape, nullptr, nullptr));
  const std::vector<double> a(static_cast<std::size_t>(m * m), 0.5), b = a;
  const void* const operands[] = {a.data(), b.data()};
  std::vector<double> c(a.size());
  require(flopcast_execute(plan, nullptr, 2, operands, nullptr, nullptr, c.data()));
  for (auto _ : state) {
    benchmark::DoNotOptimize(flopcast_execute(plan, nullptr, 2, operands, nullptr, nullptr, c.data()));
    benchmark::ClobberMemory();
  }
  flopcast_plan_destroy(plan);
}

void loops(benchmark::State& state) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const std::vector<double> a(m * m, 0.5), b = a;
  std::vector<double> c(a.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < m; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < m; ++j) {
          sum += a[i * m + j] * b[j * m + k];
        }
        c[i * m + k] = sum;
      }
    }
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
}

BENCHMARK(planned)->Arg(1)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(loops)->Arg(1)->Arg(2)->Arg(4)->Arg(8);

}  // namespace
