// Measures the roofs of this machine: arithmetic and the bandwidth of every memory level.
//   for      authors of programs that compare kernels with what the machine can do
//   build    cmake --build --preset check --target example_roofline
//   run      build/check/bin/example_roofline | sed '1s/.*: {/{/' > roofline.json
//   picture  flopcast roofline --replot roofline.json --figure roofline.svg
//   read     docs/explanation/roofline.md
#include <cstdio>

#include "flopcast/flopcast.hpp"

int main() {
  flopcast::Workbench bench;
  flopcast::RooflineRequest request;
  request.threads = 1;
  request.searches_gemm = false;
  request.quick = true;
  request.time_budget = 3;  // seconds
  const flopcast::roofline::Roofline roofs = flopcast::measure_roofline(bench, request);
  std::printf("%s: %s\n", roofs.cpu.c_str(), flopcast::to_json(roofs).c_str());
}
