// Chooses the block size of a QR factorisation without running it.
//   for      authors of programs that tune LAPACK by themselves
//   build    cmake --build --preset check --target example_tune
//   run      build/check/bin/example_tune 1000
//   picture  flopcast tune dgeqrf --n 1000 --nb 16,32,64 --time-budget 5 --figure tune.svg
//   read     docs/explanation/tuning.md
#include <cstdio>
#include <cstdlib>

#include "flopcast/flopcast.hpp"

int main(int argc, char** argv) {
  flopcast::TuneRequest request;
  request.routine = "dgeqrf";
  request.n = {argc > 1 ? std::atol(argv[1]) : 1000};
  request.nb = {16, 32, 64};
  request.time_budget = 5;  // seconds of measuring
  flopcast::Workbench bench;
  const flopcast::Tuning tuning = flopcast::tune(bench, request);
  for (const flopcast::RoutineTuning& part : tuning.parts) {
    for (const flopcast::tuning::Decision& decision : part.decisions) {
      std::printf("%s n=%ld: block size %ld, %.1f %% faster than LAPACK's\n", part.name().c_str(), static_cast<long>(decision.sizes.back()),
                  static_cast<long>(decision.chosen.blocks.nb), 100 * decision.gain);
    }
  }
}
