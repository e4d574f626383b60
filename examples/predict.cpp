// Predicts the time of a Cholesky factorisation with several block sizes, without running it.
//   for      authors of programs that choose by expected time
//   build    cmake --build --preset check --target example_predict
//   run      build/check/bin/example_predict 1000
//   picture  flopcast predict dpotrf uplo=L n=1000 nb=32,64,128 --figure predict.svg
//   read     docs/explanation/prediction.md
#include <cstdio>
#include <cstdlib>

#include "flopcast/flopcast.hpp"

int main(int argc, char** argv) {
  flopcast::PredictRequest request;
  request.problems.routine = "dpotrf";
  request.problems.n = {argc > 1 ? std::atol(argv[1]) : 1000};
  request.problems.nb = {32, 64, 128};
  flopcast::Workbench bench;  // the default BLAS, one thread
  for (const flopcast::Prediction& prediction : flopcast::predict(bench, request).predictions) {
    std::printf("dpotrf n=%s nb=%s: %.3g ms, %.3g to %.3g ms\n", prediction.sizes.c_str(), prediction.blocks.c_str(),
                1e3 * prediction.seconds, 1e3 * prediction.interval.low, 1e3 * prediction.interval.high);
  }
}
