// Predicts the time of a Cholesky factorisation with several block sizes, without running it.
#include <cstdio>
#include <cstdlib>

#include "flopcast/flopcast.hpp"

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1000;
  flopcast::Workbench bench;  // the default BLAS, one thread
  for (const long nb : {32, 64, 128}) {
    flopcast::PredictRequest request;
    request.n = n;
    request.nb = nb;
    const flopcast::Prediction prediction = flopcast::predict(bench, "dpotrf", request);
    std::printf("dpotrf n=%ld nb=%ld: %.3g ms, %.3g to %.3g ms\n", n, nb, 1e3 * prediction.seconds, 1e3 * prediction.interval.low,
                1e3 * prediction.interval.high);
  }
}
