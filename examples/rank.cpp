// Ranks the algorithms for a Cholesky factorisation without running them.
//   for      developers who choose among variants of an algorithm
//   build    cmake --build --preset check --target example_rank
//   run      build/check/bin/example_rank 1000
//   picture  flopcast rank cholesky --n 200:1000:200 --nb 32,64 --time-budget 10 --figure rank.svg
//   read     docs/explanation/tuning.md
#include <cstdio>
#include <cstdlib>

#include "flopcast/flopcast.hpp"

int main(int argc, char** argv) {
  flopcast::RankRequest request;
  request.family = "cholesky";
  request.n = {argc > 1 ? std::atol(argv[1]) : 1000};
  request.nb = {32, 64};
  request.time_budget = 5;  // seconds of measuring
  flopcast::Workbench bench;
  const flopcast::Ranking ranking = flopcast::rank(bench, request);
  for (const flopcast::tuning::VariantRank& variant : ranking.places.front().decisions.front().ranking) {
    std::printf("%-20s %.3g ms\n", variant.best.variant.c_str(), 1e3 * variant.best.seconds);
  }
}
