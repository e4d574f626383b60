// Measures the rate of access distances and of predictions with the models in place, in calls per second.
#include <benchmark/benchmark.h>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/predict/predict.hpp"

namespace {

using namespace flopcast;

const std::vector<CacheLevel> caches = {
    {.name = "L1", .capacity_bytes = 48 << 10}, {.name = "L2", .capacity_bytes = 2 << 20}, {.name = "L3", .capacity_bytes = 64 << 20}};

/// A model without any cost, so that only the rest is timed.
class Flops : public prediction::KernelModels {
 public:
  prediction::Estimate evaluate(const Call& call, const prediction::Condition&) const override {
    return {flops(call) * 1e-10, 0.01, false};
  }
};

/// Returns the trace of `routine` of order n with leading dimension n.
Trace blocked(const char* routine, std::int64_t n, std::int64_t nb) {
  Call call;
  call.routine = &kernel::require(routine);
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    call.arguments[i] = kind == Kind::flag ? 'L' : kind == Kind::size || kind == Kind::leading_dimension ? n : 0;
  }
  return algorithm::record(call, {nb, 2, 128});
}

/// Returns the updates of a tiled Cholesky factorisation with tiles x tiles tiles of order nb: tiles^3 / 6 calls of dgemm.
Trace tiled(std::int64_t tiles, std::int64_t nb) {
  const std::int64_t n = tiles * nb;
  Trace trace;
  trace.allocations = {{"A", virtual_base(0), n * n * 8}};
  const auto at = [&](std::int64_t i, std::int64_t j) { return static_cast<std::int64_t>(virtual_base(0)) + (i + j * n) * nb * 8; };
  Call call;
  call.routine = &kernel::require("dgemm");
  call.scalars = {-1, 1};
  for (std::int64_t k = 0; k < tiles; ++k) {
    for (std::int64_t j = k + 1; j < tiles; ++j) {
      for (std::int64_t i = j; i < tiles; ++i) {
        call.arguments = {'N', 'T', nb, nb, nb, 0, at(i, k), n, at(j, k), n, 1, at(i, j), n};
        trace.calls.push_back(call);
      }
    }
  }
  return trace;
}

void count_calls(benchmark::State& state, const Trace& trace) {
  state.counters["calls"] = static_cast<double>(trace.calls.size());
  state.counters["calls/s"] = benchmark::Counter(static_cast<double>(trace.calls.size()), benchmark::Counter::kIsIterationInvariantRate);
}

void distances(benchmark::State& state, const Trace& trace) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(cache::cache_state(trace, caches, cache::Start::filled));
  }
  count_calls(state, trace);
}

void predict_trace(benchmark::State& state, const Trace& trace, prediction::Method method) {
  const cache::CacheState placed = cache::cache_state(trace, caches, cache::Start::filled);
  prediction::PredictOptions options;
  options.method = method;
  for (auto _ : state) {
    benchmark::DoNotOptimize(prediction::predict(trace, placed, caches, Flops(), options).seconds);
  }
  count_calls(state, trace);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::vector<std::pair<std::string, Trace>> traces = {
      {"dgeqrf n=3200 nb=32", blocked("dgeqrf", 3200, 32)},
      {"dpotrf n=3200 nb=64", blocked("dpotrf", 3200, 64)},
      {"tiled 182x182 nb=64", tiled(182, 64)},  // 10^6 calls
  };
  for (const auto& [name, trace] : traces) {
    benchmark::RegisterBenchmark(("access distances, " + name).c_str(), distances, trace)->Unit(benchmark::kMillisecond);
    for (const prediction::Method method :
         {prediction::Method::warm, prediction::Method::paper, prediction::Method::levels, prediction::Method::placed}) {
      benchmark::RegisterBenchmark(("predict " + std::string(to_string(method)) + ", " + name).c_str(), predict_trace, trace, method)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
