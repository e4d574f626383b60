#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/contract/prediction/micro_benchmark.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"

namespace flopcast::cli {

/// What `flopcast contract` was asked.
struct ContractOptions {
  std::string notation;
  std::vector<std::string> sizes;
  std::string precision = "d", order = "column";
  std::vector<std::string> strides;
  std::vector<std::string> kernels;
  bool list = false, all = false, validate = false, run = false, fresh = false;
  std::string emit, algorithm;
  std::vector<std::string> inputs;
  std::string result;
  std::string tiles;
  std::string stage = "segments", effort = "measure", time_budget = "2s";
  std::int64_t repetitions = 10;  // paper 002, section 3.1
  std::int64_t prefetched_lines = contract::BenchmarkOptions().prefetched_lines;
  machine::LibraryChoice libraries;
};

}  // namespace flopcast::cli
