// Records, predicts and tunes a blocked algorithm, B := L B, executes it and compares the result with BLAS, all from one source.
//   for      developers of blocked algorithms
//   build    cmake --build --preset check --target example_own_algorithm
//   run      build/check/bin/example_own_algorithm 1000
//   read     docs/howto/tune_own_algorithm.md

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/algorithm/view.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/workbench/workbench.hpp"

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

/// Returns the largest difference between B of the algorithm and B of the library's dtrmm.
double execute_and_compare(const Workbench& bench, Call call, std::int64_t nb) {
  const machine::LibrarySet& library = bench.libraries();
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

/// Prints the predicted time for every block size; returns the block size with the least time. Kernels are timed for two seconds at most.
std::int64_t predict_block_sizes(const Workbench& bench, const Call& call) {
  std::vector<Candidate> candidates;
  const std::vector<std::int64_t> blocks = {8, 16, 32, 64, 128, 256};
  for (const std::int64_t nb : blocks) {
    candidates.push_back({"nb " + std::to_string(nb), {{record(call, {.nb = nb}, mine), 0}}});
  }
  const CandidateRanking ranking = rank_candidates(bench, std::move(candidates), 2);
  for (const RankedCandidate& one : ranking.candidates) {
    fmt::print("{:7} predicted {}{}\n", one.name, format_seconds(one.seconds), one.tied ? ", a tie" : "");
  }
  fmt::print("the best one may lose {}\n", format_percent(ranking.regret));
  return blocks[ranking.best];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} N\n", argv[0]);
    return 2;
  }
  try {
    const Call call = kernel::parse_call(kernel::require("dtrmm"), {{"side", "L"}, {"uplo", "L"}, {"m", argv[1]}, {"n", argv[1]}});
    const Workbench bench({.blas = "openblas-serial"});
    const std::int64_t best = predict_block_sizes(bench, call);
    const double difference = execute_and_compare(bench, call, best);
    fmt::print("best block size {}; executed, B {} with that of dtrmm\n", best, difference < 1e-12 ? "agrees" : "disagrees");
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
