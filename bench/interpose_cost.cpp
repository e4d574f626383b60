#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "flopcast/program/component.hpp"
#include "flopcast/program/program_recording.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/protocol/run_report.hpp"
#include "flopcast/protocol/trace_format.hpp"

/// Measures the cost of the preloaded libraries. For the tuned library: a query that the tuning file answers, a query that is passed on,
/// LAPACK's own answer, and the loading of the library. For the recording library: calls without work (n = 0), whose time is all overhead,
/// with and without the library. A thousand calls or so fill the live chunk, so that the mean includes writing the chunk to disk. The
/// routine dlapy2, of which only the name is known, takes the other path.
namespace {

using Ilaenv = std::int32_t (*)(const std::int32_t*, const char*, const char*, const std::int32_t*, const std::int32_t*,
                                const std::int32_t*, const std::int32_t*, std::size_t, std::size_t);

flopcast::program::SavedTuning tuning_of(std::int64_t points) {
  flopcast::program::TunedRoutine routine{"dgeqrf", "", {}};
  for (std::int64_t i = 1; i <= points; ++i) {
    routine.points.push_back({200 * i, 200 * i, {32 + i, 2, 0}, {}, 0});
  }
  flopcast::program::SavedTuning tuning;
  if (points > 0) {
    tuning.set(routine);
  }
  return tuning;
}

/// Returns ilaenv_ of the tuned library, which has a tuning file of 16 sizes and precedes the system's LAPACK.
Ilaenv tuned_ilaenv() {
  static const auto function = [] {
    setenv(flopcast::protocol::blocks_variable, block_table_text(tuning_of(16)).c_str(), 1);
    const std::string file = flopcast::program::find_component("libflopcast-tuned.so").string();
    void* tuned = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
    return reinterpret_cast<Ilaenv>(dlsym(tuned, "ilaenv_"));
  }();
  return function;
}

Ilaenv lapack_ilaenv() { return reinterpret_cast<Ilaenv>(dlsym(dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL), "ilaenv_")); }

void query(benchmark::State& state, Ilaenv ilaenv, const std::string& name) {
  const std::int32_t ispec = 1;
  const std::int32_t n = 1234;
  const std::int32_t none = -1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ilaenv(&ispec, name.c_str(), " ", &n, &n, &none, &none, name.size(), 1));
  }
}

void answered(benchmark::State& state) { query(state, tuned_ilaenv(), "DGEQRF"); }
void passed_on(benchmark::State& state) { query(state, tuned_ilaenv(), "DGETRF"); }
void without_us(benchmark::State& state) { query(state, lapack_ilaenv(), "DGEQRF"); }

/// Measures start and end of a process: range 1 with the library preloaded, range 0 without.
void start_process(benchmark::State& state) {
  const std::string file = flopcast::program::find_component("libflopcast-tuned.so").string();
  const std::string command = (state.range(0) > 0 ? "LD_PRELOAD=" + file + " " : std::string()) + "/bin/true";
  setenv(flopcast::protocol::blocks_variable, block_table_text(tuning_of(state.range(0))).c_str(), 1);
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) {
      state.SkipWithError("the process failed");
    }
  }
}

/// Sets up a new trace in the folder for temporary files, and the recording library in front of the system's BLAS.
class Recorded {
 public:
  static Recorded& get() {
    static Recorded all;
    return all;
  }
  [[nodiscard]] void* ours(const char* symbol) const { return dlsym(trace_, symbol); }
  [[nodiscard]] void* theirs(const char* symbol) const { return dlsym(lapack_, symbol); }

 private:
  // record_program creates the trace file with the calls of /bin/true; the benchmark appends to this file.
  Recorded() {
    const auto file = std::filesystem::temp_directory_path() / "flopcast-bench.trace";
    flopcast::program::record_program({{"/bin/true"}, {}, {}}, {file, false, {}});
    setenv(flopcast::protocol::trace_variable, file.c_str(), 1);
    trace_ = dlopen(flopcast::program::find_component("libflopcast-trace.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
    lapack_ = dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  }

  void* trace_ = nullptr;
  void* lapack_ = nullptr;
};

using Axpy = void (*)(const std::int32_t*, const double*, const double*, const std::int32_t*, double*, const std::int32_t*);
using Gemm = void (*)(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const double*, const double*,
                      const std::int32_t*, const double*, const std::int32_t*, const double*, double*, const std::int32_t*, std::size_t,
                      std::size_t);
using Lapy2 = double (*)(const double*, const double*);

void* function(bool recorded, const char* symbol) { return recorded ? Recorded::get().ours(symbol) : Recorded::get().theirs(symbol); }

/// Measures calls of daxpy: range 1 with the recording library, range 0 without.
void call_daxpy(benchmark::State& state) {
  const auto daxpy = reinterpret_cast<Axpy>(function(state.range(0) != 0, "daxpy_"));
  const std::int32_t n = 0;
  const std::int32_t inc = 1;
  const double alpha = 2;
  double x = 1;
  double y = 1;
  for (auto _ : state) {
    daxpy(&n, &alpha, &x, &inc, &y, &inc);
  }
}

void call_dgemm(benchmark::State& state) {
  const auto dgemm = reinterpret_cast<Gemm>(function(state.range(0) != 0, "dgemm_"));
  const std::int32_t n = 0;
  const std::int32_t ld = 1;
  const double one = 1;
  double c = 1;
  for (auto _ : state) {
    dgemm("N", "N", &n, &n, &n, &one, &c, &ld, &c, &ld, &one, &c, &ld, 1, 1);
  }
}

void call_dlapy2(benchmark::State& state) {
  const auto dlapy2 = reinterpret_cast<Lapy2>(function(state.range(0) != 0, "dlapy2_"));
  const double x = 3;
  const double y = 4;
  for (auto _ : state) {
    benchmark::DoNotOptimize(dlapy2(&x, &y));
  }
}

}  // namespace

BENCHMARK(call_daxpy)->Arg(0)->Arg(1);
BENCHMARK(call_dgemm)->Arg(0)->Arg(1);
BENCHMARK(call_dlapy2)->Arg(0)->Arg(1);
BENCHMARK(answered);
BENCHMARK(passed_on);
BENCHMARK(without_us);
BENCHMARK(start_process)->Arg(0)->Arg(1)->Arg(16)->Arg(128)->Unit(benchmark::kMicrosecond);
BENCHMARK_MAIN();
