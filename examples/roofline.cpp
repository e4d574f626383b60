// Measures the roofs of this machine: arithmetic and the bandwidth of every memory level.
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
