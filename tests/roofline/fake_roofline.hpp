#pragma once

#include "flopcast/roofline/roof.hpp"

namespace flopcast::roofline {

/// Returns a machine with round numbers: 16 and 32 Gflop/s by FMA, 8 and 12 GB/s of memory, a dgemm of 15 and 28 Gflop/s.
inline Roofline fake_roofline() {
  Roofline roofline;
  roofline.cpu = "Fake CPU";
  roofline.fingerprint = "0123";
  roofline.date = "2026-01-02T03:04:05Z";
  roofline.cpus = {0, 1};
  roofline.affinity = "close";
  roofline.levels = {{"L1", 32768, 32768, 32768}};
  roofline.compute = {{"scalar double add", "double", 1, 1, true, 1, {{2e9, 2e9, 2e9}}, {1e9, 1e9, 1e9}, 2},
                      {"AVX2 double FMA", "double", 4, 2, true, 1, {{15.9e9, 16e9, 16.1e9}}, {1e9, 1e9, 1e9}, 1.99},
                      {"AVX2 single FMA", "single", 8, 2, true, 1, {{32e9, 32e9, 32e9}}, {1e9, 1e9, 1e9}, 2},
                      {"AVX2 double FMA", "double", 4, 2, true, 2, {{31.9e9, 32e9, 32.1e9}}, {1e9, 1e9, 1e9}, 1.99}};
  roofline.bandwidth = {{"L1", "triad", false, 1, 20000, 1.0 / 12, 4.0 / 3, {{99e9, 100e9, 101e9}}},
                        {"memory", "triad", false, 1, 300000000, 1.0 / 12, 4.0 / 3, {{7.9e9, 8e9, 8.1e9}}},
                        {"memory", "triad", true, 1, 300000000, 1.0 / 12, 1, {{9.9e9, 10e9, 10.1e9}}},
                        {"memory", "triad", false, 2, 300000000, 1.0 / 12, 4.0 / 3, {{11.9e9, 12e9, 12.1e9}}}};
  roofline.triad_lengths = {{"", "triad", false, 1, 3072, 1.0 / 12, 4.0 / 3, {{80e9, 81e9}}}};
  GemmRoof gemm;
  gemm.library = {"fakeblas", "/lib/fake.so", "1.0", "Fake", "serial", "abc"};
  gemm.shape = {1000, 512, 64};
  gemm.flops.samples = {14.9e9, 15e9, 15.1e9};
  gemm.ending = "decided";
  gemm.possible_gain = 0.01;
  gemm.error_probability = 0.05;
  gemm.trials = {{{1000, 512, 64}, "tie", {{15e9}}}, {{500, 512, 64}, "slower", {{10e9}}}};
  roofline.gemm = {gemm};
  roofline.peaks = {{"nominal", 1, {{"clock", 1e9, "Hz", "given"}, {"units", 16, "", "measured"}}, 16e9}};
  roofline.points = {{"dgemv m=8", 100, 400, 1, {{1e9, 1.1e9, 1.2e9}}}, {"dgemm m=8", 8000, 100, 1, {{12e9, 12e9, 12e9}}}};
  roofline.findings = {"nothing"};
  roofline.options.threads = 2;
  roofline.options.seed = 1;
  roofline.options.stop_at = 0.5;
  roofline.seconds = 30;
  return roofline;
}

}  // namespace flopcast::roofline
