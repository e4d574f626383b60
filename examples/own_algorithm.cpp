// Executes a blocked algorithm, B := L B, compares the result with BLAS, and records, predicts and tunes the algorithm, all from one
// source: example_own_algorithm N

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/algorithm/view.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/support/error.hpp"

namespace {

using namespace flopcast;
using namespace flopcast::algorithm;

/// Works from the last block row up: B1 := L11 B1 + L10 B0. The result is that of trmm with side L, uplo L, no transposition and alpha = 1.
std::int32_t multiply_by_rows(const Call& call, const BlockParameters& blocks, const Script& script) {
  const std::int64_t m = value(call, "m");
  const Range columns{0, value(call, "n")};
  const View l{matrix(call, "A"), m, m};
  const View b{matrix(call, "B"), m, columns.size};
  for (const Cut& rows : cuts(m, blocks.nb, Direction::up)) {
    trmm(script, 'L', 1.0, {l(rows[1], rows[1])}, b(rows[1], columns));
    gemm(script, 1.0, l(rows[1], rows[0]), b(rows[0], columns), 1.0, b(rows[1], columns));
  }
  return 0;
}

const Algorithm mine{"trmm", "by-rows", "block rows from the last one up", multiply_by_rows};

/// A formula in place of the measurements that flopcast::model learns from: gemm is the faster the larger its smallest side is, and trmm is
/// slower.
class Formula : public prediction::KernelModels {
 public:
  [[nodiscard]] prediction::Estimate evaluate(const Call& call, const prediction::Condition&) const override {
    const auto all = sizes(call);
    const auto smallest = static_cast<double>(*std::min_element(all.begin(), all.end()));
    const double rate = call.routine->family == "gemm" ? 40e9 * (smallest + 1) / (smallest + 20) : 10e9;
    return {1e-6 + flops(call) / rate, 0.05, false};
  }
};

/// Returns the largest difference between B of the algorithm and B of the library's dtrmm.
double execute_and_compare(Call call, std::int64_t nb) {
  const machine::LibrarySet library = machine::LibrarySet::open("", "");
  std::vector<double> a(static_cast<std::size_t>(span_elements(call, index(call, "A"))));
  std::vector<double> b(static_cast<std::size_t>(span_elements(call, index(call, "B"))));
  call.arguments[index(call, "A")] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(a.data()));
  call.arguments[index(call, "B")] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data()));

  kernel::fill(call, 1);
  execute(
      call, {.nb = nb}, [&](std::string_view routine) { return library.find(routine); }, mine);
  const std::vector<double> by_algorithm = b;
  kernel::fill(call, 1);
  kernel::Invocation(library.function("dtrmm"), call).run();

  double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    largest = std::max(largest, std::abs(b[i] - by_algorithm[i]));
  }
  return largest;
}

/// Prints the predicted time for every block size; returns the block size with the least time.
std::int64_t predict_block_sizes(const Call& call) {
  prediction::PredictOptions options;
  options.method = prediction::Method::warm;
  std::map<Seconds, std::int64_t> by_seconds;
  for (const std::int64_t nb : {8, 16, 32, 64, 128, 256, 512}) {
    const Trace trace = record(call, {.nb = nb}, mine);
    const prediction::TracePrediction prediction = prediction::predict(trace, {}, {}, Formula(), options);
    fmt::print("nb {:3}  {:4} calls  {:.3g} flops  predicted {}\n", nb, trace.calls.size(), prediction.flops,
               format_seconds(prediction.seconds));
    by_seconds.emplace(prediction.seconds, nb);
  }
  return by_seconds.begin()->second;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} N\n", argv[0]);
    return 2;
  }
  try {
    const Call call = kernel::parse_call(kernel::require("dtrmm"), {{"side", "L"}, {"uplo", "L"}, {"m", argv[1]}, {"n", argv[1]}});
    const std::int64_t best = predict_block_sizes(call);
    const double difference = execute_and_compare(call, best);
    fmt::print("best block size {}; executed, B {} with that of dtrmm\n", best, difference < 1e-12 ? "agrees" : "disagrees");
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
