#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "flopcast/interpose/component.hpp"
#include "flopcast/interpose/profile.hpp"
#include "flopcast/interpose/run_report.hpp"

/// What the preloaded library costs: a question that it answers, one that it passes on, LAPACK's own answer, and loading it.
namespace {

using Ilaenv = std::int32_t (*)(const std::int32_t*, const char*, const char*, const std::int32_t*, const std::int32_t*,
                                const std::int32_t*, const std::int32_t*, std::size_t, std::size_t);

flopcast::interpose::Profile profile_of(std::int64_t points) {
  flopcast::interpose::TunedRoutine routine{"dgeqrf", "", {}};
  for (std::int64_t i = 1; i <= points; ++i) {
    routine.points.push_back({200 * i, 200 * i, {32 + i, 2, 0}, {}, 0});
  }
  flopcast::interpose::Profile profile;
  if (points > 0) {
    profile.set(routine);
  }
  return profile;
}

/// ilaenv_ of the tuned library with a profile of 16 sizes in front of the system's LAPACK.
Ilaenv tuned_ilaenv() {
  static const auto function = [] {
    setenv(flopcast::interpose::blocks_variable, block_table_text(profile_of(16)).c_str(), 1);
    const std::string file = flopcast::interpose::find_component("libflopcast-tuned.so").string();
    void* tuned = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
    return reinterpret_cast<Ilaenv>(dlsym(tuned, "ilaenv_"));
  }();
  return function;
}

Ilaenv lapack_ilaenv() { return reinterpret_cast<Ilaenv>(dlsym(dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL), "ilaenv_")); }

void ask(benchmark::State& state, Ilaenv ilaenv, const std::string& name) {
  const std::int32_t ispec = 1;
  const std::int32_t n = 1234;
  const std::int32_t none = -1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ilaenv(&ispec, name.c_str(), " ", &n, &n, &none, &none, name.size(), 1));
  }
}

void answered(benchmark::State& state) { ask(state, tuned_ilaenv(), "DGEQRF"); }
void passed_on(benchmark::State& state) { ask(state, tuned_ilaenv(), "DGETRF"); }
void without_us(benchmark::State& state) { ask(state, lapack_ilaenv(), "DGEQRF"); }

/// Start and end of a process with the library preloaded, against one without (range 0).
void start_process(benchmark::State& state) {
  const std::string file = flopcast::interpose::find_component("libflopcast-tuned.so").string();
  const std::string command = (state.range(0) > 0 ? "LD_PRELOAD=" + file + " " : std::string()) + "/bin/true";
  setenv(flopcast::interpose::blocks_variable, block_table_text(profile_of(state.range(0))).c_str(), 1);
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) {
      state.SkipWithError("the process failed");
    }
  }
}

}  // namespace

BENCHMARK(answered);
BENCHMARK(passed_on);
BENCHMARK(without_us);
BENCHMARK(start_process)->Arg(0)->Arg(1)->Arg(16)->Arg(128)->Unit(benchmark::kMicrosecond);
BENCHMARK_MAIN();
